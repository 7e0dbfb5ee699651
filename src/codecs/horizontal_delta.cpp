// horizontal_delta (array → array): differences along an axis, TIFF's predictor 2. Names:
// "imagecodecs_delta" in Zarr v2 and v3, "HorizontalDeltaCodec" in v3. Spec: TIFF 6.0, section 14.
// Full module only.
//
//   in each run:   encoded[i] = x[i] - x[i - step]; the first `step` elements are unchanged
//
// Elements are treated as unsigned integers of their width, floats by their bits; sums wrap.
//
// Parameters: [run, step]   run: elements per run; must divide the element count
//                           step: distance between neighbours, 1 … run
//
// Trust: one element in, one element out; no value in the data is used as a size.
#ifdef ZW_RARE_CODECS

#include "codecs/values.hpp"
#include "kernels/prefix_sum.hpp"

namespace zw {
namespace {

using Kernel = void (*)(uint8_t*, const uint8_t*, size_t, uint32_t, size_t);

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  ValueType type;
  if (step.params.size() != 2 || !findValueType(array.dtype, type)) return Code::BadParameters;
  if (type.perItem != 1 || type.number == Number::Bool) return Code::BadParameters;
  const uint32_t run = step.params[0], distance = step.params[1];
  if (run == 0 || array.itemCount % run != 0) return Code::BadParameters;
  if (distance == 0 || distance > run) return Code::BadParameters;
  step.encodedArray = array;
  return {};
}

Status runOver(const Step& step, ByteView in, ByteSpan out, Kernel kernel, ByteView& result) {
  const ArrayInfo& array = step.decodedArray;
  if (Status s = checkBytes(array, in)) return s;
  const size_t run = step.params[0], runBytes = run * array.itemBytes;
  for (size_t at = 0; at < in.size(); at += runBytes) {
    kernel(out.data() + at, in.data() + at, run, array.itemBytes, step.params[1]);
  }
  result = out.first(in.size());
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  return runOver(step, in, out, prefixSumSteps, result);
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  return runOver(step, in, out, differences, result);
}

}  // namespace

constinit const Codec kHorizontalDeltaCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
