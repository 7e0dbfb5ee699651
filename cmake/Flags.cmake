# Compile flags of our own sources (zw_own_flags) and of the C libraries (zw_library_flags).
add_library(zw_own_flags INTERFACE)
add_library(zw_library_flags INTERFACE)

target_compile_options(zw_own_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)

# Nothing of where a build was made gets into it: other folders yield the same bytes (npm run test:reproducible).
set(zw_places -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=build -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=.)
target_compile_options(zw_own_flags INTERFACE ${zw_places})
target_compile_options(zw_library_flags INTERFACE ${zw_places})

if(EMSCRIPTEN)
  # Loops whose number of turns is known are unrolled whole, others not at all: what has to be unrolled for speed
  # is so by hand or of the former kind, and copies of the rest are a tenth of a module.
  set(ZW_FEW_COPIES -mllvm -unroll-runtime=0 -mllvm -unroll-allow-partial=0)
  string(REPLACE ";" " " few_copies "${ZW_FEW_COPIES}") # as one: CMake drops options that it has met before
  # SIMD128 is for our kernels; for libraries only where it was measured to pay (docs/compile-flags.md).
  # memory.copy/fill instructions everywhere: the C library's own memcpy is many times slower.
  target_compile_options(zw_own_flags INTERFACE -O3 -msimd128 -mbulk-memory "SHELL:${few_copies}")
  target_compile_options(zw_library_flags INTERFACE -O2 -mbulk-memory)
else()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # Byte shuffles by a runtime index are one instruction from SSSE3 on, as in SIMD128.
    target_compile_options(zw_own_flags INTERFACE -mssse3)
  endif()
  if(ZW_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(zw_own_flags INTERFACE ${sanitizers})
    # The libraries shift and align as their authors please: address checks only.
    target_compile_options(zw_library_flags INTERFACE -fsanitize=address -fno-omit-frame-pointer)
    target_link_options(zw_own_flags INTERFACE ${sanitizers})
  endif()
  if(ZW_FUZZERS)
    # A counter at every branch, in the libraries as well: what guides libFuzzer to new ones.
    target_compile_options(zw_own_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_compile_options(zw_library_flags INTERFACE -fsanitize=fuzzer-no-link)
  endif()
endif()
