// The scalar twins of all kernels: each is its definition written down as a loop, with no thought
// of speed. They are the oracles of the tests, so they share no code with what they check.
#include <algorithm>

#include "kernels/bitshuffle.hpp"
#include "kernels/byteswap.hpp"
#include "kernels/shuffle.hpp"
#include "kernels/strided_copy.hpp"

namespace zw::scalar {

void swapCopy(uint8_t* dst, const uint8_t* src, size_t count, uint32_t width) {
  for (size_t i = 0; i < count; i++) {
    uint8_t component[16];  // first read, then written: dst may be src
    for (uint32_t b = 0; b < width; b++) component[b] = src[i * width + b];
    for (uint32_t b = 0; b < width; b++) dst[i * width + b] = component[width - 1 - b];
  }
}

void shuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  for (size_t i = 0; i < count; i++) {
    for (uint32_t b = 0; b < itemBytes; b++) dst[b * count + i] = src[i * itemBytes + b];
  }
}

void unshuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  for (size_t i = 0; i < count; i++) {
    for (uint32_t b = 0; b < itemBytes; b++) dst[i * itemBytes + b] = src[b * count + i];
  }
}

void bitshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  std::fill_n(dst, count * itemBytes, uint8_t{0});
  for (size_t i = 0; i < count; i++) {
    for (size_t bit = 0; bit < size_t{8} * itemBytes; bit++) {
      const uint32_t value = (src[i * itemBytes + bit / 8] >> (bit % 8)) & 1u;
      uint8_t& out = dst[bit * (count / 8) + i / 8];
      out = static_cast<uint8_t>(out | value << (i % 8));
    }
  }
}

void bitunshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  std::fill_n(dst, count * itemBytes, uint8_t{0});
  for (size_t i = 0; i < count; i++) {
    for (size_t bit = 0; bit < size_t{8} * itemBytes; bit++) {
      const uint32_t value = (src[bit * (count / 8) + i / 8] >> (i % 8)) & 1u;
      uint8_t& out = dst[i * itemBytes + bit / 8];
      out = static_cast<uint8_t>(out | value << (bit % 8));
    }
  }
}

void stridedCopy(std::span<const CopyAxis> axes, uint32_t itemBytes, uint32_t swapBytes,
                 const uint8_t* src, uint8_t* dst) {
  size_t index[kMaxRank] = {};
  for (const CopyAxis& axis : axes) {
    if (axis.length == 0) return;
  }
  for (;;) {
    size_t srcAt = 0, dstAt = 0;
    for (size_t a = 0; a < axes.size(); a++) {
      srcAt += index[a] * axes[a].srcStride;
      dstAt += index[a] * axes[a].dstStride;
    }
    for (uint32_t b = 0; b < itemBytes; b++) {
      const uint32_t component = b / swapBytes * swapBytes;
      dst[dstAt + b] = src[srcAt + component + (swapBytes - 1 - b % swapBytes)];
    }
    size_t a = axes.size();
    while (a > 0 && ++index[a - 1] == axes[a - 1].length) index[--a] = 0;
    if (a == 0) return;
  }
}

}  // namespace zw::scalar
