// hdf5_bitshuffle (bytes → bytes): HDF5's filter 32008, bit shuffle in blocks, which may be
// compressed. Name: Zarr v3 "hdf5_bitshuffle". Full module only.
//
// With a compressor (all numbers are big-endian):
//
//   u64    number of decoded bytes
//   u32    decoded bytes of a block
//   [u32   encoded bytes of the block
//    …     LZ4 block or zstd frame of the shuffled elements] …
//   …      the last elements, fewer than 8, not shuffled
//
// A block has a multiple of 8 elements; the last one may be shorter. Without a compressor there is
// no header, and no sizes.
//
// Parameters: [element size, elements of a block, compressor]
//   elements of a block   0 = the filter's default. Decoders of compressed data use the header's
//   compressor            0 none, 1 LZ4, 2 zstd
//
// Trust: the stated size must be the chunk's size before anything is decoded. Blocks are bounded by
// the chunk.
#ifdef ZW_RARE_CODECS

#include <algorithm>

#include "codecs/lz4_block.hpp"
#include "codecs/lz4_encode.hpp"
#include "codecs/sizes.hpp"
#include "codecs/zstd.hpp"
#include "kernels/bitshuffle.hpp"

namespace zw {
namespace {

enum Compressor : uint32_t { kNone, kLz4, kZstd };

constexpr size_t kHeader = 12;
constexpr uint32_t kGroup = 8;  // elements that share bytes
constexpr uint32_t kTargetBlock = 8192, kMinBlock = 128;

struct Layout {
  uint32_t itemBytes;
  size_t blockBytes;  // a multiple of 8 elements
};

/// The layout by the parameters.
Layout makeLayout(const Step& step) {
  const uint32_t itemBytes = step.params[0];
  const uint32_t usual = std::max(kTargetBlock / itemBytes / kGroup * kGroup, kMinBlock);
  const uint32_t items = step.params[1] ? step.params[1] : usual;
  return {itemBytes, size_t{items} * itemBytes};
}

Status prepare(Step& step) {
  if (step.params.size() != 3) return Code::BadParameters;
  const uint32_t itemBytes = step.params[0], items = step.params[1];
  if (itemBytes == 0 || itemBytes > kMaxItemBytes || items % kGroup != 0)
    return Code::BadParameters;
  if (uint64_t{items} * itemBytes > INT32_MAX || step.params[2] > kZstd) return Code::BadParameters;
  if (step.params[2] == kNone) {
    step.encoded = step.decoded;
  } else {
    // Small blocks have overhead.
    const uint64_t blocks = step.decoded.bytes / makeLayout(step).blockBytes + 1;
    step.encoded = upperBound(compressedSize(step.decoded).bytes + blocks * 64);
  }
  return {};
}

/// Bytes of the next block, if `left` bytes are left; 0 if these are fewer than 8 elements.
size_t nextBlock(const Layout& layout, size_t left) {
  const size_t group = size_t{kGroup} * layout.itemBytes;
  return std::min(layout.blockBytes, left - left % group);
}

using Kernel = void (*)(uint8_t*, const uint8_t*, size_t, uint32_t);

/// Runs a kernel over all blocks, and copies the elements after them.
void runBlocks(const Layout& layout, Kernel kernel, ByteView in, uint8_t* out) {
  size_t done = 0;
  while (const size_t bytes = nextBlock(layout, in.size() - done)) {
    kernel(out + done, in.data() + done, bytes / layout.itemBytes, layout.itemBytes);
    done += bytes;
  }
  if (done < in.size()) std::memcpy(out + done, in.data() + done, in.size() - done);
}

Status decodePlain(const Step& step, ByteView in, ByteSpan room, ByteView& result) {
  if (Status s = checkDecodedSize(step, in.size())) return s;
  runBlocks(makeLayout(step), bitunshuffle, in, room.data());
  result = room.first(in.size());
  return {};
}

/// Decompresses one block into exactly `out`.
Status decompress(const Step& step, Workspace& work, ByteView in, ByteSpan out) {
  if (step.params[2] == kZstd) {
    size_t produced = 0;
    if (Status s = zstdDecode(work, in, out, produced, step.verifiesChecksums)) return s;
    return produced == out.size() ? Status{} : Status{Code::Corrupt, in.size()};
  }
  return lz4DecodeBlock({.in = in.data(),
                         .inEnd = in.data() + in.size(),
                         .out = out.data(),
                         .outEnd = out.data() + out.size(),
                         .outLimit = out.data() + out.size()});
}

Status readHeader(const Step& step, ByteView in, Layout& layout, size_t& size) {
  if (in.size() < kHeader) return {Code::Truncated, in.size()};
  size = loadBigEndian(in.data() + 4);
  if (loadBigEndian(in.data()) != 0) return tooLarge(step);
  if (Status s = checkDecodedSize(step, size)) return s;
  layout = {step.params[0], loadBigEndian(in.data() + 8)};
  const bool isValid = layout.blockBytes > 0 && layout.blockBytes <= INT32_MAX &&
                       layout.blockBytes % (size_t{kGroup} * layout.itemBytes) == 0;
  return isValid ? Status{} : Status{Code::BadHeader, 8};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  if (step.params[2] == kNone) return decodePlain(step, in, room, result);
  Layout layout;
  size_t size = 0, at = kHeader, done = 0;
  if (Status s = readHeader(step, in, layout, size)) return s;
  ByteSpan stage;
  if (Status s = work.scratch(ScratchSlot::Codec, nextBlock(layout, size), stage)) return s;
  while (const size_t bytes = nextBlock(layout, size - done)) {
    if (in.size() - at < 4) return {Code::Truncated, in.size()};
    const uint32_t encoded = loadBigEndian(in.data() + at);
    at += 4;
    if (encoded > in.size() - at) return {Code::Truncated, in.size()};
    const ByteSpan shuffled = stage.first(bytes);
    if (Status s = decompress(step, work, in.subspan(at, encoded), shuffled)) {
      return {s.code == Code::SizeMismatch ? Code::Corrupt : s.code, at + s.at};
    }
    bitunshuffle(room.data() + done, shuffled.data(), bytes / layout.itemBytes, layout.itemBytes);
    at += encoded;
    done += bytes;
  }
  if (in.size() - at != size - done) {
    return {in.size() - at < size - done ? Code::Truncated : Code::TrailingBytes, in.size()};
  }
  if (done < size) std::memcpy(room.data() + done, in.data() + at, size - done);
  result = room.first(size);
  return {};
}

#ifdef ZW_FULL_MODULE
constexpr int32_t kZstdLevel = 3;

Status encodeBlocks(const Step& step, ByteView in, ByteSpan out, Workspace& work, size_t& at) {
  const Layout layout = makeLayout(step);
  ByteSpan stage;
  if (Status s = work.scratch(ScratchSlot::Codec, nextBlock(layout, in.size()), stage)) return s;
  size_t done = 0;
  while (const size_t bytes = nextBlock(layout, in.size() - done)) {
    bitshuffle(stage.data(), in.data() + done, bytes / layout.itemBytes, layout.itemBytes);
    if (out.size() - at < 4) return Code::EncodeFailed;
    size_t produced = 0;
    const ByteView block = stage.first(bytes);
    const ByteSpan room = out.subspan(at + 4);
    if (Status s = step.params[2] == kLz4
                       ? lz4EncodeBlock(work, 1, block, room, produced)
                       : zstdEncode(work, kZstdLevel, false, block, room, produced)) {
      return s;
    }
    if (produced == 0) return Code::EncodeFailed;
    storeBigEndian(out.data() + at, static_cast<uint32_t>(produced));
    at += 4 + produced;
    done += bytes;
  }
  if (out.size() - at < in.size() - done) return Code::EncodeFailed;
  if (done < in.size()) std::memcpy(out.data() + at, in.data() + done, in.size() - done);
  at += in.size() - done;
  return {};
}

Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  if (step.params[2] == kNone) {
    if (out.size() < in.size()) return Code::EncodeFailed;
    runBlocks(makeLayout(step), bitshuffle, in, out.data());
    result = out.first(in.size());
    return {};
  }
  if (out.size() < kHeader) return Code::EncodeFailed;
  storeBigEndian(out.data(), 0);
  storeBigEndian(out.data() + 4, static_cast<uint32_t>(in.size()));
  storeBigEndian(out.data() + 8, static_cast<uint32_t>(makeLayout(step).blockBytes));
  size_t at = kHeader;
  if (Status s = encodeBlocks(step, in, out, work, at)) return s;
  result = out.first(at);
  return {};
}
#endif

}  // namespace

constinit const Codec kHdf5BitshuffleCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
