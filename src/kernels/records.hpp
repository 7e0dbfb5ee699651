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

/// Where planes are: at a fixed distance, or in a list.
struct Planes {
  const uint8_t* base;
  size_t distance;
  const uint8_t* const* list;

  const uint8_t* operator[](size_t b) const { return list ? list[b] : base + b * distance; }
};

/// The next power of two of a length from 2 to 16: items that a record is padded to, or bytes.
constexpr int padded(int t) {
  return t <= 2 ? 2 : t <= 4 ? 4 : t <= 8 ? 8 : 16;
}

/// How far a vector of records of `bytes` bytes reaches past them when they lie packed.
constexpr int slackBytes(int bytes) {
  return 16 / padded(bytes) * (padded(bytes) - bytes);
}

/// Blocks that may reach past themselves need so many more records behind them.
constexpr size_t slackRecords(int bytes) {
  return static_cast<size_t>((slackBytes(bytes) + bytes - 1) / bytes);
}

/// Padded records of Bytes bytes to packed ones.
template <int Bytes>
struct PackMask {
  static constexpr int at(size_t i) {
    const int record = static_cast<int>(i) / Bytes, byte = static_cast<int>(i) % Bytes;
    return record < 16 / padded(Bytes) ? record * padded(Bytes) + byte : 0;
  }
};

/// Packed records of T items of E bytes to first items, second items, …
template <int T, int E>
struct GroupMask {
  static constexpr int at(size_t i) {
    constexpr int kRecords = 16 / padded(T * E);
    const int item = static_cast<int>(i) / E, plane = item / kRecords, record = item % kRecords;
    return plane < T ? (record * T + plane) * E + static_cast<int>(i) % E : 0;
  }
};

/// Items i … i + 16 / E - 1 of each of T planes to packed records; writes slackBytes(T * E) too
/// many.
template <int T, int E, class Change>
ZW_INLINE void joinBlock(uint8_t* dst, const uint8_t* const* planes, size_t i,
                         const Change& change) {
  constexpr int kPadded = padded(T), kBytes = T * E, kStep = 16 / padded(kBytes) * kBytes;
  simd::U8x16 v[kPadded];
  ZW_UNROLL for (int b = 0; b < kPadded; b++) {
    v[b] = change(simd::load(planes[b < T ? b : T - 1] + i * E));
  }
  join<kPadded, E>(v);
  ZW_UNROLL for (int q = 0; q < kPadded; q++) {
    if constexpr (slackBytes(kBytes) > 0) {
      v[q] = simd::swizzle(v[q], simd::constant<PackMask<kBytes>>());
    }
    simd::store(dst + q * kStep, v[q]);
  }
}

/// Joins `count` items (16 / E at least) of each of T planes to packed records.
template <int T, int E, class Change>
void joinRecords(uint8_t* dst, const Planes& from, size_t count, const Change& change) {
  constexpr int kBytes = T * E;
  constexpr size_t kBlock = 16 / E;
  const uint8_t* planes[T];
  ZW_UNROLL for (int b = 0; b < T; b++) planes[b] = from[static_cast<size_t>(b)];
  size_t i = 0;
  if constexpr (T == 2) {  // too little work per block to pay for a loop step
    for (; count - i >= 4 * kBlock; i += 4 * kBlock) {
      ZW_UNROLL for (size_t q = 0; q < 4; q++) {
        joinBlock<T, E>(dst + (i + q * kBlock) * kBytes, planes, i + q * kBlock, change);
      }
    }
  }
  for (; count - i >= kBlock + slackRecords(kBytes); i += kBlock) {
    joinBlock<T, E>(dst + i * kBytes, planes, i, change);
  }
  for (; i < count; i += kBlock) {
    const size_t start = std::min(i, count - kBlock);
    uint8_t last[16 * T + slackBytes(kBytes)];
    joinBlock<T, E>(last, planes, start, change);
    copyVectors(dst + start * kBytes, last, T);
  }
}

/// 64 / E packed records to whole lines of planes, from item i on; out[b] is plane b. The made-up
/// planes go to the last one, before what belongs there: were they dropped, the compiler would drop
/// their lanes from the zips, and what remains is no single instruction any more.
template <int T, int E, class Change>
ZW_INLINE void splitBlock(uint8_t* const (&out)[padded(T)], size_t i, const uint8_t* src,
                          const Change& change) {
  constexpr int kPadded = padded(T), kRecords = 16 / padded(T * E);
  alignas(64) uint8_t lines[kPadded][64];
  for (int at = 0; at < 64; at += 16, src += 16 * T) {
    simd::U8x16 v[kPadded];
    ZW_UNROLL for (int q = 0; q < kPadded; q++) {
      v[q] =
          simd::swizzle(simd::load(src + kRecords * T * E * q), simd::constant<GroupMask<T, E>>());
    }
    join<kPadded, kRecords * E>(v);
    ZW_UNROLL for (int r = 0; r < kPadded; r++) {
      const int b = kPadded - 1 - r;
      simd::store(T <= 4 ? out[b] + i * E + at : lines[b] + at, change(v[b]));
    }
  }
  if constexpr (T > 4) {
    for (int b = kPadded - 1; b >= 0; b--) copyVectors(out[b] + i * E, lines[b], 4);
  }
}

/// Splits `count` (64 / E at least) packed records of T items into planes at dst, dst + distance, …
template <int T, int E, class Change>
void splitRecords(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
                  const Change& change) {
  constexpr int kPadded = padded(T), kBytes = T * E;
  constexpr size_t kBlock = 64 / E;
  uint8_t* out[kPadded];
  ZW_UNROLL for (int b = 0; b < kPadded; b++) {
    out[b] = dst + static_cast<size_t>(b < T ? b : T - 1) * distance;
  }
  size_t i = 0;
  for (; count - i >= kBlock + slackRecords(kBytes); i += kBlock) {
    splitBlock<T, E>(out, i, src + i * kBytes, change);
  }
  for (; i < count; i += kBlock) {
    const size_t start = std::min(i, count - kBlock);
    uint8_t last[64 * T + slackBytes(kBytes)];
    copyVectors(last, src + start * kBytes, 4 * T);
    splitBlock<T, E>(out, start, last, change);
  }
}

/// joinPlanes and splitPlanes: byte planes of items of any size, any number of them (0 too).
void joinPlanes(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes);
void splitPlanes(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
                 uint32_t itemBytes);

}  // namespace zw
