// The engine behind crc32 and crc32c: a reflected CRC of 32 bits without carry-less multiplication.
//
// A CRC is the message's remainder modulo the polynomial P. Adding a multiple of P changes nothing,
// so with a multiple that has few terms, all of them whole bytes apart,
//     x^(8 t1) + x^(8 (t1 - t2)) + … + 1 = 0 (mod P),
// a byte of the message can be taken away when it is added (xor) to the bytes t1, t2, … further on.
// Done for every byte but the last t1 ("the window"), that is one xor per tap and 16 bytes at a
// time:
//     s[i] = d[i] ^ s[i - t1] ^ s[i - t2] ^ …
// Long messages go through three taps (window of 4 to 5 KB), what is left of them through five
// (window below 2 KB), the rest through tables, sixteen bytes per step. The taps were found by a
// search for sparse multiples; tests/cpp/checksum_test.cpp checks them against the polynomial.
//
// Why it is fast: s lives in a small ring that stays in the first-level cache, and the taps are so
// far back that no load waits for a store that is still under way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.hpp"
#include "simd/u8x16.hpp"

namespace zw::crc {

/// Distances in bytes, descending; the first is the window. All are at least 64.
template <size_t N>
struct Taps {
  std::array<uint32_t, N> distance;
  constexpr uint32_t window() const { return distance[0]; }
};

/// Tables for sixteen bytes per step: at[k][b] is the CRC of byte b followed by k zero bytes.
struct Tables {
  uint32_t at[16][256];

  /// `reflected` is P without its highest term, lowest bit first reversed (0xEDB88320 and the
  /// like).
  explicit Tables(uint32_t reflected) {
    for (uint32_t b = 0; b < 256; b++) {
      uint32_t crc = b;
      for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? reflected : 0);
      at[0][b] = crc;
    }
    for (size_t k = 1; k < 16; k++) {
      for (size_t b = 0; b < 256; b++) {
        at[k][b] = (at[k - 1][b] >> 8) ^ at[0][at[k - 1][b] & 0xff];
      }
    }
  }
};

/// Four bytes of a step whose last byte is followed by `after` more bytes.
ZW_INLINE uint32_t lookUp(const Tables& tables, uint32_t word, size_t after) {
  return tables.at[after + 3][word & 0xff] ^ tables.at[after + 2][(word >> 8) & 0xff] ^
         tables.at[after + 1][(word >> 16) & 0xff] ^ tables.at[after][word >> 24];
}

/// The plain part: no inversion, any size.
inline uint32_t byTables(const Tables& tables, uint32_t crc, const uint8_t* data, size_t size) {
  for (; size >= 16; data += 16, size -= 16) {
    crc = lookUp(tables, load<uint32_t>(data) ^ crc, 12) ^
          lookUp(tables, load<uint32_t>(data + 4), 8) ^
          lookUp(tables, load<uint32_t>(data + 8), 4) ^
          lookUp(tables, load<uint32_t>(data + 12), 0);
  }
  for (; size > 0; data++, size--) crc = (crc >> 8) ^ tables.at[0][(crc ^ *data) & 0xff];
  return crc;
}

/// out[k] ^= from[k] for `size` bytes; no overlap.
inline void xorBytes(uint8_t* out, const uint8_t* from, size_t size) {
  size_t k = 0;
  for (; k + 16 <= size; k += 16) {
    simd::store(out + k, simd::load(out + k) ^ simd::load(from + k));
  }
  for (; k < size; k++) out[k] ^= from[k];
}

/// Folds a message into its end: writes to `window` (room for taps.window() + 15 bytes, apart from
/// `data`) bytes whose plain CRC from 0 is the plain CRC of `data` from `crc`, and returns how
/// many. size >= taps.window() + 16; kRing is at least the window.
template <size_t kRing, size_t N>
size_t fold(const Taps<N>& taps, uint32_t crc, const uint8_t* data, size_t size, uint8_t* window) {
  static_assert(kRing % 16 == 0);
  // The last kRing values of s (zero before the message), and a copy of the first 16 bytes after
  // the end, so that a 16-byte load may begin at any byte.
  alignas(16) uint8_t ring[kRing + 16] = {};
  const size_t folded = (size - taps.window()) / 16 * 16;
  size_t slot = 0;  // i mod kRing
  for (size_t i = 0; i < folded;) {
    // Up to where the first of the pointers reaches the ring's end no wrap needs thought; the one
    // load that crosses the end reads on in the copy. Slot 0 goes alone, for it is stored twice.
    const uint8_t* tap[N];
    size_t run = slot == 0 ? 16 : std::min(folded - i, kRing - slot);
    for (size_t t = 0; t < N; t++) {
      const size_t from = (slot + kRing - taps.distance[t]) % kRing;
      tap[t] = ring + from;
      run = std::min(run, (kRing - from + 15) / 16 * 16);
    }
    for (size_t k = 0; k < run; k += 16) {
      simd::U8x16 v = simd::load(data + i + k);
      for (size_t t = 0; t < N; t++) v ^= simd::load(tap[t] + k);
      simd::store(ring + slot + k, v);
    }
    if (i == 0) store<uint32_t>(ring, load<uint32_t>(ring) ^ crc);  // as the message's first bytes
    if (slot == 0) std::memcpy(ring + kRing, ring, 16);
    i += run;
    slot = (slot + run) % kRing;
  }
  // The window is the end of the message plus what the taps bring over from folded bytes.
  std::memcpy(window, data + folded, size - folded);
  for (const size_t distance : taps.distance) {
    const size_t from = (slot + kRing - distance) % kRing;
    const size_t first = std::min(distance, kRing - from);
    xorBytes(window, ring + from, first);
    xorBytes(window + first, ring, distance - first);
  }
  return size - folded;
}

/// A polynomial's constants: taps for long and for middling messages.
struct Polynomial {
  Taps<3> far;
  Taps<5> near;
};

/// Plain CRC (no inversion) of any message.
template <Polynomial kPolynomial>
uint32_t update(const Tables& tables, uint32_t crc, const uint8_t* data, size_t size) {
  // From these sizes on, folding costs less than the tables would.
  constexpr size_t kNearFrom = 2 * kPolynomial.near.window();
  constexpr size_t kFarFrom = 2 * kPolynomial.far.window();
  uint8_t farWindow[kPolynomial.far.window() + 15];
  uint8_t nearWindow[kPolynomial.near.window() + 15];
  if (size >= kFarFrom) {
    size = fold<8192>(kPolynomial.far, crc, data, size, farWindow);
    data = farWindow;
    crc = 0;
  }
  if (size >= kNearFrom) {
    size = fold<2048>(kPolynomial.near, crc, data, size, nearWindow);
    data = nearWindow;
    crc = 0;
  }
  return byTables(tables, crc, data, size);
}

/// The definition, bit by bit: the oracle of the tests.
inline uint32_t byBits(uint32_t reflected, uint32_t crc, const uint8_t* data, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? reflected : 0);
  }
  return ~crc;
}

}  // namespace zw::crc
