// Both directions compute all cases (normal, subnormal, not finite) and select. Subnormal halves go
// through a float addition, in which all operands that matter are normal: processors take a slow
// path for products of subnormal floats.
#include "kernels/halves.hpp"

#include <cstring>

#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::F32x4;
using simd::I32x4;
using simd::U8x16;

constexpr size_t kVector = 8;  // halves

/// Difference of the exponent biases, at the position of a float's exponent.
constexpr int32_t kBias = (127 - 15) << 23;
constexpr int32_t kMantissaShift = 23 - 10;
/// Floats without sign: the smallest normal half, the first that rounds to infinity, and infinity.
constexpr int32_t kMinNormal = (127 - 14) << 23;
constexpr int32_t kOverflow = 0x477ff000;  // 65520
constexpr int32_t kInfinity = 0x7f800000;

ZW_INLINE I32x4 select(I32x4 mask, I32x4 yes, I32x4 no) {
  return (yes & mask) | (no & ~mask);
}

/// Converts halves in the low bits of 32-bit lanes.
ZW_INLINE I32x4 toFloats(I32x4 half) {
  constexpr int32_t kFirstNormal = 0x0400 << kMantissaShift,
                    kFirstSpecial = 0x7c00 << kMantissaShift;
  const I32x4 size = (half & 0x7fff) << kMantissaShift;
  const I32x4 normal = size + kBias;
  // With the exponent of normal numbers, a subnormal has an implicit 1 too much.
  const F32x4 tooLarge = (F32x4)(normal + (1 << 23));
  const I32x4 subnormal = (I32x4)(tooLarge - 0x1p-14f);
  const I32x4 special = (size >= kFirstSpecial) & kBias;
  const I32x4 quiet = (size > kFirstSpecial) & 0x00400000;
  const I32x4 sign = (half >> 15) << 31;
  return select(size < kFirstNormal, subnormal, (normal + special) | quiet) | sign;
}

/// Rounds floats to halves in the low bits of the lanes; sets lanes of `overflow` where finite
/// numbers become infinite.
ZW_INLINE I32x4 toHalves(I32x4 bits, I32x4& overflow) {
  const I32x4 size = bits & 0x7fffffff;
  const I32x4 odd = (size >> kMantissaShift) & 1;
  const I32x4 normal = (size - kBias + 0xfff + odd) >> kMantissaShift;
  // Floats near 0.5 are 2^-24 apart, so the addition rounds to multiples of 2^-24.
  const I32x4 subnormal = (I32x4)((F32x4)size + 0.5f) - 0x3f000000;
  const I32x4 finite = select(size < kMinNormal, subnormal, normal);
  const I32x4 nan = ((size >> kMantissaShift) & 0x3ff) | 0x7e00;
  const I32x4 tooLarge = size >= kOverflow;
  overflow |= tooLarge & (size < kInfinity);
  const I32x4 special = select(size > kInfinity, nan, I32x4{} + 0x7c00);
  return select(tooLarge, special, finite) | ((bits >> 16) & 0x8000);
}

ZW_INLINE void widenVector(const uint8_t* in, uint8_t* out) {
  const U8x16 halves = simd::load(in);
  simd::store(out, (U8x16)toFloats((I32x4)simd::zipLow<2>(halves, U8x16{})));
  simd::store(out + 16, (U8x16)toFloats((I32x4)simd::zipHigh<2>(halves, U8x16{})));
}

ZW_INLINE void narrowVector(const uint8_t* in, uint8_t* out, I32x4& overflow) {
  const I32x4 low = toHalves((I32x4)simd::load(in), overflow);
  const I32x4 high = toHalves((I32x4)simd::load(in + 16), overflow);
  simd::store(out, simd::narrow32(low, high));
}

}  // namespace

void halvesToFloats(const uint8_t* in, size_t count, uint8_t* out) {
  size_t i = 0;
  for (; i + kVector <= count; i += kVector) widenVector(in + 2 * i, out + 4 * i);
  const size_t rest = count - i;
  if (rest == 0) return;
  uint8_t halves[2 * kVector] = {}, floats[4 * kVector];
  std::memcpy(halves, in + 2 * i, 2 * rest);
  widenVector(halves, floats);
  std::memcpy(out + 4 * i, floats, 4 * rest);
}

bool floatsToHalves(const uint8_t* in, size_t count, uint8_t* out) {
  I32x4 overflow = {};
  size_t i = 0;
  for (; i + kVector <= count; i += kVector) narrowVector(in + 4 * i, out + 2 * i, overflow);
  const size_t rest = count - i;
  if (rest > 0) {
    uint8_t floats[4 * kVector] = {}, halves[2 * kVector];
    std::memcpy(floats, in + 4 * i, 4 * rest);
    narrowVector(floats, halves, overflow);
    std::memcpy(out + 2 * i, halves, 2 * rest);
  }
  return (overflow[0] | overflow[1] | overflow[2] | overflow[3]) == 0;
}

}  // namespace zw
