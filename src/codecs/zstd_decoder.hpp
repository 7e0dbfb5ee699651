// Decoder of zstd frames (RFC 8878): whole frames without dictionaries, and the blocks of other frames.
#pragma once

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/zstd_huffman.hpp"
#include "codecs/zstd_sequences.hpp"

namespace zw::zstd {

inline constexpr size_t kMaxBlock = 128 << 10;

struct FrameHeader {
  size_t bytes;
  size_t maxBlock;
  uint64_t window;
  uint64_t contentSize;
  uint32_t dictionaryId;  // 0: none
  bool hasContentSize;
  bool hasChecksum;
};

/// Reads the header at the front of `in`, magic number included; Truncated if bytes are missing.
Status readFrameHeader(ByteView in, FrameHeader& header);

struct BlockHeader {
  static constexpr size_t kBytes = 3;
  enum Type : uint8_t { Raw, Repeated, Compressed };

  bool isLast;
  Type type;
  size_t size;    // decoded, unless the block is compressed
  size_t stored;  // of the block after its header
};

/// Reads the header at the front of `in`, which has at least kBytes.
Status readBlockHeader(ByteView in, const FrameHeader& frame, BlockHeader& header);

class FrameDecoder {
 public:
  /// Decodes the frame at the front of `in` into the front of `out`; sets the frame's length and
  /// the bytes decoded. Fails with SizeMismatch if `out` is too small.
  Status decode(ByteView in, ByteSpan out, bool verifiesChecksum, size_t& length, size_t& produced);

  /// Forgets the tables and offsets of the previous frame.
  void startFrame();

  /// Takes the tables and offsets of a dictionary from the front of `in`, after its magic number and
  /// id, for the next frame. The rest of `in` is its content. Sets the length of the tables.
  Status readDictionary(ByteView in, size_t& length);

  /// Decodes a block. `in` is the block without its header. Fails with SizeMismatch if there is too
  /// little room.
  Status decodeBlock(const BlockHeader& header, ByteView in, size_t maxBlock, Output& out);

 private:
  Status readLiterals(ByteView in, size_t maxBlock, Literals& literals, size_t& length);

  SequenceDecoder sequences_;
  HuffmanTable huffman_;
  bool hasHuffman_ = false;
  uint8_t literals_[kMaxBlock + Literals::kSlack];
};

}  // namespace zw::zstd
