// hdf5_lz4 (bytes → bytes): HDF5's filter 32004, blocks of LZ4. Name: Zarr v3 "hdf5_lz4". Full
// module only. All numbers are big-endian.
//
//   u64    number of decoded bytes
//   u32    decoded bytes of a block; the last block may be shorter
//   [u32   encoded bytes of the block
//    …     LZ4 block (lz4_block.cpp); or the decoded bytes, if the two sizes are equal] …
//
// Parameters: none
//
// Trust: the stated size must be the chunk's size before anything is decoded; the number of blocks
// is bounded by the input, since each has a size.
#ifdef ZW_RARE_CODECS

#include <algorithm>

#include "codecs/lz4_block.hpp"
#include "codecs/lz4_encode.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

constexpr size_t kHeader = 12;

Status prepare(Step& step) {
  return prepareCompressor(step, 0);
}

/// Decodes one block of exactly block.size() bytes. `room` starts with it.
Status decodeBlock(ByteView in, ByteSpan block, ByteSpan room) {
  if (in.size() == block.size()) {
    std::memcpy(block.data(), in.data(), in.size());
    return {};
  }
  const Status s = lz4DecodeBlock({.in = in.data(),
                                   .inEnd = in.data() + in.size(),
                                   .out = block.data(),
                                   .outEnd = block.data() + block.size(),
                                   .outLimit = room.data() + room.size()});
  return s.code == Code::SizeMismatch ? Status{Code::Corrupt, s.at} : s;
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (in.size() < kHeader) return {Code::Truncated, in.size()};
  const uint32_t blockBytes = loadBigEndian(in.data() + 8);
  const size_t size = loadBigEndian(in.data() + 4);
  if (loadBigEndian(in.data()) != 0) return tooLarge(step);
  if (Status s = checkDecodedSize(step, size)) return s;
  if (blockBytes == 0 && size > 0) return {Code::BadHeader, 8};
  const ByteSpan room = decodeRoom(step, out);
  size_t at = kHeader;
  for (size_t done = 0; done < size;) {
    const size_t bytes = std::min<size_t>(blockBytes, size - done);
    if (in.size() - at < 4) return {Code::Truncated, in.size()};
    const uint32_t encoded = loadBigEndian(in.data() + at);
    at += 4;
    if (encoded > in.size() - at) return {Code::Truncated, in.size()};
    if (Status s =
            decodeBlock(in.subspan(at, encoded), room.subspan(done, bytes), room.subspan(done))) {
      return {s.code, at + s.at};
    }
    at += encoded;
    done += bytes;
  }
  if (at != in.size()) return {Code::TrailingBytes, at};
  result = room.first(size);
  return {};
}

#ifdef ZW_FULL_MODULE
constexpr size_t kMaxBlock = 1 << 30;  // the filter's default

Status encode(const Step&, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const size_t blockBytes = std::clamp<size_t>(in.size(), 1, kMaxBlock);
  if (out.size() < kHeader) return Code::EncodeFailed;
  storeBigEndian(out.data(), 0);
  storeBigEndian(out.data() + 4, static_cast<uint32_t>(in.size()));
  storeBigEndian(out.data() + 8, static_cast<uint32_t>(blockBytes));
  size_t at = kHeader;
  for (size_t done = 0; done < in.size();) {
    const ByteView block = in.subspan(done, std::min(blockBytes, in.size() - done));
    if (out.size() - at < 4) return Code::EncodeFailed;
    size_t produced = 0;
    const ByteSpan room = out.subspan(at + 4);
    const ByteSpan shorter = room.first(std::min(room.size(), block.size() - 1));
    if (Status s = lz4EncodeBlock(work, 1, block, shorter, produced)) return s;
    if (produced == 0) {
      if (room.size() < block.size()) return Code::EncodeFailed;
      std::memcpy(out.data() + at + 4, block.data(), block.size());
      produced = block.size();
    }
    storeBigEndian(out.data() + at, static_cast<uint32_t>(produced));
    at += 4 + produced;
    done += block.size();
  }
  result = out.first(at);
  return {};
}
#endif

}  // namespace

constinit const Codec kHdf5Lz4Codec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
