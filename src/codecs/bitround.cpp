// bitround (array → array): rounds away the low bits of numbers so that they compress better.
// Decoding is a no-op.
// Names: Zarr v2 "bitround" (floats), v3 "bitround" and "numcodecs.bitround".
// Spec: zarr-extensions.
//
// Parameters: [keepbits]
//   floats, complex    bits of the mantissa to keep, ties to even; infinities and NaN are unchanged
//   integers, times    bits to keep, counted from the highest set bit of the magnitude; a result
//                      outside the type's range is rounded towards zero instead
#include <algorithm>
#include <bit>

#include "codecs/values.hpp"

namespace zw {
namespace {

/// Mantissa bits of a float or complex type; 0 for other types.
uint32_t mantissaBits(DTypeId dtype) {
  switch (dtype) {
    case DTypeId::Bfloat16:
    case DTypeId::ComplexBfloat16:
      return 7;
    case DTypeId::Float16:
    case DTypeId::ComplexFloat16:
      return 10;
    case DTypeId::Float32:
    case DTypeId::Complex64:
      return 23;
    case DTypeId::Float64:
    case DTypeId::Complex128:
      return 52;
    default:
      return 0;
  }
}

Status prepare(Step& step) {
  if (step.params.size() != 1) return Code::BadParameters;
  step.encodedArray = step.decodedArray;
  const DTypeId dtype = step.decodedArray.dtype;
  if (const uint32_t bits = mantissaBits(dtype)) {
    return step.params[0] <= bits ? Status{} : Status{Code::BadParameters};
  }
  ValueType type;
  const bool isInteger = findValueType(dtype, type) && type.number != Number::Bool;
  return isInteger && step.params[0] >= 1 ? Status{} : Status{Code::BadParameters};
}

Status decode(const Step& step, ByteView in, ByteSpan, Workspace&, ByteView& result) {
  result = in;
  return checkBytes(step.encodedArray, in);
}

#ifdef ZW_FULL_MODULE
/// Half a unit of the lowest bit that is kept, less one if that bit is 0. Adding it carries into
/// the kept bits exactly if rounding to nearest, ties to even, goes up. `drop` must not be 0.
uint64_t halfUp(uint64_t bits, uint32_t drop) {
  return (bits >> drop & 1) + (uint64_t{1} << (drop - 1)) - 1;
}

template <class T>
void roundFloats(uint32_t mantissa, uint32_t keep, const uint8_t* in, size_t count, uint8_t* out) {
  const uint32_t drop = mantissa - keep;
  const T exponent = static_cast<T>(static_cast<T>(~T{0} << (mantissa + 1)) >> 1);
  const T mask = static_cast<T>(~T{0} << drop);
  for (size_t i = 0; i < count; i++) {
    const T bits = load<T>(in + i * sizeof(T));
    const bool isFinite = (bits & exponent) != exponent;
    const T up = drop > 0 && isFinite ? static_cast<T>(halfUp(bits, drop)) : T{0};
    store(out + i * sizeof(T), static_cast<T>(isFinite ? (bits + up) & mask : bits));
  }
}

/// Rounds a magnitude; results above `limit` are rounded down instead.
uint64_t roundMagnitude(uint64_t magnitude, uint32_t keep, uint64_t limit) {
  const uint32_t width = static_cast<uint32_t>(std::bit_width(magnitude));
  if (width <= keep) return magnitude;
  const uint32_t drop = width - keep;
  const uint64_t mask = ~uint64_t{0} << drop;
  uint64_t rounded;
  const bool overflows = __builtin_add_overflow(magnitude, halfUp(magnitude, drop), &rounded);
  rounded &= mask;
  return overflows || rounded > limit ? magnitude & mask : rounded;
}

void roundIntegers(Number type, uint32_t keep, const uint8_t* in, size_t count, uint8_t* out) {
  const uint32_t bits = 8 * numberBytes(type) - isSigned(type);
  const uint64_t max = ~uint64_t{0} >> (64 - bits);
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    uint64_t values[kNumberBlock];
    loadIntegers(type, in + at * numberBytes(type), n, values);
    for (size_t i = 0; i < n; i++) {
      const bool isNegative = isSigned(type) && values[i] >> 63;
      const uint64_t magnitude = isNegative ? 0 - values[i] : values[i];
      const uint64_t result = roundMagnitude(magnitude, keep, max + isNegative);
      values[i] = isNegative ? 0 - result : result;
    }
    storeIntegers(type, values, n, out + at * numberBytes(type));
  }
}

Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ArrayInfo& array = step.decodedArray;
  if (Status s = checkBytes(array, in)) return s;
  const uint32_t keep = step.params[0], mantissa = mantissaBits(array.dtype);
  const uint32_t width = array.components[0].bytes;
  const size_t count = in.size() / width;
  if (mantissa == 0) {
    ValueType type;
    (void)findValueType(array.dtype, type);
    roundIntegers(type.number, keep, in.data(), count, out.data());
  } else if (width == 2) {
    roundFloats<uint16_t>(mantissa, keep, in.data(), count, out.data());
  } else if (width == 4) {
    roundFloats<uint32_t>(mantissa, keep, in.data(), count, out.data());
  } else {
    roundFloats<uint64_t>(mantissa, keep, in.data(), count, out.data());
  }
  result = out.first(in.size());
  return {};
}
#endif

}  // namespace

constinit const Codec kBitroundCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
