#include "codecs/blosc_frame.hpp"

#include "base/checked.hpp"

namespace zw {
namespace {

/// Byte offsets of header fields, for Status.at.
enum Field : uint32_t {
  kFormatVersionAt = 1,
  kFlagsAt = 2,
  kTypeAt = 3,
  kDecodedAt = 4,
  kBlockAt = 8,
  kSizeAt = 12
};

BloscFilter chooseFilter(uint8_t flags, uint32_t typeBytes, uint32_t blockBytes) {
  if ((flags & kBloscByteShuffle) && typeBytes > 1) return BloscFilter::Bytes;
  if ((flags & kBloscBitShuffle) && blockBytes >= typeBytes) return BloscFilter::Bits;
  return BloscFilter::None;
}

/// Checks the flags and applies them to the frame.
Status readFlags(uint8_t flags, uint8_t formatVersion, BloscFrame& frame) {
  const bool isExtended = (flags & kBloscByteShuffle) && (flags & kBloscBitShuffle);
  if ((flags & kBloscReserved) || isExtended) return {Code::BadVersion, kFlagsAt};
  frame.stored = flags & kBloscStored;
  frame.oneStream = flags & kBloscOneStream;
  const uint8_t format = flags >> 5;
  if (format > static_cast<uint8_t>(BloscFormat::Zstd)) return {Code::UnknownInner, kFlagsAt};
  frame.format = static_cast<BloscFormat>(format);
  if (!frame.stored && formatVersion != kBloscFormatVersion) {
    return {Code::BadVersion, kFormatVersionAt};
  }
  return {};
}

/// Checks the sizes against each other. `frame.bytes` must be set; its length is cbytes.
Status checkSizes(BloscFrame& frame) {
  if (frame.typeBytes == 0) return {Code::BadHeader, kTypeAt};
  if (frame.decodedBytes > kBloscMaxBytes) return {Code::BadHeader, kDecodedAt};
  if (frame.decodedBytes == 0) return {};
  if (frame.blockBytes == 0 || frame.blockBytes > frame.decodedBytes) {
    return {Code::BadHeader, kBlockAt};
  }
  const uint64_t blocks = ceilDiv(frame.decodedBytes, frame.blockBytes);
  if (frame.stored) {
    const bool fits = frame.bytes.size() == kBloscHeader + size_t{frame.decodedBytes};
    return fits ? Status{} : Status{Code::BadHeader, kSizeAt};
  }
  if (blocks > (frame.bytes.size() - kBloscHeader) / 4) return {Code::BadHeader, kBlockAt};
  frame.blockCount = static_cast<uint32_t>(blocks);
  return {};
}

}  // namespace

uint32_t bloscStreams(bool oneStream, uint32_t typeBytes, uint32_t blockBytes, bool isLeftover) {
  const bool isSplit = !oneStream && !isLeftover && typeBytes <= kBloscMaxSplits &&
                       blockBytes / typeBytes >= kBloscMinSplitBytes;
  return isSplit ? typeBytes : 1;
}

BloscBlock BloscFrame::block(uint32_t block) const {
  const size_t left = decodedBytes - begin(block);
  const bool isLeftover = left < blockBytes;
  BloscBlock b;
  b.bytes = isLeftover ? static_cast<uint32_t>(left) : blockBytes;
  b.streams = bloscStreams(oneStream, typeBytes, blockBytes, isLeftover);
  return b;
}

Status readBloscFrame(ByteView in, size_t maxBytes, bool trailingAllowed, BloscFrame& frame) {
  ByteReader reader(in);
  const uint8_t version = reader.u8(), formatVersion = reader.u8(), flags = reader.u8();
  frame.typeBytes = reader.u8();
  frame.decodedBytes = reader.u32();
  frame.blockBytes = reader.u32();
  const size_t frameBytes = reader.u32();
  if (!reader.ok()) return {Code::Truncated, in.size()};
  if (version != kBloscVersion) return Code::BadVersion;
  if (Status s = readFlags(flags, formatVersion, frame)) return s;
  if (frameBytes < kBloscHeader) return {Code::BadHeader, kSizeAt};
  if (frameBytes > in.size()) return {Code::Truncated, in.size()};
  if (frameBytes < in.size() && !trailingAllowed) return {Code::TrailingBytes, frameBytes};
  frame.bytes = in.first(frameBytes);
  if (Status s = checkSizes(frame)) return s;
  if (frame.decodedBytes > maxBytes) return {Code::SizeMismatch, kDecodedAt};
  frame.filter = chooseFilter(flags, frame.typeBytes, frame.blockBytes);
  return {};
}

}  // namespace zw
