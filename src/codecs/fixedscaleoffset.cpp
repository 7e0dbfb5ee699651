// fixedscaleoffset (array → array): numbers as multiples of a step, as in numcodecs.
// Names: Zarr v2 "fixedscaleoffset", v3 "numcodecs.fixedscaleoffset".
//
//   encoded = cast(round((x - offset) * scale), encoded dtype)    ties to even
//   x = cast(encoded / scale + offset, dtype)
//
// The arithmetic is NumPy's for an array and two Python numbers: in the type of the input array if
// that is a float, rounding after each operation, and in float64 otherwise. Integers are encoded
// without rounding if offset and scale are integers.
//
// Parameters: [dtype, encoded dtype, offset, scale]   offset and scale: float64, two words each
#include <algorithm>
#include <cmath>

#include "codecs/values.hpp"

namespace zw {
namespace {

struct Line {
  double offset;
  double scale;
};

Line makeLine(const Step& step) {
  return {bitCast<double>(wideParam(step, 2)), bitCast<double>(wideParam(step, 4))};
}

Status prepare(Step& step) {
  ValueTypes types;
  if (Status s = prepareValues(step, 6, types)) return s;
  if (types.decoded.perItem != 1) return Code::BadParameters;
  const Line line = makeLine(step);
  const bool valid = std::isfinite(line.offset) && std::isfinite(line.scale) && line.scale != 0;
  return valid ? Status{} : Status{Code::BadParameters};
}

template <double (*Round)(double)>
void decodeBlock(Line line, double* values, size_t count) {
  const double offset = Round(line.offset), scale = Round(line.scale);
  for (size_t i = 0; i < count; i++) values[i] = Round(Round(values[i] / scale) + offset);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const Number from = types.encoded.number, to = types.decoded.number;
  const auto block = from == Number::Float32   ? decodeBlock<asFloat>
                     : from == Number::Float16 ? decodeBlock<asHalf>
                                               : decodeBlock<asDouble>;
  const Line line = makeLine(step);
  const size_t count = step.decodedArray.itemCount;
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    double values[kNumberBlock];
    loadDoubles(from, in.data() + at * numberBytes(from), n, values);
    block(line, values, n);
    storeDoubles(to, values, n, out.data() + at * numberBytes(to));
  }
  result = out.first(step.decodedArray.bytes());
  return {};
}

#ifdef ZW_FULL_MODULE
template <double (*Round)(double)>
void encodeBlock(Line line, double* values, size_t count) {
  const double offset = Round(line.offset), scale = Round(line.scale);
  for (size_t i = 0; i < count; i++) {
    values[i] = std::nearbyint(Round(Round(values[i] - offset) * scale));
  }
}

bool isInteger(double value) {
  return std::fabs(value) < 0x1p63 && value == std::nearbyint(value);
}

/// Integer arithmetic, which wraps in the decoded type like NumPy's.
void encodeIntegers(Line line, Number from, const uint8_t* in, Number to, uint8_t* out, size_t n) {
  const uint64_t offset = toInteger(line.offset), scale = toInteger(line.scale);
  uint64_t values[kNumberBlock];
  uint8_t cut[kNumberBlock * 8];
  loadIntegers(from, in, n, values);
  for (size_t i = 0; i < n; i++) values[i] = (values[i] - offset) * scale;
  storeIntegers(from, values, n, cut);
  convertNumbers(from, cut, to, out, n);
}

Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const Number from = types.decoded.number, to = types.encoded.number;
  const auto block = from == Number::Float32   ? encodeBlock<asFloat>
                     : from == Number::Float16 ? encodeBlock<asHalf>
                                               : encodeBlock<asDouble>;
  const Line line = makeLine(step);
  const bool isWhole = !isFloat(from) && isInteger(line.offset) && isInteger(line.scale);
  const size_t count = step.decodedArray.itemCount;
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    const uint8_t* src = in.data() + at * numberBytes(from);
    uint8_t* dst = out.data() + at * numberBytes(to);
    if (isWhole) {
      encodeIntegers(line, from, src, to, dst, n);
      continue;
    }
    double values[kNumberBlock];
    loadDoubles(from, src, n, values);
    block(line, values, n);
    storeDoubles(to, values, n, dst);
  }
  result = out.first(step.encodedArray.bytes());
  return {};
}
#endif

}  // namespace

constinit const Codec kFixedScaleOffsetCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = castFill,
};

}  // namespace zw
