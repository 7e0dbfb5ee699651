// openjpeg's memory: what its opj_malloc.c has, with our allocator.
#ifdef ZW_IMAGE_CODECS

#include <cstring>

#include "codecs/image_memory.hpp"

extern "C" {

// Declared in opj_malloc.h, which also forbids malloc by name.
void* opj_malloc(size_t bytes);
void* opj_calloc(size_t count, size_t bytes);
void* opj_aligned_malloc(size_t bytes);
void* opj_aligned_realloc(void* block, size_t bytes);
void* opj_aligned_32_malloc(size_t bytes);
void* opj_aligned_32_realloc(void* block, size_t bytes);
void opj_aligned_free(void* block);
void* opj_realloc(void* block, size_t bytes);
void opj_free(void* block);

void* opj_malloc(size_t bytes) {
  return bytes == 0 ? nullptr : zw::imageAllocate(bytes);
}
void* opj_calloc(size_t count, size_t bytes) {
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* block = opj_malloc(all);
  if (block) std::memset(block, 0, all);
  return block;
}
void* opj_aligned_malloc(size_t bytes) {
  return opj_malloc(bytes);
}
void* opj_aligned_realloc(void* block, size_t bytes) {
  return opj_realloc(block, bytes);
}
void* opj_aligned_32_malloc(size_t bytes) {
  return opj_malloc(bytes);
}
void* opj_aligned_32_realloc(void* block, size_t bytes) {
  return opj_realloc(block, bytes);
}
void opj_aligned_free(void* block) {
  zw::imageFree(block);
}
void* opj_realloc(void* block, size_t bytes) {
  return bytes == 0 ? nullptr : zw::imageReallocate(block, bytes);
}
void opj_free(void* block) {
  zw::imageFree(block);
}
}

#endif  // ZW_IMAGE_CODECS
