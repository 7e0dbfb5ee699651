// BitReader: reads fields of bits from the front of a view, highest bits first, for entropy coders.
//
// Safety: nothing beyond the view is read. Past its end the reader yields zeros, and isPastEnd() is
// true.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/high_bits.hpp"

namespace zw {

/// Bits that a 64-bit word has from any bit of its first byte.
constexpr uint32_t kWindowBits = 57;

class BitReader {
 public:
  explicit BitReader(ByteView in) : in_(in), end_(uint64_t{in.size()} * 8) {}

  /// At least kWindowBits of the next bits, from the highest; zeros past the end.
  uint64_t window() const {
    const auto byte = static_cast<size_t>(at_ >> 3);
    if (in_.size() >= 8 && byte <= in_.size() - 8) {
      return __builtin_bswap64(load<uint64_t>(in_.data() + byte)) << (at_ & 7);
    }
    return lastWindow();
  }

  /// The next `count` (1 … 32) bits.
  uint32_t bits(uint32_t count) {
    const uint64_t value = window() >> (64 - count);
    at_ += count;
    return static_cast<uint32_t>(value);
  }

  /// The next number in unary.
  uint32_t unary() {
    uint32_t zeros = 0;
    while (true) {
      const uint64_t word = window();
      if (word) {
        const auto more = static_cast<uint32_t>(std::countl_zero(word));
        at_ += more + 1;
        return zeros + more;
      }
      if (at_ >= end_) {
        at_ = end_ + 1;
        return zeros;
      }
      zeros += kWindowBits;
      at_ += kWindowBits;
    }
  }

  /// The next number: its high bits in unary, then its `count` (0 … 31) low bits.
  uint32_t split(uint32_t count) {
    const uint64_t word = window();
    const auto zeros = static_cast<uint32_t>(std::countl_zero(word | 1));
    if (zeros + 1 + count <= kWindowBits) {
      at_ += zeros + 1 + count;
      return zeros << count | static_cast<uint32_t>(word << zeros << 1 >> 1 >> (63 - count));
    }
    return longSplit(count);
  }

  /// `count` numbers in unary.
  void unaryRun(uint32_t count, uint32_t* out) {
    for (uint32_t i = 0; i < count;) {
      uint64_t word = window();
      if (word == 0) {
        out[i++] = unary();
        if (isPastEnd()) return std::fill(out + i, out + count, 0u);
        continue;
      }
      // Every one in the window is a bit of the input.
      for (; i < count && word; i++) {
        const auto zeros = static_cast<uint32_t>(std::countl_zero(word));
        out[i] = zeros;
        at_ += zeros + 1;
        word = word << zeros << 1;
      }
    }
  }

  /// `count` numbers of `bits` (1 … 32) bits; false if the input ends before.
  bool array(uint32_t bits, uint32_t count, uint32_t* out) {
    const uint64_t length = uint64_t{bits} * count;
    if (at_ > end_ || length > end_ - at_) return false;
    unpackHighBits(in_, at_, bits, count, out);
    at_ += length;
    return true;
  }

  void align() { at_ = (at_ + 7) & ~uint64_t{7}; }
  bool isPastEnd() const { return at_ > end_; }
  size_t byte() const { return static_cast<size_t>(std::min(at_ >> 3, end_ >> 3)); }

 private:
  [[gnu::noinline]] uint32_t longSplit(uint32_t count) {
    const uint32_t high = unary() << count;
    return count ? high | bits(count) : high;
  }

  [[gnu::noinline]] uint64_t lastWindow() const {
    const auto byte = static_cast<size_t>(at_ >> 3);
    uint64_t word = 0;
    for (size_t i = byte, shift = 56; i < in_.size() && i < byte + 8; i++, shift -= 8) {
      word |= uint64_t{in_[i]} << shift;
    }
    return word << (at_ & 7);
  }

  ByteView in_;
  uint64_t at_ = 0, end_;
};

}  // namespace zw
