// shuffle (bytes → bytes): byte 0 of every element, then byte 1 of every element, and so on, over
// the whole chunk and without a frame. Names: Zarr v2 "shuffle", v3 "numcodecs.shuffle".
//
//   encoded[b * count + i] = decoded[i * size + b],   count = bytes / size
//
// Parameters: [size]   bytes per element, 1 or more; must divide the chunk size
#include "kernels/shuffle.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

using Kernel = void (*)(uint8_t*, const uint8_t*, size_t, uint32_t);

Status prepare(Step& step) {
  if (step.params.size() != 1 || step.params[0] == 0) return Code::BadParameters;
  if (step.decoded.exact && step.decoded.bytes % step.params[0] != 0) return Code::BadParameters;
  step.encoded = step.decoded;
  return {};
}

Status run(const Step& step, ByteView in, ByteSpan out, Kernel kernel, ByteView& result) {
  const uint32_t size = step.params[0];
  if (in.size() % size != 0) return {Code::SizeMismatch, in.size()};
  if (!in.empty()) kernel(out.data(), in.data(), in.size() / size, size);
  result = out.first(in.size());
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  if (in.size() > room.size()) return tooLarge(step);
  if (step.decoded.exact && in.size() != room.size()) return {Code::SizeMismatch, in.size()};
  if (step.params[0] == 1) {
    result = in;  // no-op for single bytes
    return {};
  }
  return run(step, in, room, unshuffleBytes, result);
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (in.size() > out.size()) return Code::EncodeFailed;
  return run(step, in, out, shuffleBytes, result);
}
#endif

}  // namespace

constinit const Codec kShuffleCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
