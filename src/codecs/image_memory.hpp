// Memory of the image libraries, limited per chunk: a library that decodes a chunk gets a fixed
// number of bytes, whatever a header claims. Used by libjpeg (libjpeg_memory.cpp) and openjpeg
// (openjpeg_memory.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// While this object exists, allocations of this thread may take a limited number of bytes in
/// total: initially 4 MiB, for headers. Its destructor frees whatever the library has not.
class ImageBudget {
 public:
  ImageBudget();
  ~ImageBudget();
  ImageBudget(const ImageBudget&) = delete;
  ImageBudget& operator=(const ImageBudget&) = delete;

  /// Raises the limit by `times` the size of an image, once that size has been checked, plus a
  /// constant for small images.
  void allow(size_t bytes, uint32_t times);
  /// True if an allocation has failed, because of the limit or because memory is exhausted.
  bool wasRefused() const;
};

/// Like malloc, aligned to 32 bytes; null if it exceeds the limit.
void* imageAllocate(size_t bytes);
/// Like realloc.
void* imageReallocate(void* block, size_t bytes);
void imageFree(void* block);

}  // namespace zw
