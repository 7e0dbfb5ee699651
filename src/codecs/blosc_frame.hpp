// The Blosc-1 frame, read and checked: everything that can be known from its header and block
// table.
//
//   byte 0   version = 2            byte 4..7    nbytes: decoded size       (all u32le)
//   byte 1   inner format version   byte 8..11   blocksize
//   byte 2   flags                  byte 12..15  cbytes: size of the frame
//   byte 3   typesize               then, unless the data is stored as it is, a table of blocks:
//                                   for each block the offset, from byte 0, of its streams
//   flags: 1 byte shuffle, 2 stored as it is, 4 bit shuffle, 8 and 1+4: not Blosc-1,
//          16 blocks are one stream each, bits 5..7 the inner format
//
// A block decodes to blocksize bytes, the last one to what is left. It is one stream, or one stream
// per byte of the type size, and each stream is: i32le size, then that many bytes, compressed or
// (if as many as it decodes to) not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"

namespace zw {

/// Inner formats, by their number in the frame. (lz4hc writes Lz4.)
enum class BloscFormat : uint8_t { Blosclz = 0, Lz4 = 1, Snappy = 2, Zlib = 3, Zstd = 4 };

enum class BloscFilter : uint8_t { None, Bytes, Bits };

inline constexpr size_t kBloscHeader = 16;
inline constexpr uint8_t kBloscVersion = 2;
/// Version of every inner format so far.
inline constexpr uint8_t kBloscFormatVersion = 1;
/// Largest decoded size: all sizes are signed 32-bit numbers to other readers.
inline constexpr uint32_t kBloscMaxBytes = 0x7fffffff - kBloscHeader;
/// Blocks are split into streams only up to this type size, and when each gets this many bytes.
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

/// A frame whose header and block table have been checked against each other and the input.
struct BloscFrame {
  ByteView bytes;  // the whole frame, cbytes long
  uint32_t decodedBytes = 0;
  uint32_t blockBytes = 0;
  uint32_t blockCount = 0;
  uint32_t typeBytes = 1;
  BloscFormat format = BloscFormat::Blosclz;
  BloscFilter filter = BloscFilter::None;
  bool stored = false;
  bool oneStream = false;

  /// Where the block's decoded bytes begin.
  size_t begin(uint32_t block) const { return size_t{block} * blockBytes; }
  BloscBlock block(uint32_t block) const;
  /// Where the block's streams begin in the frame (not to be asked of a stored frame).
  uint32_t streamsAt(uint32_t block) const {
    return load<uint32_t>(bytes.data() + kBloscHeader + 4 * size_t{block});
  }
  /// Where streams can begin at the earliest.
  size_t tableEnd() const { return kBloscHeader + 4 * size_t{blockCount}; }
};

/// Number of streams of a block by the rule that all versions of Blosc share.
uint32_t bloscStreams(bool oneStream, uint32_t typeBytes, uint32_t blockBytes, bool isLeftover);

/// Reads and checks the frame at the front of `in`. Frames that decode to more than `mostBytes` are
/// SizeMismatch, bytes after the frame TrailingBytes unless `trailingAllowed`.
Status readBloscFrame(ByteView in, size_t mostBytes, bool trailingAllowed, BloscFrame& frame);

}  // namespace zw
