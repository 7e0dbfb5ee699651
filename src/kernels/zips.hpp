// Networks of zips, which join planes of records into longer records and transpose tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/u8x16.hpp"

namespace zw {

/// Copies 16 * vectors bytes.
ZW_INLINE void copyVectors(uint8_t* dst, const uint8_t* src, int vectors) {
  for (int q = 0; q < vectors; q++) simd::store(dst + 16 * q, simd::load(src + 16 * q));
}

/// Joins N planes of W-byte records, 16 / W records per vector, into records of N * W bytes.
template <int N, int W>
ZW_INLINE void join(simd::U8x16 (&v)[N]) {
  if constexpr (N > 1) {
    constexpr int kHalf = N / 2;
    simd::U8x16 low[kHalf], high[kHalf];
    ZW_UNROLL for (int h = 0; h < kHalf; h++) {
      low[h] = simd::zipLow<W>(v[2 * h], v[2 * h + 1]);
      high[h] = simd::zipHigh<W>(v[2 * h], v[2 * h + 1]);
    }
    join<kHalf, 2 * W>(low);
    join<kHalf, 2 * W>(high);
    ZW_UNROLL for (int h = 0; h < kHalf; h++) {
      v[h] = low[h];
      v[kHalf + h] = high[h];
    }
  }
}

}  // namespace zw
