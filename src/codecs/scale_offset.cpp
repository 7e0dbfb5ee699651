// scale_offset (array → array): a linear map in the arithmetic of the array's data type.
// Spec: zarr-extensions "scale_offset" (v3).
//
//   encoded = (x - offset) * scale,  x = encoded / scale + offset
//
// Parameters: [offset, scale]   elements of the array's data type, two words each, low word first
//
// Integer arithmetic is exact or fails with NotRepresentable: differences, products and sums must
// be in range, and quotients must have no remainder. Floats are rounded after each operation (IEEE
// 754); finite values that become infinite fail.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "codecs/values.hpp"

namespace zw {
namespace {

template <class T>
struct Line {
  Number type;
  T offset;
  T scale;
  T min;  // of the data type; unused for floats
  T max;
};

Number numberType(const Step& step) {
  ValueType type;
  (void)findValueType(step.decodedArray.dtype, type);
  return type.number;
}

template <class T>
T toWide(Number type, uint64_t item) {
  T wide;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&item);
  if constexpr (std::is_same_v<T, double>) {
    loadDoubles(type, bytes, 1, &wide);
  } else {
    loadIntegers(type, bytes, 1, reinterpret_cast<uint64_t*>(&wide));
  }
  return wide;
}

template <class T>
Line<T> makeLine(const Step& step) {
  const Number type = numberType(step);
  Line<T> line = {type, toWide<T>(type, wideParam(step, 0)), toWide<T>(type, wideParam(step, 2)), 0,
                  0};
  if constexpr (!std::is_same_v<T, double>) {
    const uint32_t unused = 64 - 8 * numberBytes(type);
    line.min = std::numeric_limits<T>::min() >> unused;
    line.max = std::numeric_limits<T>::max() >> unused;
  }
  return line;
}

Status prepare(Step& step) {
  if (step.params.size() != 4) return Code::BadParameters;
  ValueType type;
  if (!findValueType(step.decodedArray.dtype, type)) return Code::BadParameters;
  const bool isTime = step.decodedArray.dtype > DTypeId::Float64;
  if (isTime || type.perItem != 1 || type.number == Number::Bool) return Code::BadParameters;
  const bool isZero = isFloat(type.number) ? makeLine<double>(step).scale == 0
                                           : makeLine<uint64_t>(step).scale == 0;
  if (isZero) return Code::BadParameters;
  step.encodedArray = step.decodedArray;
  return {};
}

template <class T>
bool isInRange(const Line<T>& line, T value) {
  return value >= line.min && value <= line.max;
}

template <class T>
bool decodeValue(const Line<T>& line, T& value) {
  // The only quotient that overflows, which would trap.
  if (std::is_signed_v<T> && line.scale == T(-1) && value == std::numeric_limits<T>::min()) {
    return false;
  }
  if (value % line.scale != 0) return false;
  const bool overflows = __builtin_add_overflow(value / line.scale, line.offset, &value);
  return !overflows && isInRange(line, value);
}

template <class T>
bool encodeValue(const Line<T>& line, T& value) {
  if (__builtin_sub_overflow(value, line.offset, &value) || !isInRange(line, value)) return false;
  return !__builtin_mul_overflow(value, line.scale, &value) && isInRange(line, value);
}

template <>
bool decodeValue(const Line<double>& line, double& value) {
  const bool wasFinite = std::isfinite(value);
  value = roundedTo(line.type, roundedTo(line.type, value / line.scale) + line.offset);
  return !wasFinite || std::isfinite(value);
}

template <>
bool encodeValue(const Line<double>& line, double& value) {
  const bool wasFinite = std::isfinite(value);
  value = roundedTo(line.type, roundedTo(line.type, value - line.offset) * line.scale);
  return !wasFinite || std::isfinite(value);
}

/// Applies `Apply` to each element; `out` must be as long as `in`.
template <class T, bool (*Apply)(const Line<T>&, T&)>
Status runLine(const Step& step, ByteView in, ByteSpan out) {
  const Line<T> line = makeLine<T>(step);
  const uint32_t width = numberBytes(line.type);
  const size_t count = in.size() / width;
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    const uint8_t* src = in.data() + at * width;
    uint8_t* dst = out.data() + at * width;
    T values[kNumberBlock];
    auto* wide = reinterpret_cast<uint64_t*>(values);
    if constexpr (std::is_same_v<T, double>) {
      loadDoubles(line.type, src, n, values);
    } else {
      loadIntegers(line.type, src, n, wide);
    }
    for (size_t i = 0; i < n; i++) {
      if (!Apply(line, values[i])) return {Code::NotRepresentable, (at + i) * width};
    }
    if constexpr (std::is_same_v<T, double>) {
      storeDoubles(line.type, values, n, dst);
    } else {
      storeIntegers(line.type, wide, n, dst);
    }
  }
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  result = out.first(in.size());
  const Number type = numberType(step);
  if (isFloat(type)) return runLine<double, decodeValue<double>>(step, in, out);
  if (isSigned(type)) return runLine<int64_t, decodeValue<int64_t>>(step, in, out);
  return runLine<uint64_t, decodeValue<uint64_t>>(step, in, out);
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  result = out.first(in.size());
  const Number type = numberType(step);
  if (isFloat(type)) return runLine<double, encodeValue<double>>(step, in, out);
  if (isSigned(type)) return runLine<int64_t, encodeValue<int64_t>>(step, in, out);
  return runLine<uint64_t, encodeValue<uint64_t>>(step, in, out);
}

/// Integer fill values wrap, as in NumPy: unsigned arrays often have a fill value of 0 and a
/// nonzero offset. The result only matters if chunks inside the encoded array are missing.
Status mapFill(const Step& step, const uint8_t* decoded, uint8_t* encoded) {
  const Number type = numberType(step);
  if (isFloat(type)) {
    double value;
    loadDoubles(type, decoded, 1, &value);
    (void)encodeValue(makeLine<double>(step), value);
    storeDoubles(type, &value, 1, encoded);
    return {};
  }
  uint64_t value;
  loadIntegers(type, decoded, 1, &value);
  const Line<uint64_t> line = makeLine<uint64_t>(step);
  value = (value - line.offset) * line.scale;
  storeIntegers(type, &value, 1, encoded);
  return {};
}

}  // namespace

constinit const Codec kScaleOffsetCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = mapFill,
};

}  // namespace zw
