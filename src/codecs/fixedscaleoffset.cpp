// fixedscaleoffset (array → array): numbers as multiples of a step, as in numcodecs.
// Names: Zarr v2 "fixedscaleoffset", v3 "numcodecs.fixedscaleoffset".
//
//   encoded = cast(round((x - offset) * scale), encoded dtype)    ties to even
//   x = cast(encoded / scale + offset, dtype)
//
// The arithmetic is NumPy's for an array and two Python numbers: in the type of the input array if
// that is a float, rounding after each operation. With an array of integers, subtracting and
// multiplying by an integer wraps in the smallest type for both (NumPy 2 accepts only an integer of
// the array's type); everything else is in float64.
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

/// True if an integer type includes a value without a fraction.
bool includes(Number type, double value) {
  const auto half = static_cast<double>(uint64_t{1} << (8 * numberBytes(type) - 1));
  return isSigned(type) ? value >= -half && value < half : value >= 0 && value < 2 * half;
}

/// The type of an operation on numbers of `type` and a Python number.
Number typeWith(Number type, double value) {
  if (isFloat(type) || value != std::nearbyint(value)) return Number::Float64;
  if (includes(type, value)) return type;
  constexpr Number kSigned[] = {Number::Int8, Number::Int16, Number::Int32, Number::Int64};
  constexpr Number kUnsigned[] = {Number::Uint8, Number::Uint16, Number::Uint32, Number::Uint64};
  for (const Number other : value < 0 || isSigned(type) ? kSigned : kUnsigned) {
    if (includes(other, value)) return promoted(type, other);
  }
  return Number::Float64;
}

/// Encodes integers of type `from`, whose differences to the offset are of type `between`.
void encodeIntegers(Line line, Number from, const uint8_t* in, Number between, Number to,
                    uint8_t* out, size_t n) {
  const uint64_t offset = toInteger(line.offset), scale = toInteger(line.scale);
  uint64_t values[kNumberBlock];
  uint8_t cut[kNumberBlock * 8];
  loadIntegers(from, in, n, values);
  for (size_t i = 0; i < n; i++) values[i] -= offset;
  storeIntegers(between, values, n, cut);
  const Number last = typeWith(between, line.scale);
  if (isFloat(last)) {
    double products[kNumberBlock];
    loadDoubles(between, cut, n, products);
    for (size_t i = 0; i < n; i++) products[i] = std::nearbyint(products[i] * line.scale);
    return storeDoubles(to, products, n, out);
  }
  loadIntegers(between, cut, n, values);
  for (size_t i = 0; i < n; i++) values[i] *= scale;
  storeIntegers(last, values, n, cut);
  convertNumbers(last, cut, to, out, n);
}

Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const Number from = types.decoded.number, to = types.encoded.number;
  const auto block = from == Number::Float32   ? encodeBlock<asFloat>
                     : from == Number::Float16 ? encodeBlock<asHalf>
                                               : encodeBlock<asDouble>;
  const Line line = makeLine(step);
  const Number between = isFloat(from) ? from : typeWith(from, line.offset);
  const size_t count = step.decodedArray.itemCount;
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    const uint8_t* src = in.data() + at * numberBytes(from);
    uint8_t* dst = out.data() + at * numberBytes(to);
    if (!isFloat(between)) {
      encodeIntegers(line, from, src, between, to, dst, n);
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
