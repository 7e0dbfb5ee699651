// Codes one block of zfp (Lindstrom 2014; docs/codecs/zfp.md):
//
//   1. Floats become integers with a common exponent. In reversible mode, a block that would lose
//      precision this way stores the bits of its floats as integers instead.
//   2. A lifting transform decorrelates the integers along each axis.
//   3. Coefficients are sorted by frequency and converted to base -2, in which small numbers of
//      either sign have leading zeros.
//   4. Bit planes are written from the highest down. Values that had a one in a higher plane take
//      one bit each. The remaining values are run-length coded: a flag for "another one follows",
//      then the zeros up to it and the one.
//
// Safety: the number of planes and of values per plane is bounded by the type and the block size,
// and indices come from counters that are compared with the block size. Integers wrap, so all
// arithmetic is unsigned.
#ifdef ZW_RARE_CODECS

#include "codecs/zfp_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace zw {
namespace {

/// The integer type and field widths of each element type.
template <class T>
struct Traits {
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;
  static constexpr uint32_t kBits = 8 * sizeof(T);
  static constexpr uint32_t kPlaneCountBits = kBits == 32 ? 5 : 6;
  static constexpr uint32_t kExponentBits = !kIsFloat ? 0 : kBits == 32 ? 8 : 11;
  static constexpr int32_t kBias = (1 << (kExponentBits ? kExponentBits - 1 : 0)) - 1;
  using Unsigned = std::conditional_t<kBits == 32, uint32_t, uint64_t>;
  using Signed = std::make_signed_t<Unsigned>;
};

/// Position of each coefficient in its block, lowest frequencies first.
constexpr uint8_t kOrder1[4] = {0, 1, 2, 3};
constexpr uint8_t kOrder2[16] = {0, 1, 4, 5, 2, 8, 6, 9, 3, 12, 10, 7, 13, 11, 14, 15};
constexpr uint8_t kOrder3[64] = {0,  1,  4,  16, 20, 17, 5,  2,  8,  32, 21, 6,  18, 24, 9,  33,
                                 36, 3,  12, 48, 22, 25, 37, 40, 34, 10, 7,  19, 28, 13, 49, 52,
                                 41, 38, 26, 23, 29, 53, 11, 35, 44, 14, 50, 56, 42, 27, 39, 45,
                                 30, 54, 57, 60, 51, 15, 43, 46, 58, 61, 55, 31, 62, 59, 47, 63};
constexpr uint8_t kOrder4[256] = {
    0,   1,   4,   16,  64,  5,   80,  17,  68,  65,  20,  2,   8,   32,  128, 84,  81,  69,  21,
    6,   18,  66,  24,  72,  9,   96,  33,  36,  129, 132, 144, 3,   12,  48,  192, 85,  82,  70,
    22,  73,  25,  88,  37,  100, 97,  148, 145, 133, 10,  160, 34,  136, 130, 40,  7,   19,  67,
    28,  76,  13,  112, 49,  52,  193, 196, 208, 86,  89,  101, 149, 161, 137, 41,  134, 38,  164,
    26,  152, 146, 104, 98,  74,  83,  71,  23,  77,  29,  92,  53,  116, 113, 212, 209, 197, 11,
    35,  131, 44,  140, 14,  176, 50,  56,  194, 200, 224, 90,  165, 102, 153, 150, 105, 168, 162,
    138, 42,  87,  93,  117, 213, 27,  75,  99,  39,  135, 147, 108, 45,  141, 156, 30,  78,  177,
    180, 54,  114, 120, 57,  198, 210, 216, 201, 225, 228, 15,  240, 51,  204, 195, 60,  169, 166,
    154, 106, 91,  103, 151, 109, 157, 94,  181, 118, 121, 214, 217, 229, 163, 139, 43,  142, 46,
    172, 58,  184, 178, 232, 226, 202, 241, 205, 61,  199, 55,  244, 31,  220, 211, 124, 115, 79,
    170, 167, 155, 107, 158, 110, 173, 122, 185, 182, 233, 230, 218, 95,  245, 119, 221, 215, 125,
    242, 206, 62,  203, 59,  248, 47,  236, 227, 188, 179, 143, 171, 174, 186, 234, 246, 222, 126,
    219, 123, 249, 111, 237, 231, 189, 183, 159, 252, 243, 207, 63,  175, 250, 187, 238, 235, 190,
    253, 247, 223, 127, 254, 251, 239, 191, 255};
constexpr const uint8_t* kOrders[] = {kOrder1, kOrder2, kOrder3, kOrder4};

constexpr uint32_t blockSize(uint32_t dims) {
  return 1u << (2 * dims);
}

// Lifting, in the order that the format requires: each step is an integer addition or a halving, so
// rounding is the same on all platforms.

template <class U>
U half(U x) {
  return static_cast<U>(static_cast<std::make_signed_t<U>>(x) >> 1);
}

template <class U>
struct Lossy {
  static void forward(U& x, U& y, U& z, U& w) {
    average(x, w);
    average(z, y);
    average(x, z);
    average(w, y);
    w += half(y);
    y -= half(w);
  }
  static void inverse(U& x, U& y, U& z, U& w) {
    y += half(w);
    w -= half(y);
    undo(w, y);
    undo(x, z);
    undo(z, y);
    undo(x, w);
  }

 private:
  /// a becomes the average, and b the difference from which undo() restores both.
  static void average(U& a, U& b) {
    a = half(static_cast<U>(a + b));
    b -= a;
  }
  static void undo(U& a, U& b) {
    b += a;
    a = static_cast<U>(a * 2 - b);
  }
};

template <class U>
struct Exact {
  static void forward(U& x, U& y, U& z, U& w) {
    w -= z;
    z -= y;
    y -= x;
    w -= z;
    z -= y;
    w -= z;
  }
  static void inverse(U& x, U& y, U& z, U& w) {
    w += z;
    z += y;
    w += z;
    y += x;
    z += y;
    w += z;
  }
};

/// Applies a lifting transform to all lines of a block along the axis with this stride.
template <class Lift, bool kForward, class U>
void liftAxis(U* block, uint32_t size, uint32_t stride) {
  for (uint32_t outer = 0; outer < size; outer += 4 * stride) {
    for (uint32_t at = outer; at < outer + stride; at++) {
      U* const p = block + at;
      if constexpr (kForward) {
        Lift::forward(p[0], p[stride], p[2 * stride], p[3 * stride]);
      } else {
        Lift::inverse(p[0], p[stride], p[2 * stride], p[3 * stride]);
      }
    }
  }
}

template <class Lift, class U>
void transform(U* block, uint32_t dims) {
  for (uint32_t axis = 0; axis < dims; axis++) {
    liftAxis<Lift, true>(block, blockSize(dims), 1u << (2 * axis));
  }
}

template <class Lift, class U>
void inverseTransform(U* block, uint32_t dims) {
  for (uint32_t axis = dims; axis-- > 0;) {
    liftAxis<Lift, false>(block, blockSize(dims), 1u << (2 * axis));
  }
}

/// Base -2: conversion adds and flips every other bit.
template <class U>
constexpr U kEveryOther = static_cast<U>(0xaaaaaaaaaaaaaaaa);

// Bit planes.

template <class U>
constexpr uint32_t lowestPlane(uint32_t precision) {
  constexpr uint32_t kBits = 8 * sizeof(U);
  return kBits > precision ? kBits - precision : 0;
}

/// Decodes bit planes into `values`, reading at most `budget` bits.
template <class U>
void decodePlanes(ZfpReader& in, uint32_t budget, uint32_t precision, U* values, uint32_t size) {
  std::memset(values, 0, size * sizeof(U));
  const uint32_t lowest = lowestPlane<U>(precision);
  uint32_t known = 0;  // number of leading values that have had a one
  for (uint32_t plane = 8 * sizeof(U); budget > 0 && plane-- > lowest;) {
    const U one = U{1} << plane;
    const uint32_t plain = std::min(known, budget);
    budget -= plain;
    for (uint32_t at = 0; at < plain; at += 32) {
      for (uint64_t ones = in.bits(std::min(plain - at, 32u)); ones; ones &= ones - 1) {
        values[at + static_cast<uint32_t>(std::countr_zero(ones))] |= one;
      }
    }
    while (budget > 0 && known < size) {
      budget--;
      if (!in.bit()) break;
      // The last value needs no bit. If the budget ends among the zeros, a one is assumed to
      // follow.
      bool found;
      const uint32_t zeros = in.zeros(std::min(size - 1 - known, budget), found);
      budget -= zeros + found;
      known += zeros;
      values[known++] |= one;
    }
  }
}

/// A bit plane, with one bit per value.
struct Plane {
  uint64_t words[kZfpMaxBlock / 64];

  template <class U>
  Plane(const U* values, uint32_t size, uint32_t plane) : words{} {
    for (uint32_t i = 0; i < size; i++)
      words[i / 64] |= uint64_t{values[i] >> plane & 1} << (i % 64);
  }
  /// `count` (at most 32) bits from `at` on, a multiple of 32.
  uint64_t bits(uint32_t at, uint32_t count) const {
    return words[at / 64] >> (at % 64) & ((uint64_t{1} << count) - 1);
  }
  /// Index of the first one from `at` (below `size`) on, or `size`.
  uint32_t next(uint32_t at, uint32_t size) const {
    uint64_t word = words[at / 64] >> (at % 64) << (at % 64);
    for (uint32_t i = at / 64;; word = words[i]) {
      if (word) return 64 * i + static_cast<uint32_t>(std::countr_zero(word));
      if (64 * ++i >= size) return size;
    }
  }
};

/// The inverse of decodePlanes.
template <class U>
void encodePlanes(ZfpWriter& out, uint32_t budget, uint32_t precision, const U* values,
                  uint32_t size) {
  const uint32_t lowest = lowestPlane<U>(precision);
  uint32_t known = 0;
  for (uint32_t k = 8 * sizeof(U); budget > 0 && k-- > lowest;) {
    const Plane plane(values, size, k);
    const uint32_t plain = std::min(known, budget);
    budget -= plain;
    for (uint32_t at = 0; at < plain; at += 32) {
      const uint32_t count = std::min(plain - at, 32u);
      out.bits(plane.bits(at, count), count);
    }
    while (budget > 0 && known < size) {
      const uint32_t next = plane.next(known, size);
      budget--;
      out.bits(next < size, 1);
      if (next == size) break;
      const uint32_t max = std::min(size - 1 - known, budget);
      const uint32_t zeros = std::min(next - known, max);
      const bool writesOne = next - known < max;
      out.zeros(zeros);
      if (writesOne) out.bits(1, 1);
      budget -= zeros + writesOne;
      known += zeros + 1;
    }
  }
}

// Blocks of integers.

/// Number of planes in the reversible mode: down to the lowest one bit of any value.
template <class U>
uint32_t exactPlanes(const U* values, uint32_t size) {
  U all = 0;
  for (uint32_t i = 0; i < size; i++) all |= values[i];
  constexpr uint32_t kBits = 8 * sizeof(U);
  return all ? kBits - static_cast<uint32_t>(std::countr_zero(all)) : 1;
}

template <class U>
void decodeInts(ZfpReader& in, const ZfpMode& mode, uint32_t budget, uint32_t precision,
                uint32_t dims, U* block) {
  constexpr uint32_t kCountBits = Traits<U>::kPlaneCountBits;
  const uint32_t size = blockSize(dims);
  U ordered[kZfpMaxBlock];
  if (mode.isReversible()) {
    precision = static_cast<uint32_t>(in.bits(kCountBits)) + 1;
    budget -= kCountBits;
  }
  decodePlanes(in, budget, precision, ordered, size);
  const uint8_t* const order = kOrders[dims - 1];
  for (uint32_t i = 0; i < size; i++) {
    block[order[i]] = static_cast<U>((ordered[i] ^ kEveryOther<U>)-kEveryOther<U>);
  }
  if (mode.isReversible()) {
    inverseTransform<Exact<U>>(block, dims);
  } else {
    inverseTransform<Lossy<U>>(block, dims);
  }
}

/// The inverse of decodeInts; overwrites `block`.
template <class U>
void encodeInts(ZfpWriter& out, const ZfpMode& mode, uint32_t budget, uint32_t precision,
                uint32_t dims, U* block) {
  constexpr uint32_t kCountBits = Traits<U>::kPlaneCountBits;
  const uint32_t size = blockSize(dims);
  if (mode.isReversible()) {
    transform<Exact<U>>(block, dims);
  } else {
    transform<Lossy<U>>(block, dims);
  }
  U ordered[kZfpMaxBlock];
  const uint8_t* const order = kOrders[dims - 1];
  for (uint32_t i = 0; i < size; i++) {
    ordered[i] = static_cast<U>((block[order[i]] + kEveryOther<U>)^kEveryOther<U>);
  }
  if (mode.isReversible()) {
    precision = std::min(exactPlanes(ordered, size), precision);
    out.bits(precision - 1, kCountBits);
    budget -= kCountBits;
  }
  encodePlanes(out, budget, precision, ordered, size);
}

// Blocks of floats.

/// Number of planes of a lossy block with this exponent: down to the tolerance, plus guard bits for
/// the transform.
uint32_t lossyPlanes(const ZfpMode& mode, int32_t exponent, uint32_t dims) {
  const int64_t planes = int64_t{exponent} - mode.minExponent + 2 * dims + 2;
  return static_cast<uint32_t>(std::clamp<int64_t>(planes, 0, mode.maxPrecision));
}

/// Converts integers with a common exponent to floats. As in zfp, the factor is rounded to the type
/// first: it may be subnormal or 0.
template <class F>
void toFloats(const typename Traits<F>::Unsigned* ints, int32_t exponent, uint32_t size, F* block) {
  using Signed = typename Traits<F>::Signed;
  const F factor = std::ldexp(F{1}, exponent - static_cast<int32_t>(Traits<F>::kBits - 2));
  for (uint32_t i = 0; i < size; i++)
    block[i] = factor * static_cast<F>(static_cast<Signed>(ints[i]));
}

/// Exponent e of the largest finite magnitude m of a block: 2^(e-1) <= m < 2^e, but at least 1 -
/// bias; -bias for a block of zeros.
template <class F>
int32_t blockExponent(const F* block, uint32_t size) {
  F largest = 0;
  for (uint32_t i = 0; i < size; i++) {
    const F magnitude = std::fabs(block[i]);
    if (magnitude > largest && magnitude <= std::numeric_limits<F>::max()) largest = magnitude;
  }
  if (largest == 0) return -Traits<F>::kBias;
  int exponent;
  std::frexp(largest, &exponent);
  return std::max(exponent, 1 - Traits<F>::kBias);
}

/// Converts floats to integers with a common exponent. Scales in two steps, since the whole factor
/// may be too large for the type. Infinities become the limits of the range, NaN becomes 0.
template <class F>
void toInts(const F* block, int32_t exponent, uint32_t size, typename Traits<F>::Unsigned* ints) {
  using Signed = typename Traits<F>::Signed;
  const int32_t shift = static_cast<int32_t>(Traits<F>::kBits - 2) - exponent;
  const F first = std::ldexp(F{1}, shift / 2), second = std::ldexp(F{1}, shift - shift / 2);
  const F limit = std::ldexp(F{1}, static_cast<int>(Traits<F>::kBits - 2));
  for (uint32_t i = 0; i < size; i++) {
    const F scaled = block[i] * first * second;
    const F bounded = scaled >= limit ? limit : scaled <= -limit ? -limit : scaled;
    ints[i] = static_cast<typename Traits<F>::Unsigned>(
        std::isnan(bounded) ? Signed{0} : static_cast<Signed>(bounded));
  }
}

/// Converts between sign-magnitude and two's complement.
template <class U>
U flipNegative(U bits) {
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  return bits & kSign ? bits ^ (kSign - 1) : bits;
}

/// True if the integers convert back to exactly the same floats. Exponents whose factor overflows
/// count as lossy, since zfp's encoder cannot use them.
template <class F>
bool givesBack(const typename Traits<F>::Unsigned* ints, int32_t exponent, uint32_t size,
               const F* block) {
  if (static_cast<int32_t>(Traits<F>::kBits - 2) - exponent > Traits<F>::kBias) return false;
  F again[kZfpMaxBlock];
  toFloats(ints, exponent, size, again);
  return std::memcmp(again, block, size * sizeof(F)) == 0;
}

template <class F>
void decodeFloats(ZfpReader& in, const ZfpMode& mode, uint32_t dims, F* block) {
  using T = Traits<F>;
  const uint32_t size = blockSize(dims);
  typename T::Unsigned ints[kZfpMaxBlock];
  if (!in.bit()) {
    std::fill_n(block, size, F{0});
    return;
  }
  const bool areBits = mode.isReversible() && in.bit();
  const int32_t exponent = areBits ? 0 : static_cast<int32_t>(in.bits(T::kExponentBits)) - T::kBias;
  const uint32_t used = 1 + mode.isReversible() + (areBits ? 0 : T::kExponentBits);
  const uint32_t precision =
      mode.isReversible() ? mode.maxPrecision : lossyPlanes(mode, exponent, dims);
  decodeInts(in, mode, mode.maxBits - used, precision, dims, ints);
  if (areBits) {
    for (uint32_t i = 0; i < size; i++) ints[i] = flipNegative(ints[i]);
    std::memcpy(block, ints, size * sizeof(F));
  } else if (mode.isReversible() && exponent == -T::kBias) {
    std::fill_n(block, size, F{0});
  } else {
    toFloats(ints, exponent, size, block);
  }
}

template <class F>
void encodeLossyFloats(ZfpWriter& out, const ZfpMode& mode, uint32_t dims, const F* block) {
  using T = Traits<F>;
  const uint32_t size = blockSize(dims);
  const int32_t exponent = blockExponent(block, size);
  const uint32_t precision = lossyPlanes(mode, exponent, dims);
  if (precision == 0 || exponent == -T::kBias) {
    out.bits(0, 1);
    return;
  }
  out.bits(1, 1);
  out.bits(static_cast<uint32_t>(exponent + T::kBias), T::kExponentBits);
  typename T::Unsigned ints[kZfpMaxBlock];
  toInts(block, exponent, size, ints);
  encodeInts(out, mode, mode.maxBits - 1 - T::kExponentBits, precision, dims, ints);
}

template <class F>
void encodeExactFloats(ZfpWriter& out, const ZfpMode& mode, uint32_t dims, const F* block) {
  using T = Traits<F>;
  const uint32_t size = blockSize(dims);
  typename T::Unsigned ints[kZfpMaxBlock];
  const int32_t exponent = blockExponent(block, size);
  uint32_t used = 2;
  if (exponent == -T::kBias) {
    constexpr F kZeros[kZfpMaxBlock] = {};
    if (std::memcmp(block, kZeros, size * sizeof(F)) == 0) {  // neither negative zeros nor NaN
      out.bits(0, 1);
      return;
    }
  } else {
    toInts(block, exponent, size, ints);
  }
  if (exponent != -T::kBias && givesBack(ints, exponent, size, block)) {
    out.bits(1, 2);
    out.bits(static_cast<uint32_t>(exponent + T::kBias), T::kExponentBits);
    used += T::kExponentBits;
  } else {
    out.bits(3, 2);
    std::memcpy(ints, block, size * sizeof(F));
    for (uint32_t i = 0; i < size; i++) ints[i] = flipNegative(ints[i]);
  }
  encodeInts(out, mode, mode.maxBits - used, mode.maxPrecision, dims, ints);
}

}  // namespace

template <class T>
uint32_t zfpBlockHeaderBits(const ZfpMode& mode) {
  using R = Traits<T>;
  const uint32_t flags = !R::kIsFloat ? 0 : mode.isReversible() ? 2 : 1;
  return flags + R::kExponentBits + (mode.isReversible() ? R::kPlaneCountBits : 0);
}

template <class T>
uint64_t zfpMaxBlockBits(const ZfpMode& mode, uint32_t dims) {
  // In each plane a value takes at most one bit, as a known value or as part of a run. Group tests
  // are extra. Those that find a one number at most one per value, since each makes a value known.
  // Those that find none number at most one per plane, where the remaining values then take no bit.
  const uint64_t planes = std::min(mode.maxPrecision, Traits<T>::kBits);
  const uint64_t max = zfpBlockHeaderBits<T>(mode) + (planes + 1) * blockSize(dims);
  return std::max<uint64_t>(std::min<uint64_t>(max, mode.maxBits), mode.minBits);
}

template <class T>
void zfpDecodeBlock(ZfpReader& in, const ZfpMode& mode, uint32_t dims, T* block) {
  const uint64_t start = in.position();
  if constexpr (Traits<T>::kIsFloat) {
    decodeFloats(in, mode, dims, block);
  } else {
    using U = typename Traits<T>::Unsigned;
    decodeInts(in, mode, mode.maxBits, mode.maxPrecision, dims, reinterpret_cast<U*>(block));
  }
  const uint64_t end = start + mode.minBits;
  if (in.position() < end) in.seek(end);
}

template <class T>
void zfpEncodeBlock(ZfpWriter& out, const ZfpMode& mode, uint32_t dims, const T* block) {
  const uint64_t end = out.position() + mode.minBits;
  if constexpr (Traits<T>::kIsFloat) {
    if (mode.isReversible()) {
      encodeExactFloats(out, mode, dims, block);
    } else {
      encodeLossyFloats(out, mode, dims, block);
    }
  } else {
    typename Traits<T>::Unsigned ints[kZfpMaxBlock];
    std::memcpy(ints, block, blockSize(dims) * sizeof(T));
    encodeInts(out, mode, mode.maxBits, mode.maxPrecision, dims, ints);
  }
  if (out.position() < end) out.zeros(end - out.position());
}

#define ZW_ZFP_TYPE(T)                                                       \
  template uint32_t zfpBlockHeaderBits<T>(const ZfpMode&);                   \
  template uint64_t zfpMaxBlockBits<T>(const ZfpMode&, uint32_t);            \
  template void zfpDecodeBlock<T>(ZfpReader&, const ZfpMode&, uint32_t, T*); \
  template void zfpEncodeBlock<T>(ZfpWriter&, const ZfpMode&, uint32_t, const T*);
ZW_ZFP_TYPE(int32_t)
ZW_ZFP_TYPE(int64_t)
ZW_ZFP_TYPE(float)
ZW_ZFP_TYPE(double)
#undef ZW_ZFP_TYPE

}  // namespace zw

#endif  // ZW_RARE_CODECS
