// Safety: every offset and size in the frame is checked against the remaining input before use, in
// 64 bits or in a form that cannot wrap. A compressed stream may not be longer than its decoded
// size (encoders store such streams raw), except for Snappy, which has a different bound. Inner
// decoders get exact ends. Scratch memory is one block, and a block is at most as large as the output.
//
// Speed: a block is unshuffled into its final place while it is in the cache; raw streams are
// unshuffled directly from the input.
#include "codecs/blosc_decode.hpp"

#include <algorithm>

#include "codecs/blosclz.hpp"
#include "codecs/deflate.hpp"
#include "codecs/lz4_block.hpp"
#include "codecs/snappy.hpp"
#include "codecs/zstd.hpp"
#include "kernels/bitshuffle.hpp"
#include "kernels/shuffle.hpp"

namespace zw {
namespace {

/// Room for loose copies after a block in scratch memory.
constexpr size_t kScratchSlack = 64;

/// A stream and its decoded size.
struct Stream {
  ByteView bytes;
  uint32_t decodedBytes = 0;
  bool isRaw() const { return bytes.size() == decodedBytes; }
};

/// Reads the streams of one block in sequence.
class StreamReader {
 public:
  StreamReader(const BloscFrame& frame, uint32_t block)
      : frame_(frame), at_(frame.streamsAt(block)) {}

  /// Checks that the offset in the block table leaves room for a stream.
  Status check() const {
    const bool inside = at_ >= frame_.tableEnd() && at_ <= frame_.bytes.size() - 4;
    return inside ? Status{} : Status{Code::Corrupt, at_};
  }

  /// Reads the next stream, which must decode to `decodedBytes`.
  Status next(uint32_t decodedBytes, Stream& stream) {
    const size_t left = frame_.bytes.size() - at_;
    if (left < 4) return {Code::Corrupt, at_};
    const uint32_t size = load<uint32_t>(frame_.bytes.data() + at_);
    if (size == 0 || size > left - 4 || size > maxStreamBytes(decodedBytes))
      return {Code::Corrupt, at_};
    stream.bytes = frame_.bytes.subspan(at_ + 4, size);
    stream.decodedBytes = decodedBytes;
    at_ += 4 + size_t{size};
    return {};
  }

 private:
  size_t maxStreamBytes(uint32_t decodedBytes) const {
    const size_t n = decodedBytes;
    return frame_.format == BloscFormat::Snappy ? 32 + n + n / 6 : n;
  }

  const BloscFrame& frame_;
  size_t at_;  // from the front of the frame
};

Status decodeZstd(ByteView in, ByteSpan out, BloscDecodeOptions options, Workspace& work) {
  if (options.legacyZstd && isLegacyZstd(in)) {
#ifdef ZW_RARE_CODECS
    return zstdDecodeV07(in, out);
#else
    return Code::NeedsFullModule;
#endif
  }
  size_t produced = 0;
  if (Status s = zstdDecode(work, in, out, produced)) return s;
  return produced == out.size() ? Status{} : Code::SizeMismatch;
}

Status decodeZlib(ByteView in, ByteSpan out, Workspace& work) {
  Inflated done;
  if (Status s = inflateZlib(work, in, out, done)) return s;
  if (done.used != in.size()) return {Code::TrailingBytes, done.used};
  return done.produced == out.size() ? Status{} : Code::SizeMismatch;
}

/// Decodes a compressed stream to the front of `out`; all of `out` may be written.
Status decompress(const BloscFrame& frame, const Stream& stream, ByteSpan out,
                  BloscDecodeOptions options, Workspace& work) {
  const ByteView in = stream.bytes;
  const ByteSpan exact = out.first(stream.decodedBytes);
  const lz::Buffers buffers = {.in = in.data(),
                               .inEnd = in.data() + in.size(),
                               .out = out.data(),
                               .outEnd = out.data() + stream.decodedBytes,
                               .outLimit = out.data() + out.size()};
  switch (frame.format) {
    case BloscFormat::Blosclz:
      return blosclzDecode(buffers);
    case BloscFormat::Lz4:
      return lz4DecodeBlock(buffers);
    case BloscFormat::Snappy:
      return snappyDecode(buffers);
    case BloscFormat::Zlib:
      return decodeZlib(in, exact, work);
    case BloscFormat::Zstd:
      return decodeZstd(in, exact, options, work);
  }
  return Code::UnknownInner;
}

/// Decompresses a stream, or copies it if it is raw. Size errors inside the stream are Corrupt,
/// since the sizes in the frame have already been checked.
Status decodeStream(const BloscFrame& frame, const Stream& stream, ByteSpan out,
                    BloscDecodeOptions options, Workspace& work) {
  if (stream.isRaw()) {
    std::memcpy(out.data(), stream.bytes.data(), stream.bytes.size());
    return {};
  }
  Status s = decompress(frame, stream, out, options, work);
  if (!s) return s;
  if (s.code == Code::SizeMismatch || s.code == Code::TrailingBytes || s.code == Code::Truncated) {
    s.code = Code::Corrupt;
  }
  return {s.code, static_cast<size_t>(stream.bytes.data() - frame.bytes.data()) + s.at};
}

/// Decodes all streams of a block, one after another, to the front of `out`.
Status decodeStreams(const BloscFrame& frame, BloscBlock block, StreamReader& reader, ByteSpan out,
                     BloscDecodeOptions options, Workspace& work) {
  const uint32_t each = block.bytes / block.streams;
  for (uint32_t i = 0; i < block.streams; i++) {
    Stream stream;
    if (Status s = reader.next(each, stream)) return s;
    const ByteSpan room = out.subspan(size_t{i} * each);
    if (Status s = decodeStream(frame, stream, room, options, work)) return s;
  }
  return {};
}

/// Unshuffles a whole block; trailing bytes that do not fill an element are copied.
void unshuffleBlock(const BloscFrame& frame, uint8_t* out, const uint8_t* from, uint32_t bytes) {
  const size_t count = bytes / frame.typeBytes;
  const size_t whole = count * frame.typeBytes;
  if (frame.filter == BloscFilter::Bytes) {
    unshuffleBytes(out, from, count, frame.typeBytes);
  } else {
    bitunshuffle(out, from, count, frame.typeBytes);
  }
  if (whole < bytes) std::memcpy(out + whole, from + whole, bytes - whole);
}

/// Decodes a block that has one stream per byte plane. Raw streams are not copied.
Status decodePlanes(const BloscFrame& frame, BloscBlock block, StreamReader& reader, ByteSpan out,
                    ByteSpan scratch, BloscDecodeOptions options, Workspace& work) {
  const uint8_t* planes[kBloscMaxSplits];
  const uint32_t each = block.bytes / block.streams;
  for (uint32_t i = 0; i < block.streams; i++) {
    Stream stream;
    if (Status s = reader.next(each, stream)) return s;
    planes[i] = stream.bytes.data();
    if (stream.isRaw()) continue;
    const ByteSpan room = scratch.subspan(size_t{i} * each);
    if (Status s = decodeStream(frame, stream, room, options, work)) return s;
    planes[i] = room.data();
  }
  unshufflePlanes(out.data(), planes, each, frame.typeBytes);
  return {};
}

/// Decodes a shuffled block.
Status decodeShuffled(const BloscFrame& frame, BloscBlock block, StreamReader& reader, ByteSpan out,
                      BloscDecodeOptions options, Workspace& work) {
  ByteSpan scratch;
  if (Status s = work.scratch(ScratchSlot::BloscBlock, block.bytes + kScratchSlack, scratch)) {
    return s;
  }
  if (block.streams > 1 && frame.filter == BloscFilter::Bytes) {
    return decodePlanes(frame, block, reader, out, scratch, options, work);
  }
  const uint8_t* from = scratch.data();
  if (block.streams > 1) {
    if (Status s = decodeStreams(frame, block, reader, scratch, options, work)) return s;
  } else {
    Stream stream;
    if (Status s = reader.next(block.bytes, stream)) return s;
    if (stream.isRaw()) {
      from = stream.bytes.data();
    } else if (Status s = decodeStream(frame, stream, scratch, options, work)) {
      return s;
    }
  }
  unshuffleBlock(frame, out.data(), from, block.bytes);
  return {};
}

/// True if this block was shuffled. The bit shuffle skips blocks that are not whole groups of eight
/// elements.
bool isShuffled(const BloscFrame& frame, BloscBlock block) {
  if (frame.filter != BloscFilter::Bits) return frame.filter == BloscFilter::Bytes;
  return block.bytes / frame.typeBytes % 8 == 0;
}

}  // namespace

Status decodeBloscBlock(const BloscFrame& frame, uint32_t index, ByteSpan out,
                        BloscDecodeOptions options, Workspace& work) {
  const BloscBlock block = frame.block(index);
  if (frame.stored) {
    std::memcpy(out.data(), frame.bytes.data() + kBloscHeader + frame.begin(index), block.bytes);
    return {};
  }
  StreamReader reader(frame, index);
  if (Status s = reader.check()) return s;
  if (block.bytes % block.streams != 0) return {Code::Corrupt, frame.streamsAt(index)};
  if (isShuffled(frame, block)) return decodeShuffled(frame, block, reader, out, options, work);
  return decodeStreams(frame, block, reader, out, options, work);
}

Status decodeBloscRange(const BloscFrame& frame, size_t begin, ByteSpan out,
                        BloscDecodeOptions options, Workspace& work) {
  while (!out.empty()) {
    const uint32_t index = static_cast<uint32_t>(begin / frame.blockBytes);
    const size_t skip = begin - frame.begin(index);
    const size_t blockBytes = frame.block(index).bytes;
    const size_t wanted = std::min(out.size(), blockBytes - skip);
    if (skip == 0 && wanted == blockBytes) {
      if (Status s = decodeBloscBlock(frame, index, out, options, work)) return s;
    } else {
      ByteSpan whole;
      if (Status s = work.scratch(ScratchSlot::BloscStage, blockBytes, whole)) return s;
      if (Status s = decodeBloscBlock(frame, index, whole, options, work)) return s;
      std::memcpy(out.data(), whole.data() + skip, wanted);
    }
    out = out.subspan(wanted);
    begin += wanted;
  }
  return {};
}

}  // namespace zw
