// What the image libraries allocate, counted: while one decodes a chunk, it gets so many bytes and
// no more, whatever a header claims. libjpeg and openjpeg take their memory here
// (libjpeg_memory.cpp, openjpeg_memory.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// While it lives, allocations of this thread may take so many bytes together: a few for headers at
/// first. What is left of them goes with it.
class ImageBudget {
 public:
  ImageBudget();
  ~ImageBudget();
  ImageBudget(const ImageBudget&) = delete;
  ImageBudget& operator=(const ImageBudget&) = delete;

  /// Allows more: `times` the bytes of an image whose size was found to be right, and what small
  /// images take.
  void allow(size_t bytes, uint32_t times);
  /// True once an allocation was refused, for the budget's sake or because there is no memory.
  bool wasRefused() const;
};

/// As malloc, aligned to 32 bytes; null where the budget does not hold it.
void* imageAllocate(size_t bytes);
/// As realloc.
void* imageReallocate(void* block, size_t bytes);
void imageFree(void* block);

}  // namespace zw
