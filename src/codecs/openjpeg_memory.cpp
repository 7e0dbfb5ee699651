// Memory and messages of openjpeg: replaces its opj_malloc.c, using the limited allocator, and its
// event.c, discarding messages.
#ifdef ZW_IMAGE_CODECS

#include <cstring>

#include "codecs/image_memory.hpp"

extern "C" {

// Declared here, since opj_malloc.h also poisons malloc.
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

// Declared in event.h.
int opj_event_msg(void* manager, int type, const char* format, ...);
void opj_set_default_event_handler(void* manager);

int opj_event_msg(void*, int, const char*, ...) {
  return 1;
}
void opj_set_default_event_handler(void*) {}

#ifdef __EMSCRIPTEN__
// openjpeg reads the number of threads from the environment, and its unused dump functions print.
// The C library's versions would need files and an environment in the JavaScript glue.
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
