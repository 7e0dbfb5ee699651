#ifdef ZW_IMAGE_CODECS

#include "codecs/image_memory.hpp"

#include <cstdlib>
#include <cstring>

namespace zw {
namespace {

/// Precedes each block, which starts at a multiple of kAlignment.
struct Header {
  void* start;
  size_t bytes;
  Header* before;
  Header* after;
};
constexpr size_t kAlignment = 32;

constexpr size_t kForHeaders = 4 << 20;
constexpr size_t kForSmallImages = 32 << 20;

#ifdef __EMSCRIPTEN__
#define ZW_THREAD_LOCAL  // each thread has its own instance of the module
#else
#define ZW_THREAD_LOCAL thread_local
#endif
ZW_THREAD_LOCAL Header* blocks = nullptr;  // list of allocated blocks
ZW_THREAD_LOCAL size_t left = 0;
ZW_THREAD_LOCAL bool refused = false;

Header* getHeader(void* block) {
  return static_cast<Header*>(block) - 1;
}

void* refuse() {
  refused = true;
  return nullptr;
}

}  // namespace

ImageBudget::ImageBudget() {
  left = kForHeaders;
  refused = false;
}

void ImageBudget::allow(size_t bytes, uint32_t times) {
  const uint64_t all = uint64_t{bytes} * times + kForSmallImages + left;
  left = all < SIZE_MAX / 2 ? static_cast<size_t>(all) : SIZE_MAX / 2;
}

ImageBudget::~ImageBudget() {
  while (blocks) imageFree(blocks + 1);  // leaked by a library that failed
  left = 0;
}

bool ImageBudget::wasRefused() const {
  return refused;
}

void* imageAllocate(size_t bytes) {
  if (bytes > left) return refuse();
  if (bytes > SIZE_MAX - kAlignment - sizeof(Header)) return refuse();
  void* start = std::malloc(bytes + kAlignment + sizeof(Header));
  if (!start) return refuse();
  const uintptr_t first = reinterpret_cast<uintptr_t>(start) + sizeof(Header);
  void* block = reinterpret_cast<void*>((first + kAlignment - 1) / kAlignment * kAlignment);
  *getHeader(block) = {start, bytes, nullptr, blocks};
  if (blocks) blocks->before = getHeader(block);
  blocks = getHeader(block);
  left -= bytes;
  return block;
}

void* imageReallocate(void* block, size_t bytes) {
  void* larger = imageAllocate(bytes);
  if (!block || !larger) return larger;
  const size_t old = getHeader(block)->bytes;
  std::memcpy(larger, block, old < bytes ? old : bytes);
  imageFree(block);
  return larger;
}

void imageFree(void* block) {
  if (!block) return;
  const Header header = *getHeader(block);
  (header.before ? header.before->after : blocks) = header.after;
  if (header.after) header.after->before = header.before;
  left += header.bytes;
  std::free(header.start);
}

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
