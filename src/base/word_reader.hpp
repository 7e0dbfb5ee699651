// WordReader: reads the 32-bit words of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace zw {

/// Reads words from the front and never past the end. A failed read returns 0 or an empty span and
/// makes ok() false from then on.
class WordReader {
 public:
  explicit WordReader(std::span<const uint32_t> words) : words_(words) {}

  uint32_t next() {
    const std::span<const uint32_t> one = take(1);
    return one.empty() ? 0 : one[0];
  }
  std::span<const uint32_t> take(size_t count) {
    if (count > words_.size() - at_) {
      ok_ = false;
      return {};
    }
    at_ += count;
    return words_.subspan(at_ - count, count);
  }
  bool ok() const { return ok_; }
  bool atEnd() const { return at_ == words_.size(); }

 private:
  std::span<const uint32_t> words_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace zw
