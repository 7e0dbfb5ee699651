// Steps that the byte and bit shuffles share: joining byte planes to elements and splitting them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/u8x16.hpp"

namespace zw {

ZW_INLINE void copyVectors(uint8_t* dst, const uint8_t* src, int vectors) {
  for (int q = 0; q < vectors; q++) simd::store(dst + 16 * q, simd::load(src + 16 * q));
}

/// Joins N planes of records of W bytes each, 16 / W records to a vector, into records of N * W.
template <int N, int W>
ZW_INLINE void join(simd::U8x16 (&v)[N]) {
  simd::U8x16 joined[N];
  ZW_UNROLL for (int h = 0; h < N / 2; h++) {
    joined[2 * h] = simd::zipLow<W>(v[2 * h], v[2 * h + 1]);
    joined[2 * h + 1] = simd::zipHigh<W>(v[2 * h], v[2 * h + 1]);
  }
  if constexpr (N == 2) {
    v[0] = joined[0];
    v[1] = joined[1];
  } else {
    constexpr int kHalf = N / 2;
    simd::U8x16 low[kHalf], high[kHalf];
    ZW_UNROLL for (int h = 0; h < kHalf; h++) {
      low[h] = joined[2 * h];
      high[h] = joined[2 * h + 1];
    }
    join<kHalf, 2 * W>(low);
    join<kHalf, 2 * W>(high);
    ZW_UNROLL for (int h = 0; h < kHalf; h++) {
      v[h] = low[h];
      v[kHalf + h] = high[h];
    }
  }
}

/// Bytes i … i+63 of sixteen planes, joined to 64 records of 16 bytes at dst, dst + distance, …
void join16Planes(uint8_t* dst, size_t distance, const uint8_t* const* planes, size_t i);

/// The first `planes` (<= 16) bytes of 64 records at src, src + distance, … split into planes of 64
/// bytes at dst, dst + count, … All 16 bytes of each record are read.
void split16Planes(uint8_t* dst, size_t count, uint32_t planes, const uint8_t* src,
                   size_t distance);

}  // namespace zw
