// The algorithm behind crc32 and crc32c: a reflected 32-bit CRC without carry-less multiplication.
//
// A CRC is the remainder of the message modulo the polynomial P, so adding a multiple of P does not
// change it. With a multiple that has few terms, all of them whole bytes apart,
//     x^(8 t1) + x^(8 (t1 - t2)) + … + 1 = 0 (mod P),
// a byte of the message can be removed by adding (xor) it to the bytes t1, t2, … further on. Doing
// so for every byte except the last t1 (the window) takes one xor per tap, 16 bytes at a time:
//     s[i] = d[i] ^ s[i - t1] ^ s[i - t2] ^ …
// The window, and messages that are not much longer, go through tables, sixteen bytes per step.
//
// Speed: most of the time is spent on loads. Taps come in clusters whose members are whole vectors
// apart, so a vector loaded for one tap serves the others a few steps later. No load waits for a
// recent store, since the nearest tap is hundreds of bytes back. Long messages are first folded
// with fewer taps (Far), whose window is then folded again. scripts/crc-taps.mjs found the
// multiples; tests/cpp/checksum_test.cpp checks them against the polynomial.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.hpp"
#include "simd/u8x16.hpp"

namespace zw::crc {

/// Taps that are whole vectors apart: at `distance` + 16 k bytes for each bit k of `taps`.
struct Cluster {
  uint32_t distance;
  uint32_t taps = 1;

  constexpr bool has(int k) const { return (taps >> k & 1) != 0; }
  /// The highest k.
  constexpr int reach() const { return static_cast<int>(std::bit_width(taps)) - 1; }
};

/// The taps of one multiple.
using Taps = std::array<Cluster, 3>;

/// Bytes of a message that remain after folding: the longest tap, in whole vectors.
constexpr size_t windowBytes(const Taps& taps) {
  size_t longest = 0;
  for (const Cluster& c : taps) {
    longest = std::max<size_t>(longest, c.distance + 16 * static_cast<size_t>(c.reach()));
  }
  return (longest + 15) / 16 * 16;
}

/// Three taps of a multiple with few terms, which are therefore far back. `distance` is a multiple
/// of 16, so that its loads never cross cache lines. The second tap is `beside` bytes (97..111)
/// further back and reuses the vectors of the first, shifted. `lone` is the longest.
struct FarTaps {
  uint32_t distance = 0, beside = 0, lone = 0;
};

/// Tables for sixteen bytes per step: at[k][b] is the CRC of byte b and k zero bytes.
struct Tables {
  uint32_t at[16][256];

  /// `reflected` is P without its highest term, bit-reversed (such as 0xEDB88320).
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

/// Looks up four bytes of a step that `after` more bytes follow.
ZW_INLINE uint32_t lookUp(const Tables& tables, uint32_t word, size_t after) {
  return tables.at[after + 3][word & 0xff] ^ tables.at[after + 2][(word >> 8) & 0xff] ^
         tables.at[after + 1][(word >> 16) & 0xff] ^ tables.at[after][word >> 24];
}

/// The plain CRC (without inversion) of any message, from tables only.
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

/// The sums of a cluster's taps, one vector after another.
template <Cluster kCluster>
class TapStream {
 public:
  /// Starts at `s`; everything that the taps reach back to must be valid.
  ZW_INLINE explicit TapStream(const uint8_t* s) : at_(s - kCluster.distance) {
    if constexpr (kCluster.reach() >= 1) past1_ = simd::load(at_ - 16);
    if constexpr (kCluster.reach() >= 2) past2_ = simd::load(at_ - 32);
    if constexpr (kCluster.reach() >= 3) past3_ = simd::load(at_ - 48);
    static_assert(kCluster.reach() <= 3);
  }
  ZW_INLINE simd::U8x16 next(size_t offset) {
    const simd::U8x16 now = simd::load(at_ + offset);
    simd::U8x16 sum = now;
    if constexpr (kCluster.has(1)) sum ^= past1_;
    if constexpr (kCluster.has(2)) sum ^= past2_;
    if constexpr (kCluster.has(3)) sum ^= past3_;
    past3_ = past2_;
    past2_ = past1_;
    past1_ = now;
    return sum;
  }
  ZW_INLINE void advance(size_t bytes) { at_ += bytes; }

 private:
  const uint8_t* at_;
  simd::U8x16 past1_{}, past2_{}, past3_{};  // previous vectors
};

/// A fold by clusters: the bytes of its window and of a block, and its sums.
template <Taps kTaps>
struct Near {
  static constexpr size_t kWindow = windowBytes(kTaps), kBlock = 8192;

  class Sums {
   public:
    ZW_INLINE explicit Sums(const uint8_t* s) : a_(s), b_(s), c_(s) {}
    ZW_INLINE simd::U8x16 next(size_t offset) {
      return a_.next(offset) ^ b_.next(offset) ^ c_.next(offset);
    }
    ZW_INLINE void advance(size_t bytes) {
      a_.advance(bytes);
      b_.advance(bytes);
      c_.advance(bytes);
    }

   private:
    TapStream<kTaps[0]> a_;
    TapStream<kTaps[1]> b_;
    TapStream<kTaps[2]> c_;
  };
};

/// Bytes N … N + 15 of a followed by b.
template <int N>
struct SlicePattern {
  static constexpr int at(size_t i) { return N + static_cast<int>(i); }
};

/// A fold by a few far taps.
template <FarTaps kTaps>
struct Far {
  static constexpr size_t kWindow = (kTaps.lone + 15) / 16 * 16, kBlock = 16384;
  static_assert(kTaps.distance % 16 == 0 && kTaps.beside > 96 && kTaps.beside < 112);

  class Sums {
   public:
    ZW_INLINE explicit Sums(const uint8_t* s)
        : at_(s - kTaps.distance),
          lone_(s - kTaps.lone),
          past1_(simd::load(at_ - 16)),
          past2_(simd::load(at_ - 32)),
          past3_(simd::load(at_ - 48)),
          past4_(simd::load(at_ - 64)),
          past5_(simd::load(at_ - 80)),
          past6_(simd::load(at_ - 96)),
          past7_(simd::load(at_ - 112)) {}
    ZW_INLINE simd::U8x16 next(size_t offset) {
      using Beside = SlicePattern<112 - static_cast<int>(kTaps.beside)>;
      const simd::U8x16 now = simd::load(at_ + offset);
      const simd::U8x16 sum =
          now ^ simd::load(lone_ + offset) ^ simd::shuffle<Beside>(past7_, past6_);
      past7_ = past6_;
      past6_ = past5_;
      past5_ = past4_;
      past4_ = past3_;
      past3_ = past2_;
      past2_ = past1_;
      past1_ = now;
      return sum;
    }
    ZW_INLINE void advance(size_t bytes) {
      at_ += bytes;
      lone_ += bytes;
    }

   private:
    const uint8_t* at_;
    const uint8_t* lone_;
    // Previous vectors. Separate variables, since the compiler would keep an array in memory.
    simd::U8x16 past1_, past2_, past3_, past4_, past5_, past6_, past7_;
  };
};

/// Folds `size` bytes, a multiple of 16: s = data ^ taps. Within the window the result goes to
/// `window` and s is cleared, so that bytes of the window are not folded further.
template <class Fold, bool kToWindow>
void foldRun(const uint8_t* data, uint8_t* s, uint8_t* window, size_t size) {
  typename Fold::Sums sums(s);
  const auto step = [&](size_t at) __attribute__((always_inline)) {
    const simd::U8x16 v = simd::load(data + at) ^ sums.next(at);
    if constexpr (kToWindow) simd::store(window + at, v);
    simd::store(s + at, kToWindow ? simd::U8x16{} : v);
  };
  const auto advance = [&](size_t bytes) __attribute__((always_inline)) {
    data += bytes;
    s += bytes;
    if constexpr (kToWindow) window += bytes;
    sums.advance(bytes);
    size -= bytes;
  };
  while (size >= 128) {
    step(0);
    step(16);
    step(32);
    step(48);
    step(64);
    step(80);
    step(96);
    step(112);
    advance(128);
  }
  while (size > 0) {
    step(0);
    advance(16);
  }
}

/// Folds a message into its end: writes Fold::kWindow bytes to `window`, which must not overlap
/// `data`. Their plain CRC from 0 is the plain CRC of `data` from `crc`. `size` is a multiple of 16
/// and larger than the window.
template <class Fold>
void fold(uint32_t crc, const uint8_t* data, size_t size, uint8_t* window) {
  constexpr size_t kPast = Fold::kWindow, kBlock = Fold::kBlock;
  static_assert(kBlock >= kPast);
  // The values of s that the taps reach back to (zero before the message), then a block.
  alignas(16) uint8_t s[kPast + kBlock];
  std::memset(s, 0, kPast);
  const size_t folded = size - kPast;
  size_t at = kPast;
  for (size_t i = 0; i < size;) {
    if (at == kPast + kBlock) {
      std::memcpy(s, s + kBlock, kPast);
      at = kPast;
    }
    size_t run = kPast + kBlock - at;
    if (i < folded) {
      // The first vector is folded separately, since `crc` is added to it.
      run = i == 0 ? 16 : std::min(run, folded - i);
      foldRun<Fold, false>(data + i, s + at, nullptr, run);
      if (i == 0) store<uint32_t>(s + at, load<uint32_t>(s + at) ^ crc);
    } else {
      run = std::min(run, size - i);
      foldRun<Fold, true>(data + i, s + at, window + (i - folded), run);
    }
    i += run;
    at += run;
  }
}

/// The plain CRC (without inversion) of any message.
template <Taps kTaps>
uint32_t update(const Tables& tables, uint32_t crc, const uint8_t* data, size_t size) {
  constexpr size_t kWindow = windowBytes(kTaps);
  uint8_t window[kWindow];
  if (size >= 2 * kWindow) {
    const size_t folded = size / 16 * 16;
    fold<Near<kTaps>>(crc, data, folded, window);
    crc = byTables(tables, 0, window, kWindow);
    data += folded;
    size -= folded;
  }
  return byTables(tables, crc, data, size);
}

/// Size from which the far taps pay off, although their window must be folded again.
inline constexpr size_t kFarBytes = size_t{128} * 1024;

/// The same; folds long messages with the taps of `kFar` first.
template <Taps kTaps, FarTaps kFar>
uint32_t updateLong(const Tables& tables, uint32_t crc, const uint8_t* data, size_t size) {
  if (size >= kFarBytes) {
    uint8_t window[Far<kFar>::kWindow];
    const size_t folded = size / 16 * 16;
    fold<Far<kFar>>(crc, data, folded, window);
    crc = update<kTaps>(tables, 0, window, sizeof(window));
    data += folded;
    size -= folded;
  }
  return update<kTaps>(tables, crc, data, size);
}

}  // namespace zw::crc
