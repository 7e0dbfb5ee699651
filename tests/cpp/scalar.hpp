// Scalar references for the kernels: definitions written as plain loops. They are the oracles of
// the tests, so they share no code with the kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/limits.hpp"
#include "kernels/strided_copy.hpp"

namespace zw::scalar {

inline void swapCopy(uint8_t* dst, const uint8_t* src, size_t count, uint32_t width) {
  for (size_t i = 0; i < count; i++) {
    uint8_t component[16];  // first read, then written: dst may be src
    for (uint32_t b = 0; b < width; b++) component[b] = src[i * width + b];
    for (uint32_t b = 0; b < width; b++) dst[i * width + b] = component[width - 1 - b];
  }
}

inline void shuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  for (size_t i = 0; i < count; i++) {
    for (uint32_t b = 0; b < itemBytes; b++) dst[b * count + i] = src[i * itemBytes + b];
  }
}

inline void unshuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  for (size_t i = 0; i < count; i++) {
    for (uint32_t b = 0; b < itemBytes; b++) dst[i * itemBytes + b] = src[b * count + i];
  }
}

inline void bitshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  std::fill_n(dst, count * itemBytes, uint8_t{0});
  for (size_t i = 0; i < count; i++) {
    for (size_t bit = 0; bit < size_t{8} * itemBytes; bit++) {
      const uint32_t value = (src[i * itemBytes + bit / 8] >> (bit % 8)) & 1u;
      uint8_t& out = dst[bit * (count / 8) + i / 8];
      out = static_cast<uint8_t>(out | value << (i % 8));
    }
  }
}

inline void bitunshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  std::fill_n(dst, count * itemBytes, uint8_t{0});
  for (size_t i = 0; i < count; i++) {
    for (size_t bit = 0; bit < size_t{8} * itemBytes; bit++) {
      const uint32_t value = (src[bit * (count / 8) + i / 8] >> (i % 8)) & 1u;
      uint8_t& out = dst[i * itemBytes + bit / 8];
      out = static_cast<uint8_t>(out | value << (bit % 8));
    }
  }
}

/// Reference for prepareStridedCopy and runStridedCopy: element by element, byte by byte, in index
/// order.
inline void stridedCopy(std::span<const CopyAxis> axes, uint32_t itemBytes, uint32_t swapBytes,
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

/// A reflected 32-bit CRC, inverted in and out, bit by bit; `reflected` is its polynomial.
inline uint32_t crcByBits(uint32_t reflected, uint32_t crc, const uint8_t* data, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? reflected : 0);
  }
  return ~crc;
}

inline uint32_t crc32(uint32_t crc, const uint8_t* data, size_t size) {
  return crcByBits(0xEDB88320, crc, data, size);
}

inline uint32_t crc32c(uint32_t crc, const uint8_t* data, size_t size) {
  return crcByBits(0x82F63B78, crc, data, size);
}

inline uint32_t adler32(uint32_t adler, const uint8_t* data, size_t size) {
  uint32_t s1 = adler & 0xffff, s2 = adler >> 16;
  for (size_t i = 0; i < size; i++) {
    s1 = (s1 + data[i]) % 65521;
    s2 = (s2 + s1) % 65521;
  }
  return s2 << 16 | s1;
}

inline uint32_t fletcher32(const uint8_t* data, size_t size) {
  uint32_t first = 0, second = 0;
  const auto fold = [](uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  for (size_t i = 0; i < size; i += 2) {
    first = fold(first + (uint32_t{data[i]} << 8 | (i + 1 < size ? data[i + 1] : 0)));
    second = fold(second + first);
  }
  return second << 16 | first;
}

/// Adds integers byte by byte, lowest first, with carry.
inline void prefixSum(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  uint8_t sum[8] = {};
  for (size_t i = 0; i < count; i++) {
    uint32_t carry = 0;
    for (uint32_t b = 0; b < itemBytes; b++) {
      carry += uint32_t{sum[b]} + src[i * itemBytes + b];
      sum[b] = dst[i * itemBytes + b] = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
  }
}

/// Running sums of elements that are `step` apart, or their differences if `minus`.
inline void steps(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes, size_t step,
                  bool minus) {
  for (size_t i = 0; i < count; i++) {
    uint64_t value = 0, before = 0;
    std::memcpy(&value, src + i * itemBytes, itemBytes);
    if (i >= step) std::memcpy(&before, (minus ? src : dst) + (i - step) * itemBytes, itemBytes);
    value = minus ? value - before : value + before;
    std::memcpy(dst + i * itemBytes, &value, itemBytes);
  }
}

/// The bits of a binary16 as float32; NaNs become quiet.
inline uint32_t halfToFloat(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16, mantissa = half & 0x3ff;
  const int exponent = half >> 10 & 31;
  if (exponent == 31) return sign | 0x7f800000 | mantissa << 13 | (mantissa ? 0x400000 : 0);
  const float size = exponent ? std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25)
                              : std::ldexp(static_cast<float>(mantissa), -24);
  uint32_t bits;
  std::memcpy(&bits, &size, 4);
  return sign | bits;
}

/// A number, not NaN, rounded to the nearest binary16, ties to even.
inline uint16_t numberToHalf(double value) {
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  // Halves from 2^e on are 2^(e - 10) apart; those below 2^-14 are 2^-24 apart.
  const int exponent = size >= 0x1p-14 ? std::min(std::ilogb(size), 16) : -14;
  const double steps = std::nearbyint(std::ldexp(size, 10 - exponent));
  const double code = std::min(steps + 1024.0 * (exponent + 14), double{0x7c00});
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(code));
}

/// The bits of a float32 rounded to the nearest binary16, ties to even; NaNs become quiet.
inline uint16_t floatToHalf(uint32_t bits) {
  const uint32_t sign = bits >> 16 & 0x8000, mantissa = bits & 0x7fffff;
  float value;
  std::memcpy(&value, &bits, 4);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00 | mantissa >> 13);
  return numberToHalf(value);
}

}  // namespace zw::scalar
