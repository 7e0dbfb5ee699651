// A scalar running sum takes a load, an addition and a store per element, however narrow, and each
// sum waits for the previous one. Instead, sixteen bytes are summed at a time:
//
//   v += v shifted up by 1, 2, 4 … elements     sums within the vector, log2(16 / width) steps
//   v += last sum of the previous vector        in every lane
//
// Only the last addition and the broadcast of the highest lane depend on the previous vector.
#include "kernels/prefix_sum.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::U8x16;

template <int Width>
struct Lanes;
template <>
struct Lanes<1> {
  using Vector = simd::U8x16;
  using Item = uint8_t;
};
template <>
struct Lanes<2> {
  using Vector = simd::U16x8;
  using Item = uint16_t;
};
template <>
struct Lanes<4> {
  using Vector = simd::U32x4;
  using Item = uint32_t;
};
template <>
struct Lanes<8> {
  using Vector = simd::U64x2;
  using Item = uint64_t;
};

template <int Width>
ZW_INLINE U8x16 add(U8x16 a, U8x16 b) {
  using Vector = typename Lanes<Width>::Vector;
  return (U8x16)((Vector)a + (Vector)b);
}

/// A shift up by Bytes: the last bytes of a vector of zeros, then the first of another vector.
template <int Bytes>
struct ShiftPattern {
  static constexpr int at(size_t i) { return 16 - Bytes + static_cast<int>(i); }
};

template <int Width>
struct LastLane {
  static constexpr int at(size_t i) { return 16 - Width + static_cast<int>(i) % Width; }
};

template <int Width>
ZW_INLINE U8x16 sumsWithin(U8x16 v) {
  const U8x16 zeros = {};
  v = add<Width>(v, simd::shuffle<ShiftPattern<Width>>(zeros, v));
  if constexpr (Width <= 4) v = add<Width>(v, simd::shuffle<ShiftPattern<2 * Width>>(zeros, v));
  if constexpr (Width <= 2) v = add<Width>(v, simd::shuffle<ShiftPattern<4 * Width>>(zeros, v));
  if constexpr (Width <= 1) v = add<Width>(v, simd::shuffle<ShiftPattern<8 * Width>>(zeros, v));
  return v;
}

template <int Width>
void sumScalar(uint8_t* dst, const uint8_t* src, size_t count, typename Lanes<Width>::Item sum) {
  using Item = typename Lanes<Width>::Item;
  ZW_NO_UNROLL
  for (size_t i = 0; i < count; i++) {
    sum = static_cast<Item>(sum + load<Item>(src + i * Width));
    store(dst + i * Width, sum);
  }
}

template <int Width>
void sum(uint8_t* dst, const uint8_t* src, size_t count) {
  using Item = typename Lanes<Width>::Item;
  constexpr size_t kItems = 16 / Width;
  const U8x16 lastLane = simd::constant<LastLane<Width>>();
  U8x16 before = {};
  ZW_NO_UNROLL
  for (; count >= kItems; count -= kItems, src += 16, dst += 16) {
    const U8x16 sums = add<Width>(sumsWithin<Width>(simd::load(src)), before);
    simd::store(dst, sums);
    before = simd::swizzle(sums, lastLane);
  }
  Item last;
  std::memcpy(&last, &before, Width);
  sumScalar<Width>(dst, src, count, last);
}

/// Sums a few interleaved sequences, keeping each sum in a register.
template <int Width, size_t Step>
void sumFew(uint8_t* dst, const uint8_t* src, size_t count) {
  using Item = typename Lanes<Width>::Item;
  Item sums[Step] = {};
  size_t i = 0;
  ZW_NO_UNROLL
  for (; i + Step <= count; i += Step) {
    ZW_UNROLL
    for (size_t k = 0; k < Step; k++) {
      sums[k] = static_cast<Item>(sums[k] + load<Item>(src + (i + k) * Width));
      store(dst + (i + k) * Width, sums[k]);
    }
  }
  for (size_t k = 0; i < count; i++, k++) {
    store(dst + i * Width, static_cast<Item>(sums[k] + load<Item>(src + i * Width)));
  }
}

/// Sums with any step, in whole vectors if the lanes of a vector are independent.
template <int Width>
void sumSteps(uint8_t* dst, const uint8_t* src, size_t count, size_t step) {
  using Item = typename Lanes<Width>::Item;
  const size_t first = std::min(step, count) * Width, bytes = count * Width, back = step * Width;
  std::memcpy(dst, src, first);
  size_t i = first;
  if (back >= 16) {
    ZW_NO_UNROLL
    for (; bytes - i >= 16; i += 16) {
      simd::store(dst + i, add<Width>(simd::load(src + i), simd::load(dst + i - back)));
    }
  }
  ZW_NO_UNROLL
  for (; i < bytes; i += Width) {
    store(dst + i, static_cast<Item>(load<Item>(src + i) + load<Item>(dst + i - back)));
  }
}

template <int Width>
void sumAny(uint8_t* dst, const uint8_t* src, size_t count, size_t step) {
  if (step == 1) return sum<Width>(dst, src, count);
  if (step == 2) return sumFew<Width, 2>(dst, src, count);
  if (step == 3) return sumFew<Width, 3>(dst, src, count);
  if (step == 4) return sumFew<Width, 4>(dst, src, count);
  sumSteps<Width>(dst, src, count, step);
}

template <int Width>
void subtract(uint8_t* __restrict dst, const uint8_t* __restrict src, size_t count, size_t step) {
  using Vector = typename Lanes<Width>::Vector;
  using Item = typename Lanes<Width>::Item;
  const size_t first = std::min(step, count) * Width, bytes = count * Width, back = step * Width;
  std::memcpy(dst, src, first);
  size_t i = first;
  ZW_NO_UNROLL
  for (; bytes - i >= 16; i += 16) {
    simd::store(dst + i, (U8x16)((Vector)simd::load(src + i) - (Vector)simd::load(src + i - back)));
  }
  ZW_NO_UNROLL
  for (; i < bytes; i += Width) {
    store(dst + i, static_cast<Item>(load<Item>(src + i) - load<Item>(src + i - back)));
  }
}

}  // namespace

void prefixSum(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  if (itemBytes == 1) return sum<1>(dst, src, count);
  if (itemBytes == 2) return sum<2>(dst, src, count);
  if (itemBytes == 4) return sum<4>(dst, src, count);
  sum<8>(dst, src, count);
}

void prefixSumSteps(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes,
                    size_t step) {
  if (count == 0) return;
  if (itemBytes == 1) return sumAny<1>(dst, src, count, step);
  if (itemBytes == 2) return sumAny<2>(dst, src, count, step);
  if (itemBytes == 4) return sumAny<4>(dst, src, count, step);
  sumAny<8>(dst, src, count, step);
}

void differences(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes, size_t step) {
  if (count == 0) return;
  if (itemBytes == 1) return subtract<1>(dst, src, count, step);
  if (itemBytes == 2) return subtract<2>(dst, src, count, step);
  if (itemBytes == 4) return subtract<4>(dst, src, count, step);
  subtract<8>(dst, src, count, step);
}

}  // namespace zw
