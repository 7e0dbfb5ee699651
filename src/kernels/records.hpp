// Joins planes into packed records of up to 16 bytes, and splits them again: the inner step of byte
// shuffles of narrow items (planes of single bytes) and of channels (planes of items).
//
// A record of T items of E bytes is padded with dummy items to a power of two. A swizzle then packs
// the records, and each store is a whole vector whose surplus the next store overwrites. Splitting
// works the same way in reverse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/row.hpp"
#include "kernels/zips.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::U8x16;

/// Addresses of planes: at a fixed distance, or from a list.
struct Planes {
  const uint8_t* base;
  size_t distance;
  const uint8_t* const* list;

  const uint8_t* operator[](size_t b) const { return list ? list[b] : base + b * distance; }
};

/// The swizzle that packs records of `recordBytes` bytes padded to `paddedBytes`, a power of two.
U8x16 packMask(size_t recordBytes, size_t paddedBytes);

/// The swizzle that groups packed records by item: all first items, all second items, … as if they
/// were padded. Dummy items are zero.
U8x16 groupMask(size_t recordBytes, size_t paddedBytes, size_t itemBytes);

/// The same swizzles as constants.
template <int RecordBytes, int PaddedBytes>
struct PackMask {
  static constexpr int at(size_t i) {
    const int record = static_cast<int>(i) / RecordBytes, byte = static_cast<int>(i) % RecordBytes;
    return record < 16 / PaddedBytes ? record * PaddedBytes + byte : 0;
  }
};
template <int RecordBytes, int PaddedBytes, int E>
struct GroupMask {
  static constexpr int at(size_t i) {
    constexpr int kRecords = 16 / PaddedBytes;
    const int lane = static_cast<int>(i) / E, byte = lane / kRecords * E + static_cast<int>(i) % E;
    return byte < RecordBytes ? lane % kRecords * RecordBytes + byte : 0;
  }
};

/// Layout of T items of E bytes in vectors of records padded to P items, the next power of two. T =
/// 0 means 5 to 7 items, a number that is only known at run time (with P = 8 and E = 1).
template <int T, int E>
struct Packing {
  static constexpr int P = T == 0 ? 8 : T == 3 ? 4 : T;
  static constexpr bool kOdd = P != T;

  explicit Packing(uint32_t items) : bytes((T == 0 ? items : T) * E) {}

  size_t bytes;                                         // per record
  size_t step() const { return 16 / (P * E) * bytes; }  // bytes of the records in a vector
  /// Number of records that must follow a vector, since loading or storing a vector touches bytes
  /// past its last record.
  size_t slack() const { return (16 - step() + bytes - 1) / bytes; }
  U8x16 pack() const {
    if constexpr (T == 0) return packMask(bytes, P * E);
    return simd::constant<PackMask<T == 0 ? 1 : T * E, P * E>>();
  }
  U8x16 group() const {
    if constexpr (T == 0) return groupMask(bytes, P * E, E);
    return simd::constant<GroupMask<T == 0 ? 1 : T * E, P * E, E>>();
  }
};

/// Joins items i … i + 16 / E - 1 of P planes into packed records.
template <int P, int E, bool kOdd, class Change>
ZW_INLINE void joinBlock(uint8_t* dst, const uint8_t* const (&planes)[P], size_t i, size_t step,
                         U8x16 pack, const Change& change) {
  U8x16 v[P];
  ZW_UNROLL for (int b = 0; b < P; b++) v[b] = change(simd::load(planes[b] + i * E));
  join<P, E>(v);
  ZW_UNROLL for (int q = 0; q < P; q++, dst += step) {
    simd::store(dst, kOdd ? simd::swizzle(v[q], pack) : v[q]);
  }
}

/// Joins `count` items (at least 16 / E) of each of `items` planes into packed records. T is
/// `items` or 0, see Packing.
template <int T, int E, class Change>
void joinRecords(uint8_t* dst, const Planes& from, uint32_t items, size_t count, Change change) {
  constexpr size_t kBlock = 16 / E;
  constexpr int P = Packing<T, E>::P;
  constexpr bool kOdd = Packing<T, E>::kOdd;
  const Packing<T, E> packing(items);
  const size_t bytes = packing.bytes, step = packing.step(), slack = packing.slack();
  const U8x16 pack = packing.pack();
  const uint8_t* planes[P];
  ZW_UNROLL for (uint32_t b = 0; b < P; b++) planes[b] = from[kOdd ? std::min(b, items - 1) : b];
  size_t i = 0;
  if constexpr (P == 2 && E == 1) {  // a block is too little work for one iteration
    for (; count - i >= 64; i += 64) {
      const uint8_t* const from64[] = {planes[0] + i, planes[1] + i};
      uint8_t* const to = dst + i * 2;
      ZW_UNROLL for (size_t q = 0; q < 64; q += 16) {
        joinBlock<P, E, kOdd>(to + q * 2, from64, q, 16, pack, change);
      }
    }
  }
  for (; count - i >= kBlock + slack; i += kBlock) {
    joinBlock<P, E, kOdd>(dst + i * bytes, planes, i, step, pack, change);
  }
  for (; i < count; i += kBlock) {  // through a buffer: vectors would reach past the end
    const size_t start = std::min(i, count - kBlock);
    uint8_t last[16 * P + 16];
    joinBlock<P, E, kOdd>(last, planes, start, step, pack, change);
    copyVectors(dst + start * bytes, last, static_cast<int>(items));
  }
}

/// Splits packed records into whole lines of P planes, from item i on. Dummy planes are written to
/// the address of the last plane, before that plane itself. If they were skipped, the compiler
/// would drop their lanes from the zips, which would no longer be single instructions.
template <int P, int E, class Change>
ZW_INLINE void splitBlock(uint8_t* const (&planes)[P], size_t i, const uint8_t* src, size_t step,
                          U8x16 group, const Change& change) {
  alignas(64) uint8_t lines[P][64];
  ZW_NO_UNROLL for (int at = 0; at < 64; at += 16) {
    U8x16 v[P];
    ZW_UNROLL for (int q = 0; q < P; q++, src += step) v[q] = simd::swizzle(simd::load(src), group);
    join<P, 16 / P>(v);
    ZW_UNROLL for (int r = 0; r < P; r++) {
      const int b = P - 1 - r;
      simd::store(P <= 4 ? planes[b] + i * E + at : lines[b] + at, change(v[b]));
    }
  }
  if constexpr (P > 4) {
    for (int b = P - 1; b >= 0; b--) copyVectors(planes[b] + i * E, lines[b], 4);
  }
}

/// Splits `count` (at least 64 / E) packed records of `items` items into planes at dst,
/// dst + distance, …
template <int T, int E, class Change>
void splitRecords(uint8_t* dst, size_t distance, const uint8_t* src, uint32_t items, size_t count,
                  Change change) {
  constexpr size_t kBlock = 64 / E;
  constexpr int P = Packing<T, E>::P;
  constexpr bool kOdd = Packing<T, E>::kOdd;
  const Packing<T, E> packing(items);
  const size_t bytes = packing.bytes, step = packing.step(), slack = packing.slack();
  const U8x16 group = packing.group();
  uint8_t* planes[P];
  ZW_UNROLL for (uint32_t b = 0; b < P; b++) {
    planes[b] = dst + (kOdd ? std::min(b, items - 1) : b) * distance;
  }
  size_t i = 0;
  for (; count - i >= kBlock + slack; i += kBlock) {
    splitBlock<P, E>(planes, i, src + i * bytes, step, group, change);
  }
  for (; i < count; i += kBlock) {  // through a buffer: vectors would reach past the end
    const size_t start = std::min(i, count - kBlock);
    uint8_t last[64 * P + 16];
    copyVectors(last, src + start * bytes, static_cast<int>(4 * items));
    splitBlock<P, E>(planes, start, last, step, group, change);
  }
}

/// Join and split the byte planes of `count` items (0 or more) of any size.
void joinPlanes(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes);
void splitPlanes(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
                 uint32_t itemBytes);

}  // namespace zw
