// A few planes joined to packed records and back, for records of up to 16 bytes: the inner step of
// byte shuffles of narrow items (planes of single bytes) and of channels (planes of items).
//
// A record of T items of E bytes is treated as one of a power of two of items whose last ones are
// made up; a swizzle packs records where they are not as long as that, and each store is a whole
// vector whose surplus the next store overwrites. The same backwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/row.hpp"
#include "kernels/zips.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::U8x16;

/// Where planes are: at a fixed distance, or in a list.
struct Planes {
  const uint8_t* base;
  size_t distance;
  const uint8_t* const* list;

  const uint8_t* operator[](size_t b) const { return list ? list[b] : base + b * distance; }
};

/// How packed records of `items` items of `itemBytes` bytes relate to a vector of records that are
/// padded to `paddedBytes`, a power of two.
struct PackedRecord {
  PackedRecord(uint32_t items, uint32_t itemBytes, uint32_t paddedBytes);

  uint32_t itemBytes;
  uint32_t paddedBytes;
  size_t bytes;         // of one record
  size_t step;          // of the packed records in a vector
  size_t slackRecords;  // records there must be behind a vector that reaches past its own

  /// The swizzle from padded records to packed ones.
  U8x16 packMask() const;
  /// The swizzle from packed records to first items, second items, …; made-up ones are zero.
  U8x16 groupMask() const;
};

/// The constant groupMask of records of just P items.
template <int P, int E>
struct GroupMask {
  static constexpr int at(size_t i) {
    constexpr int kRecords = 16 / (P * E);
    const int lane = static_cast<int>(i) / E;
    return (lane % kRecords * P + lane / kRecords) * E + static_cast<int>(i) % E;
  }
};

/// Joins `count` items (16 / E at least) of each of `items` planes to packed records. P is `items`,
/// or if that is odd (Odd), the next power of two.
template <int P, int E, bool Odd, class Change>
void joinRecords(uint8_t* dst, const Planes& from, uint32_t items, size_t count,
                 const Change& change) {
  constexpr size_t kBlock = 16 / E;
  const PackedRecord record(Odd ? items : P, E, P * E);
  const U8x16 pack = Odd ? record.packMask() : U8x16{};
  const uint8_t* planes[P];
  ZW_UNROLL for (uint32_t b = 0; b < P; b++) planes[b] = from[Odd ? std::min(b, items - 1) : b];
  const auto block = [&](uint8_t* to, size_t i) {
    U8x16 v[P];
    ZW_UNROLL for (int b = 0; b < P; b++) v[b] = change(simd::load(planes[b] + i * E));
    join<P, E>(v);
    ZW_UNROLL for (size_t q = 0; q < P; q++) {
      simd::store(to + q * record.step, Odd ? simd::swizzle(v[q], pack) : v[q]);
    }
  };
  size_t i = 0;
  if constexpr (P == 2 && E == 1) {  // too little work per block to pay for a loop step
    for (; count - i >= 64; i += 64) {
      ZW_UNROLL for (size_t q = 0; q < 64; q += 16) block(dst + (i + q) * 2, i + q);
    }
  }
  uint8_t last[16 * P + 16];
  for (; i < count; i += kBlock) {
    const bool reachesPastEnd = count - i < kBlock + record.slackRecords;
    const size_t start = std::min(i, count - kBlock);
    uint8_t* const to = dst + start * record.bytes;
    block(reachesPastEnd ? last : to, start);
    if (reachesPastEnd) copyVectors(to, last, static_cast<int>(items));
  }
}

/// Splits `count` (64 / E at least) packed records of `items` items into planes at dst, dst +
/// distance, … in blocks that write whole lines. Made-up planes go where the last one goes, before
/// what belongs there: were they dropped, the compiler would drop their lanes from the zips, and
/// what remains is no single instruction any more.
template <int P, int E, bool Odd, class Change>
void splitRecords(uint8_t* dst, size_t distance, const uint8_t* src, uint32_t items, size_t count,
                  const Change& change) {
  constexpr size_t kBlock = 64 / E;
  const PackedRecord record(Odd ? items : P, E, P * E);
  const U8x16 group = Odd ? record.groupMask() : simd::constant<GroupMask<P, E>>();
  uint8_t* planes[P];
  ZW_UNROLL for (uint32_t b = 0; b < P; b++) {
    planes[b] = dst + (Odd ? std::min(b, items - 1) : b) * distance;
  }
  const auto block = [&](size_t i, const uint8_t* in) {
    alignas(64) uint8_t lines[P][64];
    ZW_NO_UNROLL for (int at = 0; at < 64; at += 16) {
      U8x16 v[P];
      ZW_UNROLL for (int q = 0; q < P; q++, in += record.step) {
        v[q] = simd::swizzle(simd::load(in), group);
      }
      join<P, 16 / P>(v);
      ZW_UNROLL for (int r = 0; r < P; r++) {
        const int b = P - 1 - r;
        simd::store(P <= 4 ? planes[b] + i * E + at : lines[b] + at, change(v[b]));
      }
    }
    if constexpr (P > 4) {
      for (int b = P - 1; b >= 0; b--) copyVectors(planes[b] + i * E, lines[b], 4);
    }
  };
  uint8_t last[64 * P + 16];
  for (size_t i = 0; i < count; i += kBlock) {
    const bool reachesPastEnd = count - i < kBlock + record.slackRecords;
    const size_t start = std::min(i, count - kBlock);
    const uint8_t* in = src + start * record.bytes;
    if (reachesPastEnd) copyVectors(last, in, static_cast<int>(4 * items));
    block(start, reachesPastEnd ? last : in);
  }
}

/// joinPlanes and splitPlanes: byte planes of items of any size, any number of them (0 too).
void joinPlanes(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes);
void splitPlanes(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
                 uint32_t itemBytes);

}  // namespace zw
