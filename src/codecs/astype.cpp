// astype (array → array): NumPy's cast between two data types.
// Names: Zarr v2 "astype", v3 "numcodecs.astype".
//
//   encoded = x.astype(encode_dtype),  x = encoded.astype(decode_dtype)
//
// Parameters: [dtype, encoded dtype]   both complex, or neither
//
// kernels/numbers.hpp documents the conversion of values that do not fit.
#include "codecs/values.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  ValueTypes types;
  return prepareValues(step, 2, types);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const size_t count = step.decodedArray.itemCount * types.decoded.perItem;
  convertNumbers(types.encoded.number, in.data(), types.decoded.number, out.data(), count);
  result = out.first(step.decodedArray.bytes());
  return {};
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const size_t count = step.decodedArray.itemCount * types.decoded.perItem;
  convertNumbers(types.decoded.number, in.data(), types.encoded.number, out.data(), count);
  result = out.first(step.encodedArray.bytes());
  return {};
}
#endif

}  // namespace

constinit const Codec kAstypeCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = castFill,
};

}  // namespace zw
