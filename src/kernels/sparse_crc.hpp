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

/// Distances in bytes, descending; what is left of a message after folding is as long as the first,
/// rounded up to whole vectors.
template <size_t N>
struct Taps {
  std::array<uint32_t, N> distance;
  constexpr size_t windowBytes() const { return (distance[0] + 15) / 16 * 16; }
};

/// Tables for sixteen bytes per step: at[k][b] is the CRC of byte b followed by k zero bytes.
struct Tables {
  uint32_t at[16][256];

  /// `reflected` is P without its highest term, lowest bit first reversed (0xEDB88320 and the
  /// like).
  explicit Tables(uint32_t reflected) {
    for (uint32_t b = 0; b < 256; b++) {
      uint32_t crc = b;
#pragma GCC unroll 1
      for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? reflected : 0);
      at[0][b] = crc;
    }
    for (size_t k = 1; k < 16; k++) {
#pragma GCC unroll 1
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

/// Sixteen bytes.
ZW_INLINE uint32_t tableStep(const Tables& tables, uint32_t crc, const uint8_t* data) {
  return lookUp(tables, load<uint32_t>(data) ^ crc, 12) ^
         lookUp(tables, load<uint32_t>(data + 4), 8) ^ lookUp(tables, load<uint32_t>(data + 8), 4) ^
         lookUp(tables, load<uint32_t>(data + 12), 0);
}

/// Plain CRC (no inversion) of any message.
inline uint32_t byTables(const Tables& tables, uint32_t crc, const uint8_t* data, size_t size) {
  for (; size >= 16; data += 16, size -= 16) crc = tableStep(tables, crc, data);
  for (; size > 0; data++, size--) crc = (crc >> 8) ^ tables.at[0][(crc ^ *data) & 0xff];
  return crc;
}

/// a * b modulo P, all reflected (the highest power of x is the lowest bit).
constexpr uint32_t multiply(uint32_t reflected, uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (int bit = 31; bit >= 0; bit--) {
    if (a >> bit & 1) product ^= b;
    b = (b >> 1) ^ (b & 1 ? reflected : 0);
  }
  return product;
}

/// x^(8 * bytes) modulo P: what a CRC is multiplied by when as many zero bytes follow.
constexpr uint32_t shiftBy(uint32_t reflected, size_t bytes) {
  uint32_t power = 0x80000000;
  for (size_t i = 0; i < 8 * bytes; i++) power = (power >> 1) ^ (power & 1 ? reflected : 0);
  return power;
}

/// byTables for a window of `kSize` bytes and from 0: both halves at once, because one alone spends
/// its time waiting for its own lookups.
template <uint32_t kReflected, size_t kSize>
uint32_t windowByTables(const Tables& tables, const uint8_t* window) {
  constexpr size_t kSecond = kSize / 32 * 16, kFirst = kSize - kSecond;
  static_assert(kSize % 16 == 0 && kFirst - kSecond <= 16);
  constexpr uint32_t kShift = shiftBy(kReflected, kSecond);
  const uint8_t* const rest = window + kFirst;
  uint32_t first = 0, second = 0;
  for (size_t at = 0; at < kSecond; at += 16) {
    first = tableStep(tables, first, window + at);
    second = tableStep(tables, second, rest + at);
  }
  first = byTables(tables, first, window + kSecond, kFirst - kSecond);
  return multiply(kReflected, first, kShift) ^ second;
}

/// One run of a fold, between two wraps of its ring: v = data ^ taps, kept in the ring, or (for the
/// window) put out and blotted out of the ring, so that the window's own bytes reach nothing.
/// `size` is a multiple of 16. Every tap is at least 80 bytes back, so four vectors may be under
/// way.
template <bool kToWindow, size_t N>
void foldRun(const uint8_t* data, const uint8_t* (&tap)[N], uint8_t* ring, uint8_t* window,
             size_t size) {
  const auto step = [&](size_t at) {
    simd::U8x16 v = simd::load(data + at);
    for (size_t t = 0; t < N; t++) v ^= simd::load(tap[t] + at);
    if constexpr (kToWindow) simd::store(window + at, v);
    simd::store(ring + at, kToWindow ? simd::U8x16{} : v);
  };
  const auto advance = [&](size_t bytes) {
    data += bytes;
    ring += bytes;
    if constexpr (kToWindow) window += bytes;
    for (size_t t = 0; t < N; t++) tap[t] += bytes;
    size -= bytes;
  };
  while (size >= 64) {
    step(0);
    step(16);
    step(32);
    step(48);
    advance(64);
  }
  while (size > 0) {
    step(0);
    advance(16);
  }
}

/// Folds a message into its end: writes to `window` (apart from `data`) taps.windowBytes() bytes
/// whose plain CRC from 0 is the plain CRC of `data` from `crc`. `size` is a multiple of 16 and
/// more than the window; kRing is more than the window, too.
template <size_t kRing, size_t N>
void fold(const Taps<N>& taps, uint32_t crc, const uint8_t* data, size_t size, uint8_t* window) {
  static_assert(kRing % 64 == 0);
  // The last kRing values of s (zero before the message), and a copy of the first 16 bytes after
  // the end, so that a 16-byte load may begin at any byte.
  alignas(16) uint8_t ring[kRing + 16] = {};
  const size_t folded = size - taps.windowBytes();
  size_t slot = 0;  // i mod kRing
  for (size_t i = 0; i < size;) {
    const bool isWindow = i >= folded;
    // Up to where the first of the pointers reaches the ring's end no wrap needs thought; the one
    // load that crosses the end reads on in the copy. Slot 0 goes alone, for it is stored twice.
    const uint8_t* tap[N];
    size_t run = (isWindow ? size : folded) - i;
    run = std::min(run, slot == 0 ? 16 : kRing - slot);
    for (size_t t = 0; t < N; t++) {
      const size_t from = (slot + kRing - taps.distance[t]) % kRing;
      tap[t] = ring + from;
      run = std::min(run, (kRing - from + 15) / 16 * 16);
    }
    if (isWindow) {
      foldRun<true>(data + i, tap, ring + slot, window + (i - folded), run);
    } else {
      foldRun<false>(data + i, tap, ring + slot, nullptr, run);
    }
    if (i == 0) store<uint32_t>(ring, load<uint32_t>(ring) ^ crc);  // as the message's first bytes
    if (slot == 0) std::memcpy(ring + kRing, ring, 16);
    i += run;
    slot = (slot + run) % kRing;
  }
}

/// A polynomial's constants: taps for long and for middling messages.
struct Polynomial {
  uint32_t reflected;
  Taps<3> far;
  Taps<5> near;
};

/// Plain CRC (no inversion) of any message.
template <Polynomial kPolynomial>
uint32_t update(const Tables& tables, uint32_t crc, const uint8_t* data, size_t size) {
  constexpr size_t kFarWindow = kPolynomial.far.windowBytes();
  constexpr size_t kNearWindow = kPolynomial.near.windowBytes();
  // From these sizes on, folding costs less than what follows would.
  constexpr size_t kNearFrom = 2 * kNearWindow;
  constexpr size_t kFarFrom = 4 * kFarWindow;
  uint8_t farWindow[kFarWindow];
  uint8_t nearWindow[kNearWindow];
  const uint8_t* const tail = data + size / 16 * 16;
  const size_t tailBytes = size % 16;
  size -= tailBytes;
  if (size >= kFarFrom) {
    fold<16384>(kPolynomial.far, crc, data, size, farWindow);
    data = farWindow;
    size = kFarWindow;
    crc = 0;
  }
  if (size >= kNearFrom) {
    fold<4096>(kPolynomial.near, crc, data, size, nearWindow);
    crc = windowByTables<kPolynomial.reflected, kNearWindow>(tables, nearWindow);
  } else {
    crc = byTables(tables, crc, data, size);
  }
  return byTables(tables, crc, tail, tailBytes);
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
