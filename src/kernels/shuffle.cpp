#include "kernels/shuffle.hpp"

namespace zw {

void shuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  scalar::shuffleBytes(dst, src, count, itemBytes);
}

void unshuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  scalar::unshuffleBytes(dst, src, count, itemBytes);
}

void unshufflePlanes(uint8_t* dst, const uint8_t* const* planes, size_t count, uint32_t itemBytes) {
  for (size_t i = 0; i < count; i++) {
    for (uint32_t b = 0; b < itemBytes; b++) dst[i * itemBytes + b] = planes[b][i];
  }
}

}  // namespace zw
