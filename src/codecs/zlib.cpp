// zlib (bytes → bytes): RFC 1950, a DEFLATE stream with an Adler-32.
// Names: Zarr v1 "zlib" (also written by its "gzip"), v2 "zlib", v3 "numcodecs.zlib".
//
//   byte 0    1     2 …            n-4 … n-1
//        CMF  FLG   DEFLATE        Adler-32 of the decoded bytes, big-endian
//
// Parameters: [level]   int32, -1 (default) or 0..9. Encoder only
//
// Trust: no field is used as an allocation size, and the stream may not decode to more than the
// chunk. Preset dictionaries are rejected.
#include "codecs/deflate.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  if (Status s = prepareCompressor(step, 1)) return s;
  uint32_t level;
  return deflateLevel(signedParam(step, 0), level);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  Inflated done;
  if (Status s = inflateZlib(work, in, room, done, step.verifiesChecksums)) {
    return s.code == Code::SizeMismatch ? Status{tooLarge(step), s.at} : s;
  }
  if (done.used != in.size()) return {Code::TrailingBytes, done.used};
  return decodedResult(step, room, done.produced, result);
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  uint32_t level = 0;
  if (Status s = deflateLevel(signedParam(step, 0), level)) return s;
  size_t produced = 0;
  if (Status s = deflateZlib(work, level, in, out, produced)) return s;
  if (produced == 0) return Code::EncodeFailed;
  result = out.first(produced);
  return {};
}
#endif

}  // namespace

constinit const Codec kZlibCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
