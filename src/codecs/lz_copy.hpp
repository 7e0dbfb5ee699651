// Copies for the byte-oriented LZ decoders (LZ4, BloscLZ, Snappy), which spend their time here.
//
// No copy passes the exact end of the output, and most work in whole vectors well before it.
// "Loose" copies write whole vectors, up to kLoose - 1 bytes more than requested; they are only
// called if that much room is left. The next copy overwrites the surplus, or it lies in room that
// the caller has provided for it (Buffers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simd/u8x16.hpp"

namespace zw::lz {

using simd::U8x16;

/// Bytes that a loose copy may write (and read) beyond the requested ones.
inline constexpr size_t kLoose = 16;

/// The buffers of one decode. The data must end at `outEnd`. Bytes from there to `outLimit` may be
/// overwritten.
struct Buffers {
  const uint8_t* in;
  const uint8_t* inEnd;
  uint8_t* out;
  uint8_t* outEnd;
  uint8_t* outLimit;
};

/// The position of a decode.
struct Cursor {
  const uint8_t* ip;
  uint8_t* op;
};

/// Adds the bytes of a long length (up to and including the first that is not 255) to `length`.
/// False if the input ends first or the length exceeds `max`, so it cannot wrap.
ZW_INLINE bool readLength(const uint8_t*& ip, const uint8_t* end, size_t max, size_t& length) {
  uint8_t more;
  do {
    if (ip >= end) return false;
    more = *ip++;
    length += more;
    if (length > max) return false;
  } while (more == 255);
  return true;
}

ZW_INLINE void copy8(uint8_t* to, const uint8_t* from) {
  uint64_t v;
  std::memcpy(&v, from, 8);
  std::memcpy(to, &v, 8);
}

ZW_INLINE void copy16(uint8_t* to, const uint8_t* from) {
  simd::store(to, simd::load(from));
}

/// Copies `length` bytes loosely, at a distance of at least 16.
ZW_INLINE void copyLoose(uint8_t* to, const uint8_t* from, size_t length) {
  const uint8_t* const end = to + length;
  do {
    copy16(to, from);
    to += 16;
    from += 16;
  } while (to < end);
}

/// Returns 16 bytes of the pattern that a match of this distance (1..15) repeats, and sets `step`
/// to the number of them that are whole repeats. May read 16 bytes from `from`.
///
/// Distances that are powers of two are loaded at their width: a 16-byte load across bytes that
/// were just stored would wait until the store has reached the cache.
ZW_INLINE U8x16 repeated(const uint8_t* from, size_t distance, size_t& step) {
  alignas(16) static constexpr uint8_t kIndex[16][16] = {
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
      {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
      {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
      {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0},
      {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3},
      {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1},
      {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 1},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0}};
  static constexpr uint8_t kStep[16] = {0,  16, 16, 15, 16, 15, 12, 14,
                                        16, 9,  10, 11, 12, 13, 14, 15};
  step = kStep[distance];
  switch (distance) {
    case 1:
      return simd::splat<1>(from);
    case 2:
      return simd::splat<2>(from);
    case 4:
      return simd::splat<4>(from);
    case 8:
      return simd::splat<8>(from);
    default:
      return simd::swizzle(simd::load(from), simd::load(kIndex[distance]));
  }
}

/// Copies a match loosely, at any distance >= 1. The source starts at op - distance.
ZW_INLINE void copyMatchLoose(uint8_t* op, size_t distance, size_t length) {
  const uint8_t* from = op - distance;
  if (distance >= 16) {
    copyLoose(op, from, length);
    return;
  }
  size_t step;
  const U8x16 pattern = repeated(from, distance, step);
  const uint8_t* const end = op + length;
  do {
    simd::store(op, pattern);
    op += step;
  } while (op < end);
}

/// Copies a match without surplus bytes, for matches near the end of the room.
inline void copyMatchExact(uint8_t* op, size_t distance, size_t length) {
  const uint8_t* const end = op + length;
  if (length >= 32) {
    // Whole vectors as long as they fit, since a match may extend to the end of a large block.
    if (distance >= 16) {
      for (; end - op >= 16; op += 16) copy16(op, op - distance);
    } else {
      size_t step;
      const U8x16 pattern = repeated(op - distance, distance, step);
      for (; end - op >= 16; op += step) simd::store(op, pattern);
    }
  }
  for (; op < end; op++) *op = op[-static_cast<ptrdiff_t>(distance)];
}

/// Copies a match, loosely if the room up to `limit` allows it; length <= limit - op.
ZW_INLINE void copyMatch(uint8_t* op, size_t distance, size_t length, const uint8_t* limit) {
  if (static_cast<size_t>(limit - op) >= length + kLoose) {
    copyMatchLoose(op, distance, length);
  } else {
    copyMatchExact(op, distance, length);
  }
}

/// Copies literals, in vectors as long as they fit.
inline void copyLiterals(uint8_t* op, const uint8_t* ip, size_t length, const uint8_t* outLimit,
                         const uint8_t* inEnd) {
  if (static_cast<size_t>(outLimit - op) >= length + kLoose &&
      static_cast<size_t>(inEnd - ip) >= length + kLoose) {
    copyLoose(op, ip, length);
    return;
  }
  for (; length >= 16; op += 16, ip += 16, length -= 16) copy16(op, ip);
  for (; length > 0; length--) *op++ = *ip++;
}

}  // namespace zw::lz
