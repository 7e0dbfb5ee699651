// quantize (array → array): rounds floats to a number of decimal digits, as in numcodecs.
// Names: Zarr v2 "quantize", v3 "numcodecs.quantize".
//
//   encoded = cast(round(x * 2^bits) / 2^bits, encoded dtype)    ties to even, in the decoded type
//   x = cast(encoded, dtype)
//
// Parameters: [dtype, encoded dtype, bits]   both float types; bits (int32) is chosen so that
// 2^-bits
//                                            is just finer than the last decimal digit
#include <algorithm>
#include <cmath>

#include "codecs/sizes.hpp"
#include "codecs/values.hpp"

namespace zw {
namespace {

constexpr int32_t kMaxBits = 1000;  // 2^bits and 2^-bits are finite doubles

Status prepare(Step& step) {
  ValueTypes types;
  if (Status s = prepareValues(step, 3, types)) return s;
  const bool areFloats = isFloat(types.decoded.number) && isFloat(types.encoded.number);
  const bool inRange = std::abs(int64_t{signedParam(step, 2)}) <= kMaxBits;
  return areFloats && types.decoded.perItem == 1 && inRange ? Status{} : Code::BadParameters;
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  convertNumbers(types.encoded.number, in.data(), types.decoded.number, out.data(),
                 step.decodedArray.itemCount);
  result = out.first(step.decodedArray.bytes());
  return {};
}

#ifdef ZW_FULL_MODULE
/// Rounds to multiples of 2^-bits. If x * 2^bits is large, x has no bits to lose and is unchanged;
/// NumPy turns it into NaN if the product overflows.
double quantized(double value, double scale) {
  const double scaled = value * scale;
  return std::fabs(scaled) < 0x1p53 ? std::nearbyint(scaled) / scale : value;
}

Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const Number from = types.decoded.number, to = types.encoded.number;
  const double scale = std::ldexp(1.0, signedParam(step, 2));
  const size_t count = step.decodedArray.itemCount;
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    double values[kNumberBlock];
    loadDoubles(from, in.data() + at * numberBytes(from), n, values);
    // Scaling by a power of two is exact and rounding only removes bits, so float16 and float32
    // need no further rounding.
    for (size_t i = 0; i < n; i++) values[i] = quantized(values[i], scale);
    storeDoubles(to, values, n, out.data() + at * numberBytes(to));
  }
  result = out.first(step.encodedArray.bytes());
  return {};
}
#endif

}  // namespace

constinit const Codec kQuantizeCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = castFill,
};

}  // namespace zw
