# The core as a static library: zw_core_full holds everything, zw_core_decode (wasm only) leaves out
# encoders and rare decoders. What nothing refers to is dropped by the linker, so both are built from
# the same list of files.
include(cmake/Libraries.cmake)

file(GLOB ZW_CORE_FILES CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.hpp
  ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.inc)

function(zw_add_core target)
  add_library(${target} STATIC ${ZW_CORE_FILES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE zw_own_flags ${ZW_LIBRARIES})
endfunction()

zw_add_core(zw_core_full)
target_compile_definitions(zw_core_full PUBLIC ZW_FULL_MODULE=1)
if(EMSCRIPTEN)
  zw_add_core(zw_core_decode)
endif()
