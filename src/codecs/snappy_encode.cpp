// Encodes Snappy streams (format: snappy_decode.cpp).
#ifdef ZW_FULL_MODULE

#include "codecs/snappy.hpp"

namespace zw {
namespace {

class Writer {
 public:
  static constexpr size_t kMaxDistance = 65535;

  explicit Writer(ByteSpan out)
      : start_(out.data()), op_(out.data()), end_(out.data() + out.size()) {}

  bool isWorthwhile(size_t, size_t) const { return true; }

  bool size(size_t value) {
    if (end_ - op_ < 5) return false;
    for (; value >= 0x80; value >>= 7) *op_++ = static_cast<uint8_t>(value | 0x80);
    *op_++ = static_cast<uint8_t>(value);
    return true;
  }

  bool literals(const uint8_t* from, size_t count) {
    if (count == 0) return true;
    if (static_cast<size_t>(end_ - op_) < 5 + count) return false;
    const size_t coded = count - 1;
    if (coded < 60) {
      *op_++ = static_cast<uint8_t>(coded << 2);
    } else {
      const size_t bytes = coded < 1u << 8 ? 1 : coded < 1u << 16 ? 2 : coded < 1u << 24 ? 3 : 4;
      *op_++ = static_cast<uint8_t>((59 + bytes) << 2);
      for (size_t i = 0; i < bytes; i++) *op_++ = static_cast<uint8_t>(coded >> (8 * i));
    }
    std::memcpy(op_, from, count);
    op_ += count;
    return true;
  }

  bool match(size_t distance, size_t length) {
    if (static_cast<size_t>(end_ - op_) / 3 <= length / 60 + 1) return false;
    // Pieces of at most 64; the last has at least 4, so that it may take the short form.
    for (; length >= 68; length -= 64) piece(distance, 64);
    if (length > 64) {
      piece(distance, 60);
      length -= 60;
    }
    piece(distance, length);
    return true;
  }

  size_t written() const { return static_cast<size_t>(op_ - start_); }

 private:
  void piece(size_t distance, size_t length) {
    if (length >= 4 && length < 12 && distance < 2048) {
      *op_++ = static_cast<uint8_t>(distance >> 8 << 5 | (length - 4) << 2 | 1);
      *op_++ = static_cast<uint8_t>(distance);
    } else {
      *op_++ = static_cast<uint8_t>((length - 1) << 2 | 2);
      store(op_, static_cast<uint16_t>(distance));
      op_ += 2;
    }
  }

  const uint8_t* const start_;
  uint8_t* op_;
  uint8_t* const end_;
};

}  // namespace

size_t snappyEncode(lz::MatchTable& table, ByteView in, ByteSpan out) {
  Writer writer(out);
  if (!writer.size(in.size()) || !lz::encode(table, in, writer)) return 0;
  return writer.written();
}

}  // namespace zw

#endif  // ZW_FULL_MODULE
