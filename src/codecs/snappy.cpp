// snappy (bytes → bytes): one raw Snappy stream (snappy_decode.cpp), not the framing format.
// Name: Zarr v2 "snappy", as written by GDAL. Full module only.
//
// Parameters: none
//
// Trust: the size in the stream must be the chunk's size before anything is decoded.
#ifdef ZW_RARE_CODECS

#include "codecs/snappy.hpp"

#include "codecs/sizes.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  return prepareCompressor(step, 0);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  uint32_t size = 0;
  if (!snappyDecodedSize(in, size)) return Code::BadHeader;
  if (Status s = checkDecodedSize(step, size)) return s;
  const lz::Buffers buffers = {.in = in.data(),
                               .inEnd = in.data() + in.size(),
                               .out = room.data(),
                               .outEnd = room.data() + size,
                               .outLimit = room.data() + room.size()};
  if (Status s = snappyDecode(buffers)) {
    // The stated size was correct, so a different decoded size means damage.
    return {s.code == Code::SizeMismatch ? Code::Corrupt : s.code, s.at};
  }
  result = room.first(size);
  return {};
}

[[maybe_unused]] Status encode(const Step&, ByteView in, ByteSpan out, Workspace& work,
                               ByteView& result) {
  lz::MatchTable table;
  if (Status s = lz::makeMatchTable(work, table)) return s;
  const size_t produced = snappyEncode(table, in, out);
  if (produced == 0) return Code::EncodeFailed;
  result = out.first(produced);
  return {};
}

}  // namespace

constinit const Codec kSnappyCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
