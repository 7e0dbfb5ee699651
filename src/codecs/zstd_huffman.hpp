// Huffman-coded literals of zstd (RFC 8878, 4.2).
#pragma once

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/zstd_bits.hpp"

namespace zw::zstd {

/// A stream of the fast loops. The next bits are the highest ones of `bits`, and a sentinel bit is
/// below the last one.
struct Lane {
  uint64_t bits;
  const uint8_t* at;
  uint8_t* out;
};

class HuffmanTable {
 public:
  /// The longest code in bits.
  static constexpr uint32_t kLog = 11;

  /// Reads a tree description from the front of `in` and sets its length.
  Status read(ByteView in, size_t& length);

  /// Decodes one stream, all of `in`, into exactly `out`.
  Status decodeOne(ByteView in, ByteSpan out) const;

  /// Decodes four streams after their jump table, all of `in`, into exactly `out`.
  Status decodeFour(ByteView in, ByteSpan out);

 private:
  static constexpr uint32_t kMaxSymbols = 256;

  /// The symbol of each value of the next kLog bits, and the length of its code.
  struct Entry {
    uint8_t bits, symbol;
  };
  /// One or two symbols of each value of the next kLog bits, and the length of their codes.
  struct Pair {
    uint8_t symbols[2];
    uint8_t bits, count;
  };
  struct Streams;

  bool build(uint8_t* weights, uint32_t count);
  void buildPairs();
  static bool split(ByteView in, ByteSpan out, Streams& streams);
  static size_t safeTurns(const Streams& streams, const Lane (&lanes)[4], size_t most);
  void decodeFast(const Streams& streams, Lane (&lanes)[4]);
  void turnOnes(Lane (&lanes)[4], size_t turns) const;
  void turnPairs(Lane (&lanes)[4], size_t turns) const;
  bool finish(BackwardBits bits, uint8_t* op, uint8_t* end) const;

  Entry entries_[1 << kLog];
  Pair pairs_[1 << kLog];
  bool hasPairs_ = false;
};

}  // namespace zw::zstd
