# The core as static libraries. All are built from the same files; the linker drops unreferenced code.
#   zw_core_full     everything; for wasm, without image decoders
#   zw_core_decode   (wasm only) without encoders and rare decoders
#   zw_core_images   (wasm only) all decoders, including those of images
include(cmake/Libraries.cmake)

file(GLOB ZW_CORE_FILES CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.hpp
  ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.inc)

# zw_add_core(<target> DEFINES <define>... LIBRARIES <library>...): codec.hpp documents the defines.
function(zw_add_core target)
  cmake_parse_arguments(ARG "" "" "DEFINES;LIBRARIES" ${ARGN})
  add_library(${target} STATIC ${ZW_CORE_FILES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PUBLIC ${ARG_DEFINES})
  target_link_libraries(${target} PRIVATE zw_own_flags ${ZW_LIBRARIES} ${ARG_LIBRARIES})
  if(ARG_LIBRARIES)
    target_link_libraries(zw_libjpeg PRIVATE ${target}) # mutual dependency: the core provides its allocator
    target_link_libraries(zw_openjpeg PRIVATE ${target})
  endif()
endfunction()

set(zw_full_defines ZW_FULL_MODULE=1 ZW_RARE_CODECS=1)
if(EMSCRIPTEN)
  zw_add_core(zw_core_full DEFINES ${zw_full_defines})
  zw_add_core(zw_core_decode)
  zw_add_core(zw_core_images DEFINES ZW_RARE_CODECS=1 ZW_IMAGE_CODECS=1 LIBRARIES ${ZW_IMAGE_LIBRARIES})
elseif(ZW_INSTALL)
  zw_add_core(zw_core_full DEFINES ${zw_full_defines})
else()
  zw_add_core(zw_core_full DEFINES ${zw_full_defines} ZW_IMAGE_CODECS=1 LIBRARIES ${ZW_IMAGE_LIBRARIES})
endif()
