# The core as static libraries. The linker drops unreferenced code.
#   zw_core_kernels  the layers below the codecs: the same for all modules, so they are compiled once
#   zw_core_full     everything; for wasm, without image decoders
#   zw_core_decode   (wasm only) without encoders and rare decoders
#   zw_core_images   (wasm only) all decoders, including those of images
include(cmake/Libraries.cmake)

# zw_core_files(<variable> <folder>...): the files of folders below src.
function(zw_core_files variable)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/src/ OUTPUT_VARIABLE folders)
  foreach(pattern *.cpp *.hpp *.inc)
    list(TRANSFORM folders APPEND /${pattern} OUTPUT_VARIABLE globs)
    file(GLOB found CONFIGURE_DEPENDS ${globs})
    list(APPEND files ${found})
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()
zw_core_files(ZW_KERNEL_FILES base dtypes simd kernels)
zw_core_files(ZW_CODEC_FILES codecs chain)

# -O3 makes a copy of their loops for each option.
set_source_files_properties(
  src/codecs/compressed_segmentation.cpp src/codecs/fits_quantize.cpp src/codecs/fits_rice.cpp
  PROPERTIES COMPILE_OPTIONS "$<$<BOOL:${EMSCRIPTEN}>:-O2>")
# The hot loops of expressions use vectors explicitly; the others run once per request.
set_source_files_properties(
  src/kernels/accumulate_state.cpp src/kernels/accumulate_words.cpp src/kernels/expression.cpp
  src/kernels/expression_steps.cpp
  PROPERTIES COMPILE_OPTIONS "$<$<BOOL:${EMSCRIPTEN}>:-Os>" SKIP_PRECOMPILE_HEADERS ON)

add_library(zw_core_kernels STATIC ${ZW_KERNEL_FILES})
target_include_directories(zw_core_kernels PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(zw_core_kernels PRIVATE zw_core_flags)

# Small files take longer to parse these headers than for all else. Native builds do not precompile them, and so find
# missing includes.
set(ZW_PRECOMPILED)
if(zw_clang_CXX) # not with emcc
  set(ZW_PRECOMPILED <algorithm> <array> <bit> <cmath> <cstddef> <cstdint> <cstring> <span>)
endif()
target_precompile_headers(zw_core_kernels PRIVATE ${ZW_PRECOMPILED})

# zw_add_core(<target> DEFINES <define>... LIBRARIES <library>...): codec.hpp documents the defines.
function(zw_add_core target)
  cmake_parse_arguments(ARG "" "" "DEFINES;LIBRARIES" ${ARGN})
  add_library(${target} STATIC ${ZW_CODEC_FILES})
  target_compile_definitions(${target} PUBLIC ${ARG_DEFINES})
  target_link_libraries(${target} PUBLIC zw_core_kernels PRIVATE zw_core_flags ${ZW_LIBRARIES} ${ARG_LIBRARIES})
  target_precompile_headers(${target} PRIVATE ${ZW_PRECOMPILED})
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

# The public C++ header: part of the library, and tested with the core.
if(NOT EMSCRIPTEN)
  add_library(zw_cpp_api OBJECT src/api/core.cpp)
  target_include_directories(zw_cpp_api PUBLIC src/api/include PRIVATE src)
  target_compile_definitions(zw_cpp_api PRIVATE ${zw_full_defines} ZW_VERSION="${PROJECT_VERSION}")
  target_link_libraries(zw_cpp_api PRIVATE zw_core_flags)
endif()
