// Decoder of zstd frames without dictionaries (RFC 8878).
#pragma once

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/zstd_huffman.hpp"
#include "codecs/zstd_sequences.hpp"

namespace zw::zstd {

class FrameDecoder {
 public:
  /// Decodes the frame at the front of `in` into the front of `out`; sets the frame's length and
  /// the bytes decoded. Fails with SizeMismatch if `out` is too small.
  Status decode(ByteView in, ByteSpan out, bool verifiesChecksum, size_t& length, size_t& produced);

 private:
  static constexpr size_t kMaxBlock = 128 << 10;

  Status decodeBlock(ByteView in, size_t maxBlock, Output& out);
  Status readLiterals(ByteView in, size_t maxBlock, Literals& literals, size_t& length);

  SequenceDecoder sequences_;
  HuffmanTable huffman_;
  bool hasHuffman_ = false;
  uint8_t literals_[kMaxBlock + Literals::kSlack];
};

}  // namespace zw::zstd
