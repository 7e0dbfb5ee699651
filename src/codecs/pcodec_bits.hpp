// Bit reader of pcodec: fields are packed without gaps, starting at the lowest bit of each byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.hpp"

namespace zw {

/// Reads fields. Reading past the end yields zeros: callers check isPastEnd() after each section,
/// and the size of a section is bounded.
class PcoReader {
 public:
  /// Bytes after a window that unaligned loads may read.
  static constexpr size_t kSlack = 16;
  /// Maximum size of a window: a batch of one variable, with 14 bits of state and 64 of offset per
  /// number.
  static constexpr size_t kMaxWindow = 256 * (14 + 64) / 8 + 1;

  explicit PcoReader(ByteView bytes) : bytes_(bytes) {}

  /// The next `count` bits, at most 64.
  uint64_t bits(uint32_t count) {
    const uint64_t at = position_;
    position_ += count;
    if (count == 0) return 0;
    uint8_t around[9] = {};
    const uint64_t byte = at / 8;
    if (byte < bytes_.size()) {
      const size_t left = bytes_.size() - static_cast<size_t>(byte);
      std::memcpy(around, bytes_.data() + byte, left < sizeof around ? left : sizeof around);
    }
    const auto shift = static_cast<uint32_t>(at % 8);
    uint64_t value = load<uint64_t>(around) >> shift;
    if (shift != 0) value |= uint64_t{around[8]} << (64 - shift);
    return count == 64 ? value : value & ((uint64_t{1} << count) - 1);
  }

  /// Skips to the next whole byte; false if a skipped bit is not zero.
  bool align() { return bits(static_cast<uint32_t>(-position_ % 8)) == 0; }

  /// Skips `count` bits.
  void skip(uint64_t count) { position_ += count; }

  /// Returns the bytes from the one that holds the next bit on. `bytes` of them (at most
  /// kMaxWindow) and the slack may be read, zeros past the end. Near the end they are a copy.
  /// Valid until the next call.
  const uint8_t* window(size_t bytes) {
    const uint64_t byte = position_ / 8;
    const size_t left = byte < bytes_.size() ? bytes_.size() - static_cast<size_t>(byte) : 0;
    if (left >= bytes + kSlack) return bytes_.data() + byte;
    std::memset(tail_, 0, bytes + kSlack);
    if (left > 0) std::memcpy(tail_, bytes_.data() + byte, left);
    return tail_;
  }

  uint64_t position() const { return position_; }
  void seek(uint64_t position) { position_ = position; }
  /// The byte of the next bit, for error offsets.
  uint64_t byte() const { return position_ / 8; }
  bool isPastEnd() const { return position_ > uint64_t{8} * bytes_.size(); }
  /// Bits left; 0 past the end.
  uint64_t left() const { return isPastEnd() ? 0 : uint64_t{8} * bytes_.size() - position_; }

 private:
  ByteView bytes_;
  uint64_t position_ = 0;  // bits
  uint8_t tail_[kMaxWindow + kSlack];
};

}  // namespace zw
