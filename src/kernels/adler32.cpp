#include "kernels/adler32.hpp"

#include <algorithm>

#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::U16x8;
using simd::U8x16;
using U32x4 [[gnu::vector_size(16)]] = uint32_t;

constexpr uint32_t kModulus = 65521;

/// Bytes summed in 16-bit lanes. Sixteen vectors give lane sums of at most 16 * 255 and sums of
/// these of at most 120 * 255, both below 2^16.
constexpr size_t kRunBytes = 256;
/// Bytes summed in 32-bit lanes and 64-bit totals between two reductions.
constexpr size_t kStretchBytes = 16 * kRunBytes;

ZW_INLINE uint32_t total(U32x4 v) {
  return v[0] + v[1] + v[2] + v[3];
}

/// Sums of neighbouring 16-bit lanes.
ZW_INLINE U32x4 pairSums(U16x8 v) {
  const U32x4 wide = (U32x4)v;
  return (wide & 0xffff) + (wide >> 16);
}

/// Adds `runs` runs to s1 and s2 (both below the modulus on entry; 64 bits hold the sums).
/// With b[v][j] for byte j of vector v of n: s1 gains the sum of all b, and s2 gains 16 n s1 plus
/// 16 * (sum over v of the bytes before vector v) plus (16 - j) * b[v][j]. So the loop only keeps
/// sums per lane and sums of these sums; lane weights are applied at the end.
void addRuns(const uint8_t* data, size_t runs, uint64_t& s1, uint64_t& s2) {
  const U8x16 zero = {};
  U32x4 before = {}, weighted = {}, sum = {};
  const U16x8 lowWeight = {16, 15, 14, 13, 12, 11, 10, 9}, highWeight = {8, 7, 6, 5, 4, 3, 2, 1};
  for (size_t run = 0; run < runs; run++) {
    U16x8 low = {}, high = {}, lowBefore = {}, highBefore = {};
    for (size_t v = 0; v < kRunBytes; v += 16) {
      const U8x16 bytes = simd::load(data + v);
      lowBefore += low;
      highBefore += high;
      low += (U16x8)simd::zipLow<1>(bytes, zero);
      high += (U16x8)simd::zipHigh<1>(bytes, zero);
    }
    data += kRunBytes;
    before += sum * (kRunBytes / 16) + pairSums(lowBefore) + pairSums(highBefore);
    sum += pairSums(low) + pairSums(high);
    weighted += pairSums(low * lowWeight) + pairSums(high * highWeight);  // 16 * 4080 < 2^16
  }
  s2 += runs * kRunBytes * s1 + uint64_t{16} * total(before) + total(weighted);
  s1 += total(sum);
}

}  // namespace

uint32_t adler32(uint32_t adler, const uint8_t* data, size_t size) {
  uint64_t s1 = adler & 0xffff, s2 = adler >> 16;
  while (size >= kRunBytes) {
    const size_t runs = std::min(size, kStretchBytes) / kRunBytes;
    addRuns(data, runs, s1, s2);
    s1 %= kModulus;
    s2 %= kModulus;
    data += runs * kRunBytes;
    size -= runs * kRunBytes;
  }
  for (; size > 0; data++, size--) s2 += s1 += *data;  // below 256 * 2^17: reduced at the end
  return static_cast<uint32_t>((s2 % kModulus) << 16 | s1 % kModulus);
}

}  // namespace zw
