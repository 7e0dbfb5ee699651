// Rows: contiguous runs of bytes, copied with or without reversing the bytes of their components.
// The inner step of most copies. Inline, since rows can be as short as a pixel.
//
// Speed: four vectors are in flight per iteration, which hides the latency of loads (one at a time
// is half as fast). Reversing is one shuffle per vector, free for data outside the caches. A row of
// less than 16 bytes is copied as two overlapping pieces instead of a loop.
//
// Safety: vectors cover exactly the row. The last one ends at the end of the row and overlaps the
// one before. It is read before anything is written, so source and destination may be the same:
// bytes that are written twice get the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simd/u8x16.hpp"

namespace zw {

template <int W>
struct SwapMask {
  static constexpr int at(size_t i) { return static_cast<int>(i) ^ (W - 1); }
};

/// v with the bytes of each component of W bytes (1, 2, 4, 8 or 16) reversed.
template <int W>
ZW_INLINE simd::U8x16 swapBytes(simd::U8x16 v) {
  if constexpr (W == 1) return v;
  return simd::swizzle(v, simd::constant<SwapMask<W>>());
}

/// The swizzle of swapBytes for a width that is known at run time only.
ZW_INLINE simd::U8x16 swapMask(uint32_t width) {
  return simd::constant<SwapMask<1>>() ^ simd::fill(static_cast<uint8_t>(width - 1));
}

/// Operations on the vectors of a row: none; a byte swap by a constant swizzle (one instruction);
/// and one by a swizzle that is known at run time (three instructions).
struct Keep {
  explicit Keep(uint32_t) {}
  ZW_INLINE simd::U8x16 operator()(simd::U8x16 v) const { return v; }
};
template <int W>
struct SwapBy {
  explicit SwapBy(uint32_t) {}
  ZW_INLINE simd::U8x16 operator()(simd::U8x16 v) const { return swapBytes<W>(v); }
};
struct Swap {
  explicit Swap(uint32_t swapBytes) : mask(swapMask(swapBytes)) {}
  ZW_INLINE simd::U8x16 operator()(simd::U8x16 v) const { return simd::swizzle(v, mask); }
  simd::U8x16 mask;
};

/// Copies a row of N to 2 N bytes as two pieces of N bytes.
template <int N, class Change>
ZW_INLINE void copyRowEnds(uint8_t* dst, const uint8_t* src, size_t bytes, const Change& change) {
  const simd::U8x16 head = change(simd::loadLow<N>(src));
  const simd::U8x16 tail = change(simd::loadLow<N>(src + bytes - N));
  simd::storeLow<N>(dst, head);
  simd::storeLow<N>(dst + bytes - N, tail);
}

/// Copies a row of less than 16 bytes. Pieces are never shorter than the components that `change`
/// reverses, since a row consists of whole components.
template <class Change>
ZW_INLINE void copyShortRow(uint8_t* dst, const uint8_t* src, size_t bytes, const Change& change) {
  if (bytes >= 8) {
    copyRowEnds<8>(dst, src, bytes, change);
  } else if (bytes >= 4) {
    copyRowEnds<4>(dst, src, bytes, change);
  } else if (bytes >= 2) {
    copyRowEnds<2>(dst, src, bytes, change);
  } else if (bytes == 1) {
    *dst = *src;
  }
}

/// Copies a row of 16 bytes or more.
template <class Change>
ZW_INLINE void copyLongRow(uint8_t* dst, const uint8_t* src, size_t bytes, const Change& change) {
  using simd::U8x16;
  const U8x16 last = change(simd::load(src + bytes - 16));
  size_t at = 0;
  for (; bytes - at >= 64; at += 64) {
    const U8x16 a = simd::load(src + at), b = simd::load(src + at + 16);
    const U8x16 c = simd::load(src + at + 32), d = simd::load(src + at + 48);
    simd::store(dst + at, change(a));
    simd::store(dst + at + 16, change(b));
    simd::store(dst + at + 32, change(c));
    simd::store(dst + at + 48, change(d));
  }
  ZW_NO_UNROLL for (; bytes - at >= 16; at += 16) {
    simd::store(dst + at, change(simd::load(src + at)));
  }
  simd::store(dst + bytes - 16, last);
}

/// Copies a row of any length. `dst` may equal `src`; no other overlap is allowed.
template <class Change>
ZW_INLINE void copyRow(uint8_t* dst, const uint8_t* src, size_t bytes, const Change& change) {
  if (bytes >= 16) {
    copyLongRow(dst, src, bytes, change);
  } else {
    copyShortRow(dst, src, bytes, change);
  }
}

/// Plain copies of this size and more use memcpy, which compiles to memory.copy. Smaller ones gain
/// nothing and are sometimes much slower: engines implement it with a string instruction, which on
/// Zen 3 reaches 3 GB/s instead of 37 if source and destination have the same offset in their pages.
inline constexpr size_t kMinMemcpy = size_t{1} << 20;

/// Copies any number of bytes between buffers that do not overlap.
void copyBytes(uint8_t* dst, const uint8_t* src, size_t bytes);

}  // namespace zw
