// Encodes BloscLZ streams (format: blosclz_decode.cpp).
#ifdef ZW_FULL_MODULE

#include "codecs/blosclz.hpp"

#include <algorithm>

namespace zw {
namespace {

class Writer {
 public:
  static constexpr size_t kMaxDistance = 65535 + 8191 - 2;  // as in c-blosc

  explicit Writer(ByteSpan out)
      : start_(out.data()), op_(out.data()), end_(out.data() + out.size()) {}

  /// A far match takes five bytes, including the control byte of the next literals.
  bool isWorthwhile(size_t distance, size_t length) const {
    return length >= 6 || distance <= kNear;
  }

  bool literals(const uint8_t* from, size_t count) {
    constexpr size_t kRun = 32;
    if (static_cast<size_t>(end_ - op_) < count + (count + kRun - 1) / kRun) return false;
    while (count > 0) {
      const size_t run = std::min(count, kRun);
      *op_++ = static_cast<uint8_t>(run - 1);
      if (run == kRun) {
        std::memcpy(op_, from, kRun);
      } else {
        for (size_t i = 0; i < run; i++) op_[i] = from[i];
      }
      op_ += run;
      from += run;
      count -= run;
    }
    return true;
  }

  bool match(size_t distance, size_t length) {
    if (static_cast<size_t>(end_ - op_) < length / 255 + 6) return false;
    const bool isFar = distance > kNear;
    const size_t coded = isFar ? kFarMark : distance - 1;
    const size_t shortLength = std::min<size_t>(length - 2, 7);
    *op_++ = static_cast<uint8_t>(shortLength << 5 | coded >> 8);
    if (shortLength == 7) {
      size_t rest = length - 9;
      for (; rest >= 255; rest -= 255) *op_++ = 255;
      *op_++ = static_cast<uint8_t>(rest);
    }
    *op_++ = static_cast<uint8_t>(coded);
    if (isFar) {
      const size_t beyond = distance - kNear - 1;
      *op_++ = static_cast<uint8_t>(beyond >> 8);
      *op_++ = static_cast<uint8_t>(beyond);
    }
    return true;
  }

  size_t written() const { return static_cast<size_t>(op_ - start_); }

 private:
  static constexpr size_t kNear = 8191;
  static constexpr size_t kFarMark = 0x1fff;

  const uint8_t* const start_;
  uint8_t* op_;
  uint8_t* const end_;
};

}  // namespace

size_t blosclzEncode(lz::MatchTable& table, ByteView in, ByteSpan out) {
  if (in.empty()) return 0;
  Writer writer(out);
  if (!lz::encode(table, in, writer)) return 0;
  out[0] |= 0x20;  // marker, as set by other encoders
  return writer.written();
}

}  // namespace zw

#endif  // ZW_FULL_MODULE
