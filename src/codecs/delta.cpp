// delta (array → array): differences between neighbours in C order.
// Names: Zarr v2 "delta", v3 "numcodecs.delta".
//
//   encoded[0] = x[0],  encoded[i] = x[i] - x[i - 1] in the decoded type, cast to the encoded type
//   x[i] = x[i - 1] + encoded[i] in the decoded type: integers wrap, floats round at every step
//
// Parameters: [dtype, encoded dtype]   integers or floats, but not floats encoding integers
//
// Trust: one element in, one element out; nothing in the data sizes anything.
#include <algorithm>

#include "codecs/values.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  ValueTypes types;
  if (Status s = prepareValues(step, 2, types)) return s;
  const Number decoded = types.decoded.number, encoded = types.encoded.number;
  const bool isWhole = decoded == Number::Bool || encoded == Number::Bool;
  if (isWhole || types.decoded.perItem != 1) return Code::BadParameters;
  // NumPy refuses to add floats up in an integer.
  return isFloat(encoded) && !isFloat(decoded) ? Status{Code::BadParameters} : Status{};
}

/// Sums of integers of one width: a single addition per element, straight from input to output.
template <class T>
void sumUp(const uint8_t* in, size_t count, uint8_t* out) {
  T sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum = static_cast<T>(sum + load<T>(in + i * sizeof(T)));
    store(out + i * sizeof(T), sum);
  }
}

void sumSameWidth(uint32_t bytes, const uint8_t* in, size_t count, uint8_t* out) {
  if (bytes == 1) return sumUp<uint8_t>(in, count, out);
  if (bytes == 2) return sumUp<uint16_t>(in, count, out);
  if (bytes == 4) return sumUp<uint32_t>(in, count, out);
  sumUp<uint64_t>(in, count, out);
}

/// Sums modulo 2^64 are also right modulo the width of any narrower type.
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

/// Rounds a double that came of one operation on two values of a float type to that type. Doing it
/// by way of a double is as good as having calculated in the type: a double has more than twice
/// its digits.
double rounded(Number type, double value) {
  if (type == Number::Float32) return static_cast<float>(value);
  if (type == Number::Float16) return fromHalf(halfOf(value));
  return value;
}

void sumFloats(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count) {
  double sum = -0.0;  // adds nothing to the first element, not even a sign
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    double values[kNumberBlock];
    loadDoubles(from, in + at * numberBytes(from), n, values);
    for (size_t i = 0; i < n; i++) values[i] = sum = rounded(to, sum + rounded(to, values[i]));
    storeDoubles(to, values, n, out + at * numberBytes(to));
  }
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  const ValueTypes types = valueTypes(step);
  const Number from = types.encoded.number, to = types.decoded.number;
  const size_t count = step.decodedArray.itemCount;
  if (isFloat(to)) {
    sumFloats(from, in.data(), to, out.data(), count);
  } else if (numberBytes(from) == numberBytes(to)) {
    sumSameWidth(numberBytes(to), in.data(), count, out.data());
  } else {
    sumIntegers(from, in.data(), to, out.data(), count);
  }
  result = out.first(step.decodedArray.bytes());
  return {};
}

#ifdef ZW_FULL_MODULE
/// Differences in the decoded type: cut to its width first, which the encoded type may exceed.
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
  double before = 0;  // x - 0 is x, with its sign
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    double values[kNumberBlock];
    loadDoubles(from, in + at * numberBytes(from), n, values);
    for (size_t i = 0; i < n; i++) {
      const double value = values[i];
      values[i] = rounded(from, value - before);
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
    .name = "delta",
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .relabel = nullptr,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = castFill,
};

}  // namespace zw
