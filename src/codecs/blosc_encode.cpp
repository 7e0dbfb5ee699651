// Block sizes and splits follow c-blosc. All Blosc-1 readers since 2009 can read the frames, which
// are about as small as c-blosc's.
#ifdef ZW_FULL_MODULE

#include "codecs/blosc_encode.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "codecs/blosclz.hpp"
#include "codecs/deflate.hpp"
#include "codecs/lz4_encode.hpp"
#include "codecs/snappy.hpp"
#include "codecs/zstd.hpp"
#include "kernels/bitshuffle.hpp"
#include "kernels/shuffle.hpp"

namespace zw {
namespace {

/// Smaller chunks are stored.
constexpr size_t kMinFrameBytes = 128;
/// Largest block that c-blosc accepts.
constexpr uint32_t kMaxBlockBytes = (0x7fffffff - 255 * 4) / 3;

BloscFormat frameFormat(BloscCompressor compressor) {
  switch (compressor) {
    case BloscCompressor::Blosclz:
      return BloscFormat::Blosclz;
    case BloscCompressor::Lz4:
    case BloscCompressor::Lz4hc:
      return BloscFormat::Lz4;
    case BloscCompressor::Snappy:
      return BloscFormat::Snappy;
    case BloscCompressor::Zlib:
      return BloscFormat::Zlib;
    case BloscCompressor::Zstd:
      return BloscFormat::Zstd;
  }
  return BloscFormat::Lz4;
}

/// True for compressors that gain from larger blocks.
bool isThorough(BloscCompressor compressor) {
  return compressor == BloscCompressor::Lz4hc || compressor == BloscCompressor::Zlib ||
         compressor == BloscCompressor::Zstd;
}

/// True if each byte plane becomes a stream. zstd finds the borders of planes itself.
bool wantsSplit(const BloscSettings& settings) {
  return settings.compressor != BloscCompressor::Zstd && settings.typeBytes <= kBloscMaxSplits;
}

uint32_t automaticBlockBytes(const BloscSettings& settings) {
  constexpr uint32_t kKiB = 1024;
  constexpr uint32_t kByLevel[10] = {8, 16, 32, 64, 128, 128, 256, 256, 256, 256};
  uint32_t bytes = kByLevel[settings.level] * kKiB;
  if (isThorough(settings.compressor)) bytes *= settings.level == 9 ? 4 : 2;
  if (wantsSplit(settings)) {
    bytes = std::min(bytes, 256 * kKiB) * settings.typeBytes;
    bytes = std::clamp(bytes, 64 * kKiB, 1024 * kKiB);
  }
  return bytes;
}

int32_t zstdLevel(uint32_t level) {
  if (level == 9) return 22;
  return level == 8 ? 20 : static_cast<int32_t>(2 * level) - 1;
}

/// Encodes one frame.
class Encoder {
 public:
  Encoder(const BloscSettings& settings, ByteView in, ByteSpan out, Workspace& work)
      : settings_(settings), in_(in), out_(out), work_(work) {}

  Status run(size_t& produced) {
    if (in_.size() > kBloscMaxBytes) return Code::LimitExceeded;
    frame_.typeBytes = settings_.typeBytes;
    frame_.decodedBytes = static_cast<uint32_t>(in_.size());
    frame_.blockBytes = bloscBlockBytes(settings_, in_.size());
    frame_.oneStream =
        bloscStreams(!wantsSplit(settings_), frame_.typeBytes, frame_.blockBytes, false) == 1;
    bool fits = false;
    if (settings_.level > 0 && in_.size() >= kMinFrameBytes) {
      if (Status s = compressBlocks(fits)) return s;
    }
    if (!fits) {
      if (out_.size() < kBloscHeader + in_.size()) return Code::EncodeFailed;
      if (!in_.empty()) std::memcpy(out_.data() + kBloscHeader, in_.data(), in_.size());
      at_ = kBloscHeader + in_.size();
      frame_.stored = true;
    }
    writeHeader();
    produced = at_;
    return {};
  }

 private:
  /// Compresses all blocks. Stops with `fits` false once the frame is larger than a stored one.
  Status compressBlocks(bool& fits) {
    const uint64_t blocks = ceilDiv(frame_.decodedBytes, frame_.blockBytes);
    room_ = std::min(out_.size(), kBloscHeader + in_.size());
    if (kBloscHeader + 4 * blocks > room_) return {};
    frame_.blockCount = static_cast<uint32_t>(blocks);
    at_ = frame_.tableEnd();
    if (Status s = makeMatchTable()) return s;
    for (uint32_t i = 0; i < frame_.blockCount; i++) {
      store(out_.data() + kBloscHeader + 4 * size_t{i}, static_cast<uint32_t>(at_));
      const BloscBlock block = frame_.block(i);
      ByteView bytes = in_.subspan(frame_.begin(i), block.bytes);
      if (Status s = shuffle(bytes)) return s;
      const size_t each = bytes.size() / block.streams;
      for (uint32_t k = 0; k < block.streams; k++) {
        if (Status s = compressStream(bytes.subspan(k * each, each), fits)) return s;
        if (!fits) return {};
      }
    }
    return {};
  }

  /// Replaces a block by its shuffled copy in scratch memory.
  Status shuffle(ByteView& block) {
    const size_t count = block.size() / frame_.typeBytes;
    const bool bits = settings_.filter == BloscFilter::Bits && count % 8 == 0;
    const bool bytes = settings_.filter == BloscFilter::Bytes && frame_.typeBytes > 1;
    if (!bits && !bytes) return {};
    ByteSpan scratch;
    if (Status s = work_.scratch(ScratchSlot::BloscBlock, block.size(), scratch)) return s;
    if (bits) {
      bitshuffle(scratch.data(), block.data(), count, frame_.typeBytes);
    } else {
      shuffleBytes(scratch.data(), block.data(), count, frame_.typeBytes);
    }
    const size_t whole = count * frame_.typeBytes;
    if (whole < block.size()) {
      std::memcpy(scratch.data() + whole, block.data() + whole, block.size() - whole);
    }
    block = scratch;
    return {};
  }

  /// Appends one stream, raw if compression does not make it smaller.
  Status compressStream(ByteView bytes, bool& fits) {
    fits = room_ - at_ >= 4;
    if (!fits) return {};
    uint8_t* const sizeField = out_.data() + at_;
    const size_t left = room_ - at_ - 4;
    // A compressed stream of the decoded size would be read as raw.
    const ByteSpan room = out_.subspan(at_ + 4, std::min(left, bytes.size() - 1));
    size_t produced = 0;
    if (Status s = compress(bytes, room, produced)) return s;
    if (produced == 0) {
      fits = bytes.size() <= left;
      if (!fits) return {};
      std::memcpy(sizeField + 4, bytes.data(), bytes.size());
      produced = bytes.size();
    }
    store(sizeField, static_cast<uint32_t>(produced));
    at_ += 4 + produced;
    return {};
  }

  /// Compresses into `room`; `produced` is 0 if the result does not fit.
  Status compress(ByteView bytes, ByteSpan room, size_t& produced) {
    switch (settings_.compressor) {
      case BloscCompressor::Blosclz:
        produced = blosclzEncode(table_, bytes, room);
        return {};
      case BloscCompressor::Snappy:
        produced = snappyEncode(table_, bytes, room);
        return {};
      case BloscCompressor::Lz4:
        return lz4EncodeBlock(work_, 10 - static_cast<int32_t>(settings_.level), bytes, room,
                              produced);
      case BloscCompressor::Lz4hc:
        return lz4hcEncodeBlock(work_, static_cast<int32_t>(settings_.level), bytes, room,
                                produced);
      case BloscCompressor::Zlib:
        return deflateZlib(work_, settings_.level, bytes, room, produced);
      case BloscCompressor::Zstd:
        return zstdEncode(work_, zstdLevel(settings_.level), false, bytes, room, produced);
    }
    return Code::BadParameters;
  }

  Status makeMatchTable() {
    if (settings_.compressor != BloscCompressor::Blosclz &&
        settings_.compressor != BloscCompressor::Snappy) {
      return {};
    }
    if (Status s = lz::makeMatchTable(work_, table_)) return s;
    table_.skipShift = 4 + settings_.level / 3;
    return {};
  }

  void writeHeader() {
    const bool bytes = settings_.filter == BloscFilter::Bytes && frame_.typeBytes > 1;
    const bool bits = settings_.filter == BloscFilter::Bits;
    uint8_t* const header = out_.data();
    header[0] = kBloscVersion;
    header[1] = kBloscFormatVersion;
    header[2] = static_cast<uint8_t>(
        static_cast<uint32_t>(frameFormat(settings_.compressor)) << 5 |
        (bytes ? kBloscByteShuffle : 0) | (bits ? kBloscBitShuffle : 0) |
        (frame_.stored ? kBloscStored : 0) | (frame_.oneStream ? kBloscOneStream : 0));
    header[3] = static_cast<uint8_t>(frame_.typeBytes);
    store(header + 4, frame_.decodedBytes);
    store(header + 8, frame_.blockBytes);
    store(header + 12, static_cast<uint32_t>(at_));
  }

  const BloscSettings& settings_;
  const ByteView in_;
  const ByteSpan out_;
  Workspace& work_;
  BloscFrame frame_;
  lz::MatchTable table_;
  size_t room_ = 0;  // maximum size of a compressed frame
  size_t at_ = 0;    // bytes written
};

}  // namespace

uint32_t bloscBlockBytes(const BloscSettings& settings, size_t bytes) {
  uint32_t block = settings.blockBytes ? std::max(settings.blockBytes, uint32_t{kMinFrameBytes})
                                       : automaticBlockBytes(settings);
  block = static_cast<uint32_t>(std::min<size_t>({block, kMaxBlockBytes, bytes}));
  // Whole elements, and for the bit shuffle whole groups of eight if there are enough.
  const uint32_t group = settings.typeBytes * (settings.filter == BloscFilter::Bits ? 8 : 1);
  if (block >= group) return block - block % group;
  if (block > settings.typeBytes) return block - block % settings.typeBytes;
  return std::max<uint32_t>(block, 1);
}

Status encodeBloscFrame(const BloscSettings& settings, ByteView in, ByteSpan out, Workspace& work,
                        size_t& produced) {
  return Encoder(settings, in, out, work).run(produced);
}

}  // namespace zw

#endif  // ZW_FULL_MODULE
