// delta (array → array): differences between neighbouring elements in C order.
// Names: Zarr v2 "delta", v3 "numcodecs.delta".
//
//   encoded[0] = x[0],  encoded[i] = x[i] - x[i - 1] in the decoded type, cast to the encoded type
//   x[i] = encoded[0] + … + encoded[i] in the type that NumPy promotes both to (integers wrap, floats
//   round at every step), cast to the decoded type
//
// Parameters: [dtype, encoded dtype]   integers or floats
//
// Trust: one element in, one element out; no value in the data is used as a size.
#include <algorithm>

#include "codecs/values.hpp"
#include "kernels/prefix_sum.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  ValueTypes types;
  if (Status s = prepareValues(step, 2, types)) return s;
  const Number decoded = types.decoded.number, encoded = types.encoded.number;
  const bool isWhole = decoded == Number::Bool || encoded == Number::Bool;
  return isWhole || types.decoded.perItem != 1 ? Status{Code::BadParameters} : Status{};
}

/// Sums modulo 2^64, which is also correct modulo the range of any narrower type.
void sumIntegers(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count) {
  uint64_t sum = 0;
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    uint64_t values[kNumberBlock];
    loadIntegers(from, in + at * numberBytes(from), n, values);
    for (size_t i = 0; i < n; i++) values[i] = sum += values[i];
    storeIntegers(to, values, n, out + at * numberBytes(to));
  }
}

template <double (*Round)(double)>
void sumFloats(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count) {
  double sum = -0.0;  // preserves the sign of a leading zero
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    double values[kNumberBlock];
    loadDoubles(from, in + at * numberBytes(from), n, values);
    for (size_t i = 0; i < n; i++) values[i] = sum = Round(sum + values[i]);
    storeDoubles(to, values, n, out + at * numberBytes(to));
  }
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const Number from = types.encoded.number, to = types.decoded.number;
  const size_t count = step.decodedArray.itemCount;
  // NumPy adds uint64 and signed integers as float64, which is the same up to 2^53.
  if (const Number type = promoted(from, to); isFloat(from) || isFloat(to)) {
    const auto sumUp = type == Number::Float32   ? sumFloats<asFloat>
                       : type == Number::Float16 ? sumFloats<asHalf>
                                                 : sumFloats<asDouble>;
    sumUp(from, in.data(), to, out.data(), count);
  } else if (numberBytes(from) == numberBytes(to)) {
    prefixSum(out.data(), in.data(), count, numberBytes(to));
  } else {
    sumIntegers(from, in.data(), to, out.data(), count);
  }
  result = out.first(step.decodedArray.bytes());
  return {};
}

#ifdef ZW_FULL_MODULE
/// Differences in the decoded type. They are truncated to its width before the cast, since the
/// encoded type may be wider.
void subtractIntegers(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count) {
  uint64_t before = 0;
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    uint64_t values[kNumberBlock];
    uint8_t cut[kNumberBlock * 8];
    loadIntegers(from, in + at * numberBytes(from), n, values);
    for (size_t i = 0; i < n; i++) {
      const uint64_t value = values[i];
      values[i] = value - before;
      before = value;
    }
    storeIntegers(from, values, n, cut);
    convertNumbers(from, cut, to, out + at * numberBytes(to), n);
  }
}

void subtractFloats(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count) {
  double before = 0;  // x - 0 preserves the sign of zero
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    double values[kNumberBlock];
    loadDoubles(from, in + at * numberBytes(from), n, values);
    for (size_t i = 0; i < n; i++) {
      const double value = values[i];
      values[i] = roundedTo(from, value - before);
      before = value;
    }
    storeDoubles(to, values, n, out + at * numberBytes(to));
  }
}

Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const Number from = types.decoded.number, to = types.encoded.number;
  const auto subtract = isFloat(from) ? subtractFloats : subtractIntegers;
  subtract(from, in.data(), to, out.data(), step.decodedArray.itemCount);
  result = out.first(step.encodedArray.bytes());
  return {};
}
#endif

}  // namespace

constinit const Codec kDeltaCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = castFill,
};

}  // namespace zw
