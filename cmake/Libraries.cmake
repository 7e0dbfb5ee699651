# Targets for the C libraries, each with the files that the codecs need and with its own flags
# (measurements: docs/compile-flags.md).
#
# Patches are either upstream fixes of the pinned releases, which Debian's sources already contain, or
# changes for speed on wasm32; those state their gain in their headers.
include(cmake/PatchedCopy.cmake)

set(ZW_LIBRARIES)       # for all modules
set(ZW_IMAGE_LIBRARIES) # for images.wasm only
set(zw_patches ${CMAKE_CURRENT_SOURCE_DIR}/cmake/patches)

# zw_library(<name> DIR <dir> FILES <file>... INCLUDE <dir>... DEFINES <define>... [LIST <variable>])
# Appends the name to LIST. Default: ZW_LIBRARIES.
function(zw_library name)
  cmake_parse_arguments(ARG "" "DIR;LIST" "FILES;INCLUDE;DEFINES" ${ARGN})
  if(NOT ARG_LIST)
    set(ARG_LIST ZW_LIBRARIES)
  endif()
  list(TRANSFORM ARG_FILES PREPEND ${ARG_DIR}/)
  add_library(${name} STATIC ${ARG_FILES})
  target_include_directories(${name} SYSTEM INTERFACE ${ARG_DIR})
  target_include_directories(${name} PRIVATE ${ARG_INCLUDE})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  target_compile_options(${name} PRIVATE -w)
  target_link_libraries(${name} PRIVATE zw_library_flags)
  set_target_properties(${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
  set(${ARG_LIST} ${${ARG_LIST}} ${name} PARENT_SCOPE)
endfunction()

# zstd's encoder, with 64-bit words on every target (wide-registers patch), built for size where speed does not matter.
# Tests and fuzzers compare our decoder with libzstd's. zstd_v07.cpp calls the decoder of format v0.7 directly.
set(zw_zstd ${CMAKE_CURRENT_BINARY_DIR}/zstd-patched/lib)
zw_patched_copy(${ZSTD_SOURCE_DIR}/lib ${zw_zstd}
  ${zw_patches}/zstd-no-dictionaries.patch ${zw_patches}/zstd-wide-registers.patch)
set(zw_zstd_decoder)
if(NOT EMSCRIPTEN AND NOT ZW_INSTALL)
  set(zw_zstd_decoder
    decompress/huf_decompress.c decompress/zstd_decompress.c decompress/zstd_decompress_block.c decompress/zstd_ddict.c)
endif()
# Code that runs once per frame, and the legacy decoder.
set(zw_zstd_small
  common/entropy_common.c common/fse_decompress.c common/zstd_common.c
  compress/zstd_compress.c compress/zstd_compress_superblock.c compress/zstd_ldm.c compress/zstd_preSplit.c
  legacy/zstd_v07.c)
zw_library(zw_zstd DIR ${zw_zstd}
  FILES
    ${zw_zstd_decoder} ${zw_zstd_small}
    common/debug.c common/error_private.c common/pool.c common/threading.c common/xxhash.c
    compress/fse_compress.c compress/hist.c compress/huf_compress.c compress/zstd_compress_literals.c
    compress/zstd_compress_sequences.c compress/zstd_double_fast.c compress/zstd_fast.c compress/zstd_lazy.c
    compress/zstd_opt.c
  DEFINES
    ZSTD_LEGACY_SUPPORT=0 ZSTD_DISABLE_ASM ZSTD_STRIP_ERROR_STRINGS ZSTD_TRACE=0)
target_compile_options(zw_zstd PRIVATE "SHELL:${no_partial_unroll}")
list(TRANSFORM zw_zstd_small PREPEND ${zw_zstd}/)
set_source_files_properties(${zw_zstd_small} PROPERTIES COMPILE_OPTIONS -Os)

set(zw_lz4 ${CMAKE_CURRENT_BINARY_DIR}/lz4-wide-words/lib)
zw_patched_copy(${LZ4_SOURCE_DIR}/lib ${zw_lz4} ${zw_patches}/lz4-wide-words.patch)
zw_library(zw_lz4 DIR ${zw_lz4} FILES lz4.c lz4hc.c)
target_compile_options(zw_lz4 PRIVATE "SHELL:${no_partial_unroll}")

# libdeflate: only the raw DEFLATE coders; wrappers and checksums are implemented in src.
set(zw_deflate ${CMAKE_CURRENT_BINARY_DIR}/libdeflate-patched)
zw_patched_copy(${LIBDEFLATE_SOURCE_DIR} ${zw_deflate}
  ${zw_patches}/libdeflate-wide-words.patch ${zw_patches}/libdeflate-search-depth.patch)
zw_library(zw_libdeflate DIR ${zw_deflate}
  FILES
    lib/deflate_decompress.c lib/deflate_compress.c lib/utils.c
    lib/x86/cpu_features.c lib/arm/cpu_features.c
  INCLUDE ${zw_deflate})
set_source_files_properties(${zw_deflate}/lib/deflate_compress.c PROPERTIES
  COMPILE_DEFINITIONS LIBDEFLATE_WIDE_WORDS=1)
if(EMSCRIPTEN)
  set_source_files_properties(${zw_deflate}/lib/deflate_decompress.c PROPERTIES
    COMPILE_OPTIONS "${ZW_NO_PARTIAL_UNROLL}")
  # The compressor clears and shifts large tables; SIMD doubles its speed.
  set_source_files_properties(${zw_deflate}/lib/deflate_compress.c PROPERTIES
    COMPILE_OPTIONS "-O3;-msimd128;${ZW_NO_PARTIAL_UNROLL}")
endif()

zw_library(zw_bzip2 DIR ${BZIP2_SOURCE_DIR}
  FILES blocksort.c bzlib.c compress.c crctable.c decompress.c huffman.c randtable.c
  DEFINES BZ_NO_STDIO)

# liblzma without threads and without its container decoders, which lzma_container.cpp replaces.
set(zw_xz ${CMAKE_CURRENT_BINARY_DIR}/xz-fixed)
zw_patched_copy(${XZ_SOURCE_DIR}/src ${zw_xz}
  ${zw_patches}/xz-index-append.patch ${zw_patches}/xz-decoder-reinit.patch)
set(zw_lzma ${zw_xz}/liblzma)
zw_library(zw_lzma DIR ${zw_lzma}
  FILES
    check/check.c check/crc32_fast.c check/crc64_fast.c check/sha256.c
    common/alone_encoder.c common/block_decoder.c common/block_encoder.c
    common/block_header_decoder.c common/block_header_encoder.c common/block_util.c common/common.c
    common/easy_preset.c common/filter_common.c common/filter_decoder.c common/filter_encoder.c
    common/filter_flags_decoder.c common/filter_flags_encoder.c common/index.c
    common/index_encoder.c common/index_hash.c common/stream_encoder.c
    common/stream_flags_common.c common/stream_flags_decoder.c common/stream_flags_encoder.c
    common/vli_decoder.c common/vli_encoder.c common/vli_size.c
    delta/delta_common.c delta/delta_decoder.c delta/delta_encoder.c
    lz/lz_decoder.c lz/lz_encoder.c lz/lz_encoder_mf.c
    lzma/fastpos_table.c lzma/lzma2_decoder.c lzma/lzma2_encoder.c lzma/lzma_decoder.c
    lzma/lzma_encoder.c lzma/lzma_encoder_optimum_fast.c lzma/lzma_encoder_optimum_normal.c
    lzma/lzma_encoder_presets.c
    rangecoder/price_table.c
    simple/arm.c simple/arm64.c simple/armthumb.c simple/ia64.c simple/powerpc.c
    simple/simple_coder.c simple/simple_decoder.c simple/simple_encoder.c simple/sparc.c simple/x86.c
  INCLUDE
    ${zw_xz}/common ${zw_lzma}/api ${zw_lzma}/common ${zw_lzma}/check ${zw_lzma}/lz
    ${zw_lzma}/rangecoder ${zw_lzma}/lzma ${zw_lzma}/delta ${zw_lzma}/simple
  DEFINES
    HAVE_STDBOOL_H=1 HAVE_STDINT_H=1 HAVE_INTTYPES_H=1 HAVE_LIMITS_H=1 HAVE_STRING_H=1
    HAVE_VISIBILITY=0 ASSUME_RAM=128
    HAVE_CHECK_CRC32=1 HAVE_CHECK_CRC64=1 HAVE_CHECK_SHA256=1
    HAVE_MF_HC3=1 HAVE_MF_HC4=1 HAVE_MF_BT2=1 HAVE_MF_BT3=1 HAVE_MF_BT4=1
    HAVE_ENCODERS=1 HAVE_DECODERS=1
    HAVE_ENCODER_LZMA1=1 HAVE_ENCODER_LZMA2=1 HAVE_ENCODER_DELTA=1 HAVE_ENCODER_X86=1
    HAVE_ENCODER_POWERPC=1 HAVE_ENCODER_IA64=1 HAVE_ENCODER_ARM=1 HAVE_ENCODER_ARMTHUMB=1
    HAVE_ENCODER_ARM64=1 HAVE_ENCODER_SPARC=1
    HAVE_DECODER_LZMA1=1 HAVE_DECODER_LZMA2=1 HAVE_DECODER_DELTA=1 HAVE_DECODER_X86=1
    HAVE_DECODER_POWERPC=1 HAVE_DECODER_IA64=1 HAVE_DECODER_ARM=1 HAVE_DECODER_ARMTHUMB=1
    HAVE_DECODER_ARM64=1 HAVE_DECODER_SPARC=1)
target_include_directories(zw_lzma SYSTEM INTERFACE ${zw_lzma}/api)

# Image decoders are not part of the installed C++ library.
if(NOT ZW_INSTALL)
  include(cmake/ImageLibraries.cmake)
endif()
