// Bit streams of zfp: bits are packed without gaps, starting at the lowest bit of each byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace zw {

/// Reads bits. Reading past the end yields zeros: callers check isPastEnd() after each block, and
/// the size of a block is bounded.
class ZfpReader {
 public:
  explicit ZfpReader(ByteView bytes) : bytes_(bytes) {}

  uint32_t bit() { return static_cast<uint32_t>(bits(1)); }

  /// The next `count` bits, at most 56.
  uint64_t bits(uint32_t count) {
    fill();
    const uint64_t value = window_ & ((uint64_t{1} << count) - 1);
    drop(count);
    return value;
  }

  /// Reads zeros up to and including the next one, or `max` zeros. Sets `found` if a one was read,
  /// and returns the number of zeros.
  uint32_t zeros(uint32_t max, bool& found) {
    uint32_t count = 0;
    found = false;
    while (count < max && !found) {
      fill();
      const uint32_t seen = kFilled < max - count ? kFilled : max - count;
      const auto run = static_cast<uint32_t>(std::countr_zero(window_));
      found = run < seen;
      count += found ? run : seen;
      drop(found ? run + 1 : seen);
    }
    return count;
  }

  /// Bits read so far.
  uint64_t position() const { return 8 * at_ - held_; }
  bool isPastEnd() const { return position() > uint64_t{8} * bytes_.size(); }

  void seek(uint64_t position) {
    at_ = position / 8;
    window_ = 0;
    held_ = 0;
    bits(static_cast<uint32_t>(position % 8));
  }

 private:
  static constexpr uint32_t kFilled = 56;

  /// Makes at least kFilled bits of the window valid. Loads eight bytes at once if there are that
  /// many; bytes beyond the window are loaded again, to the same bits, the next time.
  void fill() {
    if (held_ >= kFilled) return;
    if (at_ + 8 <= bytes_.size()) {
      window_ |= load<uint64_t>(bytes_.data() + at_) << held_;
      const uint32_t whole = (63 - held_) / 8;
      at_ += whole;
      held_ += 8 * whole;
      return;
    }
    for (; held_ < kFilled; held_ += 8, at_++) {
      if (at_ < bytes_.size()) window_ |= uint64_t{bytes_[static_cast<size_t>(at_)]} << held_;
    }
  }
  void drop(uint32_t count) {
    window_ >>= count;
    held_ -= count;
  }

  ByteView bytes_;
  uint64_t at_ = 0;  // next byte to load; 64 bits, since it continues past the end
  uint64_t window_ = 0;
  uint32_t held_ = 0;
};

/// Writes bits. Bits that do not fit are dropped and make isFull() true.
class ZfpWriter {
 public:
  explicit ZfpWriter(ByteSpan bytes) : bytes_(bytes) {}

  /// Appends the lowest `count` (at most 32) bits of `value`; the others must be 0.
  void bits(uint64_t value, uint32_t count) {
    window_ |= value << held_;
    held_ += count;
    if (held_ < 32) return;
    putBytes(4);
    window_ >>= 32;
    held_ -= 32;
  }
  void zeros(uint64_t count) {
    for (; count > 32; count -= 32) bits(0, 32);
    bits(0, static_cast<uint32_t>(count));
  }

  uint64_t position() const { return 8 * uint64_t{at_} + held_; }
  bool isFull() const { return isFull_; }

  /// Pads with zeros to a multiple of 64 bits and returns the number of bytes written.
  size_t finish() {
    zeros((64 - position() % 64) % 64);
    return at_;
  }

 private:
  void putBytes(size_t count) {
    if (bytes_.size() - at_ < count) {
      isFull_ = true;
      return;
    }
    store(bytes_.data() + at_, static_cast<uint32_t>(window_));
    at_ += count;
  }

  ByteSpan bytes_;
  size_t at_ = 0;
  uint64_t window_ = 0;
  uint32_t held_ = 0;  // below 32 between calls
  bool isFull_ = false;
};

}  // namespace zw
