// Input: reads choices and data from a fuzzer's bytes.
#pragma once

#include <algorithm>

#include "base/bytes.hpp"

namespace zw::fuzz {

/// Reads from the front, and zeros past the end.
class Input {
 public:
  explicit Input(ByteView bytes) : left_(bytes) {}

  uint8_t u8() { return take<uint8_t>(); }
  uint16_t u16() { return take<uint16_t>(); }
  uint32_t u32() { return take<uint32_t>(); }
  /// A number from `min` to `max`, which differ by at most 65535.
  uint32_t between(uint32_t min, uint32_t max) {
    const uint32_t choices = max - min + 1;
    return min + (choices <= 256 ? u8() : u16()) % choices;
  }
  template <class T, size_t N>
  T oneOf(const T (&choices)[N]) {
    return choices[between(0, N - 1)];
  }
  /// The next `count` bytes, or as many as are left.
  ByteView bytes(size_t max) {
    const ByteView taken = left_.first(std::min(max, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  ByteView rest() { return bytes(left_.size()); }
  size_t left() const { return left_.size(); }

 private:
  template <class T>
  T take() {
    T value = 0;
    const ByteView taken = bytes(sizeof(T));
    if (!taken.empty()) std::memcpy(&value, taken.data(), taken.size());
    return value;
  }

  ByteView left_;
};

}  // namespace zw::fuzz
