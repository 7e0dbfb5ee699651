// Trust: counts are checked to sum up to 2^log, so every state of a table is set, and leads to
// states within it.
#include "codecs/zstd_fse.hpp"

#include <algorithm>
#include <bit>

namespace zw::zstd {
namespace {

constexpr uint32_t kMinLog = 5;

/// Reads bits from the front, lowest first. Beyond the end they are zero.
class ForwardBits {
 public:
  explicit ForwardBits(ByteView in) : in_(in) {}

  uint32_t peek(uint32_t n) const {
    uint32_t word = 0;
    const size_t from = at_ >> 3;
    for (size_t i = 0; i < 4 && from + i < in_.size(); i++)
      word |= uint32_t{in_[from + i]} << (8 * i);
    return (word >> (at_ & 7)) & ((uint32_t{1} << n) - 1);
  }
  void skip(uint32_t n) { at_ += n; }
  uint32_t take(uint32_t n) {
    const uint32_t value = peek(n);
    skip(n);
    return value;
  }
  size_t bytes() const { return (at_ + 7) >> 3; }

 private:
  ByteView in_;
  size_t at_ = 0;
};

}  // namespace

Status readFseCounts(ByteView in, uint32_t maxSymbols, uint32_t maxLog, FseCounts& counts,
                     size_t& length) {
  ForwardBits bits(in);
  counts.log = bits.take(4) + kMinLog;
  if (counts.log > maxLog) return Code::Corrupt;
  std::fill(std::begin(counts.of), std::end(counts.of), int16_t{0});
  int32_t left = (1 << counts.log) + 1;  // probability not given yet, plus 1
  uint32_t symbol = 0;
  while (left > 1) {
    if (symbol >= maxSymbols || bits.bytes() > in.size()) return Code::Corrupt;
    // Values below `shorter` take one bit less.
    const uint32_t width = std::bit_width(static_cast<uint32_t>(left));
    const uint32_t half = uint32_t{1} << (width - 1);
    const uint32_t shorter = 2 * half - 1 - static_cast<uint32_t>(left);
    uint32_t value = bits.peek(width);
    if ((value & (half - 1)) < shorter) {
      value &= half - 1;
      bits.skip(width - 1);
    } else {
      if (value >= half) value -= shorter;
      bits.skip(width);
    }
    const int32_t count = static_cast<int32_t>(value) - 1;
    left -= count < 0 ? 1 : count;
    if (left < 1) return Code::Corrupt;
    counts.of[symbol++] = static_cast<int16_t>(count);
    if (count == 0) {
      uint32_t zeros;
      do {
        zeros = bits.take(2);
        symbol += zeros;
      } while (zeros == 3 && symbol < maxSymbols);
    }
  }
  counts.symbols = symbol;
  length = bits.bytes();
  return symbol <= maxSymbols && length <= in.size() ? Status{} : Status{Code::Corrupt};
}

void spreadFseSymbols(const FseCounts& counts, uint8_t* symbols) {
  const uint32_t size = uint32_t{1} << counts.log, mask = size - 1;
  const uint32_t step = (size >> 1) + (size >> 3) + 3;
  uint32_t top = size;  // symbols of probability "less than 1" take the last states
  for (uint32_t s = 0; s < counts.symbols; s++) {
    if (counts.of[s] < 0) symbols[--top] = static_cast<uint8_t>(s);
  }
  uint32_t at = 0;
  for (uint32_t s = 0; s < counts.symbols; s++) {
    for (int32_t i = 0; i < counts.of[s]; i++) {
      symbols[at] = static_cast<uint8_t>(s);
      do at = (at + step) & mask;
      while (at >= top);
    }
  }
}

}  // namespace zw::zstd
