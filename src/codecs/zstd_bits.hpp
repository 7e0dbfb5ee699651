// The bit streams of zstd's entropy coders, which are read from their last byte to their first
// (RFC 8878, 4.1.2): the highest set bit of the last byte marks the end.
#pragma once

#include <algorithm>
#include <bit>

#include "base/bytes.hpp"
#include "simd/u8x16.hpp"

namespace zw::zstd {

/// The lowest n bits, n <= 31.
struct BitMasks {
  uint32_t of[32];
  constexpr BitMasks() : of() {
    for (uint32_t n = 0; n < 32; n++) of[n] = (uint32_t{1} << n) - 1;
  }
};
inline constexpr BitMasks kMasks;

/// Reads a stream backwards. At least 57 bits may be taken after each refill(); bits before the
/// front of the stream are undefined, and make isOverrun() true.
struct BackwardBits {
  uint64_t word = 0;  // the bits [0, left) are unread
  int32_t left = 0;
  const uint8_t* at = nullptr;     // address of `word`
  const uint8_t* start = nullptr;  // front of the stream

  /// False if there is no end mark.
  bool init(ByteView in) {
    if (in.empty() || in.back() == 0) return false;
    start = in.data();
    const int32_t padding = std::countl_zero(static_cast<uint32_t>(in.back())) - 24 + 1;
    if (in.size() >= 8) {
      at = in.data() + in.size() - 8;
      word = load<uint64_t>(at);
      left = 64 - padding;
    } else {
      at = start;
      word = 0;
      for (size_t i = 0; i < in.size(); i++) word |= uint64_t{in[i]} << (8 * i);
      left = static_cast<int32_t>(8 * in.size()) - padding;
    }
    return true;
  }

  ZW_INLINE uint32_t take(uint32_t n) {
    left -= static_cast<int32_t>(n);
    return static_cast<uint32_t>(word >> (left & 63)) & kMasks.of[n];
  }

  ZW_INLINE void refill() {
    if (at - start >= 8) [[likely]] {
      const uint32_t bytes = static_cast<uint32_t>(64 - left) >> 3;
      at -= bytes;
      left += static_cast<int32_t>(8 * bytes);
      word = load<uint64_t>(at);
    } else {
      refillAtFront();
    }
  }

  /// True if all bits have been read, and none more.
  bool isAtEnd() const { return at == start && left == 0; }
  bool isOverrun() const { return left < 0; }

 private:
  void refillAtFront() {
    if (at == start || left < 0) return;
    const size_t bytes =
        std::min<size_t>(static_cast<uint32_t>(64 - left) >> 3, static_cast<size_t>(at - start));
    at -= bytes;
    left += static_cast<int32_t>(8 * bytes);
    word = load<uint64_t>(at);
  }
};

}  // namespace zw::zstd
