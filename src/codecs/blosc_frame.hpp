// Reads and checks the header and block table of Blosc-1 frames.
//
//   byte 0   version = 2            byte 4..7    nbytes: decoded size       (all u32le)
//   byte 1   inner format version   byte 8..11   blocksize
//   byte 2   flags                  byte 12..15  cbytes: size of the frame
//   byte 3   typesize               then, unless the data is stored, a block table: for each block
//                                   the offset of its streams from byte 0
//   flags: 1 byte shuffle, 2 stored, 4 bit shuffle, 8 and 1+4: not Blosc-1,
//          16 one stream per block, bits 5..7 inner format
//
// A block decodes to blocksize bytes, the last one to the rest. It consists of one stream, or of
// one stream per byte of the element. A stream is an i32le size and that many bytes, which are raw
// if the size is the decoded size, and compressed otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"

namespace zw {

/// Inner formats, by their number in the frame. (lz4hc produces Lz4.)
enum class BloscFormat : uint8_t { Blosclz = 0, Lz4 = 1, Snappy = 2, Zlib = 3, Zstd = 4 };

enum class BloscFilter : uint8_t { None, Bytes, Bits };

inline constexpr size_t kBloscHeader = 16;
inline constexpr uint8_t kBloscVersion = 2;
/// Version of all existing inner formats.
inline constexpr uint8_t kBloscFormatVersion = 1;
/// Maximum decoded size; other readers treat sizes as signed 32-bit numbers.
inline constexpr uint32_t kBloscMaxBytes = 0x7fffffff - kBloscHeader;
/// Blocks are split into streams only up to this type size, and if each gets this many bytes.
inline constexpr uint32_t kBloscMaxSplits = 16;
inline constexpr uint32_t kBloscMinSplitBytes = 128;

enum BloscFlag : uint8_t {
  kBloscByteShuffle = 0x01,
  kBloscStored = 0x02,
  kBloscBitShuffle = 0x04,
  kBloscReserved = 0x08,
  kBloscOneStream = 0x10,
};

/// Decoded bytes and streams of one block.
struct BloscBlock {
  uint32_t bytes = 0;
  uint32_t streams = 1;
};

/// A frame whose header was checked against the input.
struct BloscFrame {
  ByteView bytes;  // the whole frame, cbytes bytes
  uint32_t decodedBytes = 0;
  uint32_t blockBytes = 0;
  uint32_t blockCount = 0;
  uint32_t typeBytes = 1;
  BloscFormat format = BloscFormat::Blosclz;
  BloscFilter filter = BloscFilter::None;
  bool stored = false;
  bool oneStream = false;

  /// Offset of the block in the decoded data.
  size_t begin(uint32_t block) const { return size_t{block} * blockBytes; }
  BloscBlock block(uint32_t block) const;
  /// Offset of the block's streams in the frame, unchecked. Not for stored frames.
  uint32_t streamsAt(uint32_t block) const {
    return load<uint32_t>(bytes.data() + kBloscHeader + 4 * size_t{block});
  }
  /// Offset of the first possible stream.
  size_t tableEnd() const { return kBloscHeader + 4 * size_t{blockCount}; }
};

/// Number of streams of a block, by the rule of all versions of Blosc.
uint32_t bloscStreams(bool oneStream, uint32_t typeBytes, uint32_t blockBytes, bool isLeftover);

/// Reads and checks the frame at the front of `in`. Fails with SizeMismatch if it decodes to more
/// than `maxBytes`, and with TrailingBytes if bytes follow the frame, unless `trailingAllowed`.
Status readBloscFrame(ByteView in, size_t maxBytes, bool trailingAllowed, BloscFrame& frame);

}  // namespace zw
