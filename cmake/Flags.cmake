# Compile flags for own code (zw_own_flags), for the core and its fuzzers (zw_core_flags) and for third-party libraries
# (zw_library_flags).
add_library(zw_own_flags INTERFACE)
add_library(zw_core_flags INTERFACE)
target_link_libraries(zw_core_flags INTERFACE zw_own_flags)
add_library(zw_library_flags INTERFACE)

target_compile_options(zw_own_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)

# Keeps paths out of the binaries, so that builds in other folders are identical (npm run check -- reproducible).
set(zw_prefix_maps -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=build -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=.)
target_compile_options(zw_own_flags INTERFACE ${zw_prefix_maps})
target_compile_options(zw_library_flags INTERFACE ${zw_prefix_maps})

if(EMSCRIPTEN)
  # Loops with a constant number of iterations are unrolled fully, others not at all. Hot loops
  # have a constant count or are unrolled by hand; unrolling the others would take a tenth of a module's size.
  set(ZW_NO_PARTIAL_UNROLL -mllvm -unroll-runtime=0 -mllvm -unroll-allow-partial=0)
  string(REPLACE ";" " " no_partial_unroll "${ZW_NO_PARTIAL_UNROLL}") # one string, since CMake removes repeated options
  # SIMD128 is for the core's kernels, and for libraries only where measurements justify it (docs/compile-flags.md).
  # -mbulk-memory everywhere: the C library's memcpy is many times slower than memory.copy.
  target_compile_options(zw_own_flags INTERFACE -O3 -msimd128 -mbulk-memory "SHELL:${no_partial_unroll}")
  target_compile_options(zw_library_flags INTERFACE -O2 -mbulk-memory)
else()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # SSSE3 has byte shuffles by a run-time index, like SIMD128.
    target_compile_options(zw_own_flags INTERFACE -mssse3)
  endif()
  if(ZW_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(zw_own_flags INTERFACE ${sanitizers})
    # Third-party code is not clean under UBSan: ASan only.
    target_compile_options(zw_library_flags INTERFACE -fsanitize=address -fno-omit-frame-pointer)
    target_link_options(zw_own_flags INTERFACE ${sanitizers})
  endif()
  if(ZW_FUZZERS)
    # Coverage counters, in the libraries as well, guide libFuzzer. Without sanitizers, for the sake of speed, operands of
    # comparisons do not.
    set(coverage -fsanitize=fuzzer-no-link)
    if(NOT ZW_SANITIZE)
      list(APPEND coverage -fno-sanitize-coverage=trace-cmp,trace-div,trace-gep)
    endif()
    target_compile_options(zw_core_flags INTERFACE ${coverage})
    target_compile_options(zw_library_flags INTERFACE ${coverage})
  endif()
endif()
