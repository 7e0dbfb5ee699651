// lz4 (bytes → bytes): numcodecs' framing of one LZ4 block. Not the LZ4 frame format.
// Names: Zarr v2 "lz4", v3 "numcodecs.lz4".
//
//   u32le   number of decoded bytes
//   …       LZ4 block (lz4_block.cpp)
//
// Parameters: [acceleration]   int32; 1 or less = default, higher = faster but larger. Encoder only
//
// Trust: the stated size must be the chunk's size before anything is decoded, and lz4_block.cpp
// decodes into exactly that much room.
#include <lz4.h>

#include "codecs/lz4_block.hpp"
#include "codecs/lz4_encode.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

constexpr size_t kHeader = 4;

Status prepare(Step& step) {
  if (step.decoded.bytes > LZ4_MAX_INPUT_SIZE) return Code::LimitExceeded;
  return prepareCompressor(step, 1);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  ByteReader reader(in);
  const size_t size = reader.u32();
  if (!reader.ok()) return {Code::Truncated, in.size()};
  if (Status s = checkDecodedSize(step, size)) return s;
  const ByteSpan room = decodeRoom(step, out);
  const lz::Buffers buffers = {.in = in.data() + kHeader,
                               .inEnd = in.data() + in.size(),
                               .out = room.data(),
                               .outEnd = room.data() + size,
                               .outLimit = room.data() + room.size()};
  if (Status s = lz4DecodeBlock(buffers)) {
    // The stated size was correct, so a different decoded size means damage.
    return {s.code == Code::SizeMismatch ? Code::Corrupt : s.code, kHeader + s.at};
  }
  result = room.first(size);
  return {};
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  if (out.size() < kHeader) return Code::EncodeFailed;
  store(out.data(), static_cast<uint32_t>(in.size()));
  size_t produced = 0;
  if (Status s = lz4EncodeBlock(work, signedParam(step, 0), in, out.subspan(kHeader), produced)) {
    return s;
  }
  if (produced == 0) return Code::EncodeFailed;
  result = out.first(kHeader + produced);
  return {};
}
#endif

}  // namespace

constinit const Codec kLz4Codec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
