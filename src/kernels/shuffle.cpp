// Byte shuffle and unshuffle as transposes of small byte matrices in registers.
//
// Unshuffling joins byte planes into elements. Take 16 bytes of each of four planes: two rounds of
// zips (bytes, then pairs of bytes) give 16 records of four bytes in element order. So much for
// items of 4; for 2 one round is enough, for 8 a third one zips records of four. An item of 3, or
// of 5 to 7 bytes, is treated as one of 4 or 8 whose last planes are made up; a swizzle then packs
// the records, and each store is a whole vector whose surplus the next store overwrites.
//
// From 9 bytes on the rounds are split in two passes over 64 elements and 16 planes, with records
// of four bytes in a 1 KiB block in between. That is as many instructions as doing it in registers,
// since 16 planes leave none free and engines then spill haphazardly (a third of the speed); and
// each cache line of each plane is read at one go, four planes at a time, so planes whose distance
// is a power of two do not throw one another out of the first-level cache. Wider items are done 16
// planes at a time, the last 16 overlapping those before.
//
// Shuffling is the same backwards. Its passes write whole 64-byte lines per plane, for the same
// reason and because half-written lines travel twice.
//
// Safe because: elements left over at the end are covered by one more whole block that ends with
// the last element; source and destination do not overlap, so doing some elements twice is
// harmless. Where vectors reach past the elements, as those of odd item sizes do, the loop stops
// early enough and the rest, one or two blocks, goes through a buffer. Fewer elements than a block:
// plain loops.
#include "kernels/shuffle.hpp"

#include <algorithm>

#include "kernels/planes.hpp"
#include "kernels/row.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::load;
using simd::store;
using simd::U8x16;

namespace {

/// Where the byte planes are: at a fixed distance, or in a list.
struct Planes {
  const uint8_t* base;
  size_t distance;
  const uint8_t* const* list;

  const uint8_t* operator[](size_t b) const { return list ? list[b] : base + b * distance; }
};

/// Bytes of the record that an item of T bytes is padded to.
constexpr int paddedBytes(int t) {
  return t <= 2 ? 2 : t <= 4 ? 4 : t <= 8 ? 8 : 16;
}

/// How far a vector of records of T bytes reaches past them when they lie packed.
constexpr int slackBytes(int t) {
  return 16 / paddedBytes(t) * (paddedBytes(t) - t);
}

/// Blocks that may reach past themselves need so many more elements behind them.
constexpr size_t slackItems(int t) {
  return static_cast<size_t>((slackBytes(t) + t - 1) / t);
}

template <int T>
struct PackMask {
  static constexpr int kPadded = paddedBytes(T);
  static constexpr uint8_t at(size_t i) {
    const size_t record = i / T, byte = i % T;
    return record < 16 / kPadded ? static_cast<uint8_t>(record * kPadded + byte) : 0;
  }
};
template <int T>
struct GroupMask {
  static constexpr int kRecords = 16 / paddedBytes(T);
  static constexpr uint8_t at(size_t i) {
    const size_t byte = i / kRecords, record = i % kRecords;
    return byte < T ? static_cast<uint8_t>(record * T + byte) : 0;
  }
};

/// Padded records to packed ones.
template <int T>
ZW_INLINE U8x16 pack(U8x16 v) {
  if constexpr (slackBytes(T) == 0) return v;
  return simd::swizzle(v, simd::constant<PackMask<T>>());
}
/// Items of 2 to 8 bytes are unshuffled 16 at a time, wider ones 64.
constexpr size_t blockItems(uint32_t itemBytes) {
  return itemBytes <= 8 ? 16 : 64;
}

// ---- unshuffle ---------------------------------------------------------------------------------

/// Elements i … i+15 of T <= 8 bytes; writes slackBytes(T) too many.
template <int T>
ZW_INLINE void unshuffle16(uint8_t* dst, const uint8_t* const* planes, size_t i) {
  constexpr int kPadded = paddedBytes(T);
  U8x16 v[kPadded];
  ZW_UNROLL for (int b = 0; b < kPadded; b++) v[b] = load(planes[b < T ? b : T - 1] + i);
  join<kPadded, 1>(v);
  ZW_UNROLL for (int q = 0; q < kPadded; q++) store(dst + 16 / kPadded * T * q, pack<T>(v[q]));
}

template <int T>
void unshuffleSmall(uint8_t* dst, const Planes& from, size_t count) {
  const uint8_t* planes[T];
  for (int b = 0; b < T; b++) planes[b] = from[b];
  size_t i = 0;
  if constexpr (T == 2) {  // too little work per block to pay for a loop step
    for (; count - i >= 64; i += 64) {
      ZW_UNROLL for (int q = 0; q < 64; q += 16) unshuffle16<T>(dst + i * T + q * T, planes, i + q);
    }
  }
  for (; count - i >= 16 + slackItems(T); i += 16) unshuffle16<T>(dst + i * T, planes, i);
  for (; i < count; i += 16) {
    const size_t start = std::min(i, count - 16);
    uint8_t last[16 * T + slackBytes(T)];
    unshuffle16<T>(last, planes, start);
    copyVectors(dst + start * T, last, T);
  }
}

/// Items of 9 to 16 bytes.
void unshuffleMedium(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes) {
  const uint8_t* planes[16];
  for (uint32_t b = 0; b < 16; b++) planes[b] = from[b < itemBytes ? b : itemBytes - 1];
  const size_t slack = itemBytes < 16;
  size_t i = 0;
  for (; count - i >= 64 + slack; i += 64) join16Planes(dst + i * itemBytes, itemBytes, planes, i);
  for (; i < count; i += 64) {
    const size_t start = std::min(i, count - 64);
    uint8_t last[64 * 16];
    join16Planes(last, itemBytes, planes, start);
    copyVectors(dst + start * itemBytes, last, static_cast<int>(4 * itemBytes));
  }
}

void unshuffleWide(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes) {
  for (size_t at = 0; at < count; at += 64) {
    const size_t i = at + 64 <= count ? at : count - 64;
    for (uint32_t b = 0; b < itemBytes; b += 16) {
      const uint32_t first = b + 16 <= itemBytes ? b : itemBytes - 16;
      const uint8_t* planes[16];
      for (uint32_t p = 0; p < 16; p++) planes[p] = from[first + p];
      join16Planes(dst + i * itemBytes + first, itemBytes, planes, i);
    }
  }
}

void unshuffle(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes) {
  if (itemBytes == 1) {
    copyBytes(dst, from[0], count);
  } else if (count < blockItems(itemBytes)) {
    for (size_t i = 0; i < count; i++) {
      for (uint32_t b = 0; b < itemBytes; b++) dst[i * itemBytes + b] = from[b][i];
    }
  } else if (itemBytes <= 8) {
    static constexpr void (*kSmall[])(uint8_t*, const Planes&, size_t) = {
        unshuffleSmall<2>, unshuffleSmall<3>, unshuffleSmall<4>, unshuffleSmall<5>,
        unshuffleSmall<6>, unshuffleSmall<7>, unshuffleSmall<8>};
    kSmall[itemBytes - 2](dst, from, count);
  } else if (itemBytes <= 16) {
    unshuffleMedium(dst, from, count, itemBytes);
  } else {
    unshuffleWide(dst, from, count, itemBytes);
  }
}

// ---- shuffle -----------------------------------------------------------------------------------

/// Elements i … i+15 of T <= 8 bytes: v[b] becomes their bytes b; reads slackBytes(T) too many.
template <int T>
ZW_INLINE void split16(U8x16 (&v)[paddedBytes(T)], const uint8_t* src) {
  constexpr int kPadded = paddedBytes(T), kRecords = 16 / kPadded;
  ZW_UNROLL for (int q = 0; q < kPadded; q++) {
    v[q] = simd::swizzle(load(src + kRecords * T * q), simd::constant<GroupMask<T>>());
  }
  join<kPadded, kRecords>(v);
}

/// 64 elements of T <= 8 bytes; out[b] is where their bytes b go. The made-up bytes of odd sizes go
/// to the last plane, before what belongs there: were they dropped, the compiler would drop their
/// lanes from the zips, and what remains is no single instruction any more.
template <int T>
ZW_INLINE void shuffle64(uint8_t* const (&out)[paddedBytes(T)], size_t i, const uint8_t* src) {
  constexpr int kPadded = paddedBytes(T);
  alignas(64) uint8_t lines[kPadded][64];
  for (int e = 0; e < 64; e += 16) {
    U8x16 v[kPadded];
    split16<T>(v, src + e * T);
    ZW_UNROLL for (int r = 0; r < kPadded; r++) {
      const int b = kPadded - 1 - r;
      store(T <= 4 ? out[b] + i + e : lines[b] + e, v[b]);
    }
  }
  if constexpr (T > 4) {
    for (int b = kPadded; b-- > 0;) copyVectors(out[b] + i, lines[b], 4);
  }
}

template <int T>
void shuffleSmall(uint8_t* dst, const uint8_t* src, size_t count) {
  constexpr int kPadded = paddedBytes(T);
  uint8_t* out[kPadded];
  ZW_UNROLL for (int b = 0; b < kPadded; b++) out[b] = dst + (b < T ? b : T - 1) * count;
  size_t i = 0;
  for (; count - i >= 64 + slackItems(T); i += 64) shuffle64<T>(out, i, src + i * T);
  for (; i < count; i += 64) {
    const size_t start = std::min(i, count - 64);
    uint8_t last[64 * T + slackBytes(T)];
    copyVectors(last, src + start * T, 4 * T);
    shuffle64<T>(out, start, last);
  }
}

/// Items of 9 to 16 bytes.
void shuffleMedium(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  const size_t slack = itemBytes < 16;
  size_t i = 0;
  for (; count - i >= 64 + slack; i += 64) {
    split16Planes(dst + i, count, itemBytes, src + i * itemBytes, itemBytes);
  }
  for (; i < count; i += 64) {
    const size_t start = std::min(i, count - 64);
    uint8_t last[64 * 16];
    copyVectors(last, src + start * itemBytes, static_cast<int>(4 * itemBytes));
    split16Planes(dst + start, count, itemBytes, last, itemBytes);
  }
}

void shuffleWide(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  for (size_t at = 0; at < count; at += 64) {
    const size_t i = at + 64 <= count ? at : count - 64;
    for (uint32_t b = 0; b < itemBytes; b += 16) {
      const uint32_t first = b + 16 <= itemBytes ? b : itemBytes - 16;
      split16Planes(dst + first * count + i, count, 16, src + i * itemBytes + first, itemBytes);
    }
  }
}

}  // namespace

void shuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  if (itemBytes == 1) {
    copyBytes(dst, src, count);
  } else if (count < 64) {
    scalar::shuffleBytes(dst, src, count, itemBytes);
  } else if (itemBytes <= 8) {
    static constexpr void (*kSmall[])(uint8_t*, const uint8_t*, size_t) = {
        shuffleSmall<2>, shuffleSmall<3>, shuffleSmall<4>, shuffleSmall<5>,
        shuffleSmall<6>, shuffleSmall<7>, shuffleSmall<8>};
    kSmall[itemBytes - 2](dst, src, count);
  } else if (itemBytes <= 16) {
    shuffleMedium(dst, src, count, itemBytes);
  } else {
    shuffleWide(dst, src, count, itemBytes);
  }
}

void unshuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  unshuffle(dst, {src, count, nullptr}, count, itemBytes);
}

void unshufflePlanes(uint8_t* dst, const uint8_t* const* planes, size_t count, uint32_t itemBytes) {
  unshuffle(dst, {nullptr, 0, planes}, count, itemBytes);
}

}  // namespace zw
