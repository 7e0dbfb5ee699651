// Memory of libjpeg: replaces its jmemnobs.c, using the limited allocator.
#ifdef ZW_IMAGE_CODECS

#include <cstdio>

#include "codecs/image_memory.hpp"
// The order matters.
#include <jpeglib.h>
extern "C" {
#include <jerror.h>
#include <jmemsys.h>

void* jpeg_get_small(j_common_ptr, size_t bytes) {
  return zw::imageAllocate(bytes);
}
void jpeg_free_small(j_common_ptr, void* block, size_t) {
  zw::imageFree(block);
}
void* jpeg_get_large(j_common_ptr, size_t bytes) {
  return zw::imageAllocate(bytes);
}
void jpeg_free_large(j_common_ptr, void* block, size_t) {
  zw::imageFree(block);
}
size_t jpeg_mem_available(j_common_ptr, size_t, size_t max, size_t) {
  return max;  // there are no temporary files
}
void jpeg_open_backing_store(j_common_ptr info, backing_store_ptr, long) {
  ERREXIT(info, JERR_NO_BACKING_STORE);
}
long jpeg_mem_init(j_common_ptr) {
  return 0;
}
void jpeg_mem_term(j_common_ptr) {}
}

#endif  // ZW_IMAGE_CODECS
