# The libraries of images.wasm: decoders only, with a fixed configuration instead of upstream's build systems.

# libjpeg-turbo without its assembler code. Memory management and error handling are replaced
# (src/codecs/libjpeg_memory.cpp, image_jpeg.cpp), so it neither prints nor exits.
set(zw_jpeg_config ${CMAKE_CURRENT_BINARY_DIR}/libjpeg-config)
function(zw_configure_libjpeg)
  zw_pinned_version(libjpeg VERSION)
  string(REPLACE "." "00" LIBJPEG_TURBO_VERSION_NUMBER ${VERSION}) # 2.1.5: 2001005
  set(JPEG_LIB_VERSION 62)
  set(BITS_IN_JSAMPLE 8)
  set(D_ARITH_CODING_SUPPORTED 1)
  set(BUILD 0)
  set(INLINE "inline __attribute__((always_inline))")
  set(THREAD_LOCAL __thread)
  set(CMAKE_PROJECT_NAME libjpeg-turbo)
  set(SIZE_T ${CMAKE_SIZEOF_VOID_P})
  set(HAVE_BUILTIN_CTZL 1)
  foreach(header jconfig.h jconfigint.h jversion.h)
    configure_file(${LIBJPEG_SOURCE_DIR}/${header}.in ${zw_jpeg_config}/${header})
  endforeach()
endfunction()
zw_configure_libjpeg()
zw_library(zw_libjpeg DIR ${LIBJPEG_SOURCE_DIR} LIST ZW_IMAGE_LIBRARIES
  FILES
    jaricom.c jcomapi.c jdapimin.c jdapistd.c jdarith.c jdcoefct.c jdcolor.c jddctmgr.c jdhuff.c jdinput.c
    jdmainct.c jdmarker.c jdmaster.c jdmerge.c jdphuff.c jdpostct.c jdsample.c jidctflt.c jidctfst.c
    jidctint.c jidctred.c jmemmgr.c jquant1.c jquant2.c jsimd_none.c jutils.c
  INCLUDE ${zw_jpeg_config} ${LIBJPEG_SOURCE_DIR}
  DEFINES NO_GETENV NO_PUTENV)
target_include_directories(zw_libjpeg SYSTEM INTERFACE ${zw_jpeg_config})

# LERC is C++. For damaged blocks the pinned release throws, asserts or reads past their end; the patch makes it fail
# instead. In wasm there are no exceptions, so an allocation failure would abort the module; image_lerc.cpp prevents that.
set(zw_lerc_lib ${CMAKE_CURRENT_BINARY_DIR}/lerc-no-throw)
zw_patched_copy(${LERC_SOURCE_DIR}/src/LercLib ${zw_lerc_lib} ${zw_patches}/lerc-no-throw.patch)
zw_library(zw_lerc DIR ${zw_lerc_lib} LIST ZW_IMAGE_LIBRARIES
  FILES
    BitMask.cpp BitStuffer2.cpp Huffman.cpp Lerc.cpp Lerc2.cpp Lerc_c_api_impl.cpp RLE.cpp fpl_Compression.cpp
    fpl_EsriHuffman.cpp fpl_Lerc2Ext.cpp fpl_Predictor.cpp fpl_UnitTypes.cpp
  DEFINES NDEBUG LERC_STATIC)
target_include_directories(zw_lerc SYSTEM INTERFACE ${zw_lerc_lib}/include)
target_compile_definitions(zw_lerc INTERFACE LERC_STATIC)
if(EMSCRIPTEN)
  target_compile_options(zw_lerc PRIVATE -fno-exceptions)
endif()

# libwebp: decoder and demuxer. Its SSE2 and SSE4.1 code is compiled to SIMD128.
set(zw_webp ${LIBWEBP_SOURCE_DIR})
zw_library(zw_libwebp DIR ${zw_webp} LIST ZW_IMAGE_LIBRARIES
  FILES
    src/dec/alpha_dec.c src/dec/buffer_dec.c src/dec/frame_dec.c src/dec/idec_dec.c src/dec/io_dec.c
    src/dec/quant_dec.c src/dec/tree_dec.c src/dec/vp8_dec.c src/dec/vp8l_dec.c src/dec/webp_dec.c
    src/demux/demux.c
    src/dsp/alpha_processing.c src/dsp/alpha_processing_sse2.c src/dsp/alpha_processing_sse41.c src/dsp/cpu.c
    src/dsp/dec.c src/dsp/dec_clip_tables.c src/dsp/dec_sse2.c src/dsp/dec_sse41.c src/dsp/filters.c
    src/dsp/filters_sse2.c src/dsp/lossless.c src/dsp/lossless_sse2.c src/dsp/lossless_sse41.c src/dsp/rescaler.c
    src/dsp/rescaler_sse2.c src/dsp/upsampling.c src/dsp/upsampling_sse2.c src/dsp/upsampling_sse41.c src/dsp/yuv.c
    src/dsp/yuv_sse2.c src/dsp/yuv_sse41.c
    src/utils/bit_reader_utils.c src/utils/color_cache_utils.c src/utils/filters_utils.c src/utils/huffman_utils.c
    src/utils/palette.c src/utils/quant_levels_dec_utils.c src/utils/random_utils.c src/utils/rescaler_utils.c
    src/utils/thread_utils.c src/utils/utils.c
  INCLUDE ${zw_webp}
  DEFINES NDEBUG)
target_include_directories(zw_libwebp SYSTEM INTERFACE ${zw_webp}/src)
if(EMSCRIPTEN)
  # The macros of -msse4.1, which clang does not accept for wasm: emcc replaces it by them.
  target_compile_options(zw_libwebp PRIVATE -msimd128)
  target_compile_definitions(zw_libwebp PRIVATE __SSE__=1 __SSE2__=1 __SSE3__=1 __SSSE3__=1 __SSE4_1__=1)
endif()

# openjpeg: decoder only. Memory management and messages are replaced (src/codecs/openjpeg_memory.cpp).
set(zw_openjp2 ${OPENJPEG_SOURCE_DIR}/src/lib/openjp2)
set(zw_openjpeg_config ${CMAKE_CURRENT_BINARY_DIR}/openjpeg-config)
zw_pinned_version(openjpeg version)
string(REPLACE "." ";" parts ${version})
list(GET parts 0 major)
list(GET parts 1 minor)
list(GET parts 2 build)
file(WRITE ${zw_openjpeg_config}/opj_config.h.new
  "#define OPJ_VERSION_MAJOR ${major}\n#define OPJ_VERSION_MINOR ${minor}\n#define OPJ_VERSION_BUILD ${build}\n")
file(WRITE ${zw_openjpeg_config}/opj_config_private.h.new "#define OPJ_PACKAGE_VERSION \"${version}\"\n")
foreach(header opj_config.h opj_config_private.h)
  configure_file(${zw_openjpeg_config}/${header}.new ${zw_openjpeg_config}/${header} COPYONLY)
endforeach()
zw_library(zw_openjpeg DIR ${zw_openjp2} LIST ZW_IMAGE_LIBRARIES
  FILES
    bio.c cio.c dwt.c function_list.c ht_dec.c image.c invert.c j2k.c jp2.c mct.c mqc.c openjpeg.c opj_clock.c
    pi.c sparse_array.c t1.c t2.c tcd.c tgt.c thread.c
  INCLUDE ${zw_openjpeg_config}
  DEFINES NDEBUG OPJ_STATIC)
target_include_directories(zw_openjpeg SYSTEM INTERFACE ${zw_openjp2} ${zw_openjpeg_config})
target_compile_definitions(zw_openjpeg INTERFACE OPJ_STATIC)
