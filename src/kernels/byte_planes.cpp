// Transposes sixteen planes at a time, in two passes over 64 records.
//
// A 16 × 16 byte transpose is four rounds of 16 zips. Done in registers it takes 16 vectors at
// once, which is all there are; engines then spill, at a third of the speed. So two rounds run over
// four planes (or four records) at a time into a 1 KiB block, and two from there. Each cache line
// of each plane is also used up at once, and few lines are in use at a time. Planes whose distance
// is a power of two share one set of the first-level cache, but do not evict one another.
#include "kernels/byte_planes.hpp"

#include "kernels/zips.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::load;
using simd::store;
using simd::U8x16;

void join16Planes(uint8_t* dst, size_t distance, const uint8_t* const* planes, size_t i) {
  alignas(64) uint8_t records[4][64 * 4];
  for (int g = 0; g < 4; g++) {
    for (int q = 0; q < 4; q++) {
      U8x16 v[4];
      ZW_UNROLL for (int b = 0; b < 4; b++) v[b] = load(planes[4 * g + b] + i + 16 * q);
      join<4, 1>(v);
      ZW_UNROLL for (int p = 0; p < 4; p++) store(records[g] + 64 * q + 16 * p, v[p]);
    }
  }
  for (int e = 0; e < 64; e += 4, dst += 4 * distance) {
    U8x16 v[4];
    ZW_UNROLL for (int g = 0; g < 4; g++) v[g] = load(records[g] + 4 * e);
    join<4, 4>(v);
    ZW_UNROLL for (int p = 0; p < 4; p++) store(dst + p * distance, v[p]);
  }
}

void split16Planes(uint8_t* dst, size_t count, uint32_t planes, const uint8_t* src,
                   size_t distance) {
  alignas(64) uint8_t records[4][64 * 4];
  for (int e = 0; e < 64; e += 4, src += 4 * distance) {
    U8x16 v[4];
    ZW_UNROLL for (int p = 0; p < 4; p++) v[p] = load(src + p * distance);
    join<4, 1>(v);
    ZW_UNROLL for (int g = 0; g < 4; g++) store(records[g] + 4 * e, v[g]);
  }
  for (uint32_t g = 0; 4 * g < planes; g++) {
    alignas(64) uint8_t lines[4][64];
    for (int q = 0; q < 64; q += 16) {
      U8x16 v[4];
      ZW_UNROLL for (int p = 0; p < 4; p++) v[p] = load(records[g] + 4 * q + 16 * p);
      join<4, 4>(v);
      ZW_UNROLL for (int b = 0; b < 4; b++) store(lines[b] + q, v[b]);
    }
    for (uint32_t b = 0; b < 4 && 4 * g + b < planes; b++, dst += count)
      copyVectors(dst, lines[b], 4);
  }
}

}  // namespace zw
