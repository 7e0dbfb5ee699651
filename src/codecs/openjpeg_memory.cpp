// openjpeg's memory, and its messages: what its opj_malloc.c has, with our allocator, and its
// event.c, with nothing.
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

// Messages are not even put together. Declared in event.h.
int opj_event_msg(void* manager, int type, const char* format, ...);
void opj_set_default_event_handler(void* manager);

int opj_event_msg(void*, int, const char*, ...) {
  return 1;
}
void opj_set_default_event_handler(void*) {}

#ifdef __EMSCRIPTEN__
// openjpeg asks for a number of threads there, and its unused dumps print. The C library's own
// would need files and an environment of the module's script.
char* getenv(const char*) {
  return nullptr;
}
int fprintf(void*, const char*, ...) {
  return 0;
}
int fiprintf(void*, const char*, ...) {
  return 0;
}
#endif
}

#endif  // ZW_IMAGE_CODECS
