# The C++ library for `cmake --install`: find_package(zarr_wasm_core) defines zarr_wasm::core. One archive contains the
# core and the C libraries. Their compile options do not propagate to users.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Internal symbols are hidden, so that a program may link another zstd. With GNU's linker and objcopy, all objects are
# merged into one that only exports names of zarr_wasm; elsewhere the objects are archived unchanged.
set(zw_parts zw_cpp_api zw_core_full zw_core_kernels ${ZW_LIBRARIES})
set(zw_objects)
foreach(part IN LISTS zw_parts)
  list(APPEND zw_objects $<TARGET_OBJECTS:${part}>)
endforeach()

# GCC's unique symbols cannot be made local.
target_compile_options(zw_own_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)

if(CMAKE_OBJCOPY AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT ZW_SANITIZE)
  set(zw_merged ${CMAKE_CURRENT_BINARY_DIR}/zarr_wasm_core.o)
  # Dissolve COMDAT groups: once their symbols are local, a linker cannot deduplicate them.
  add_custom_command(OUTPUT ${zw_merged}
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${zw_merged} ${zw_objects}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=_ZN*9zarr_wasm* ${zw_merged}
    DEPENDS ${zw_parts} ${zw_objects} COMMAND_EXPAND_LISTS VERBATIM)
  add_library(zarr_wasm_core STATIC ${zw_merged})
  set_target_properties(zarr_wasm_core PROPERTIES LINKER_LANGUAGE CXX)
else()
  add_library(zarr_wasm_core STATIC ${zw_objects})
  set_target_properties(zarr_wasm_core PROPERTIES LINKER_LANGUAGE CXX)
endif()
set_target_properties(zarr_wasm_core PROPERTIES EXPORT_NAME core)
target_compile_features(zarr_wasm_core INTERFACE cxx_std_20)
target_include_directories(zarr_wasm_core INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src/api/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(zarr_wasm::core ALIAS zarr_wasm_core)

set(zw_package ${CMAKE_INSTALL_LIBDIR}/cmake/zarr_wasm_core)
install(TARGETS zarr_wasm_core EXPORT zarr_wasm_core ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT zarr_wasm_core NAMESPACE zarr_wasm:: FILE zarr_wasm_core-targets.cmake DESTINATION ${zw_package})
install(DIRECTORY src/api/include/zarr_wasm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Before 1.0, minor versions may change the header.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/zarr_wasm_core-config-version.cmake
  COMPATIBILITY SameMinorVersion)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/zarr_wasm_core-config.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/zarr_wasm_core-targets.cmake)\n")
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/zarr_wasm_core-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/zarr_wasm_core-config-version.cmake
  DESTINATION ${zw_package})
