// What codecs that calculate with elements share: data types as numbers, and the arrays they make.
#pragma once

#include "codecs/codec.hpp"
#include "kernels/numbers.hpp"

namespace zw {

/// An element as one number, or as two where it is complex.
struct ValueType {
  Number number = Number::Uint8;
  uint32_t perItem = 1;
};

/// How elements of a data type are calculated with: times are int64. False where they cannot be.
bool valueTypeOf(DTypeId dtype, ValueType& type);

/// The same of a data type id in a parameter; BadParameters where elements are no numbers.
Status valueTypeOf(uint32_t dtype, ValueType& type);

/// Makes `step.encodedArray` the decoded array with elements of another type.
Status encodeAs(Step& step, uint32_t dtype);

/// The parameters of codecs that work on one type and store another: [dtype, encoded dtype, …].
/// The first may differ from the array's data type, but not in width (NumPy's view). Fills the
/// encoded array.
struct ValueTypes {
  ValueType decoded;
  ValueType encoded;
};
Status prepareValues(Step& step, size_t parameters, ValueTypes& types);

/// The types of a step that prepareValues let through.
ValueTypes valueTypes(const Step& step);

/// Status of a stage whose input is not the whole encoded (decoded) array.
inline Status checkBytes(const ArrayInfo& array, ByteView in) {
  return in.size() == array.bytes() ? Status{} : Status{Code::SizeMismatch, in.size()};
}

/// Parameters `i` and `i + 1` as the bits of a number, low word first.
inline uint64_t wideParam(const Step& step, size_t i) {
  return step.params[i] | uint64_t{step.params[i + 1]} << 32;
}

// Operations on float16 and float32 are done as doubles and rounded: a double has more than twice
// their digits, so that sum, product and quotient are those that the type itself would have given.
inline double asDouble(double value) {
  return value;
}
inline double asFloat(double value) {
  return static_cast<float>(value);
}
inline double asHalf(double value) {
  return fromHalf(halfOf(value));
}
/// The same by the type; integers count as float64.
inline double roundedTo(Number type, double value) {
  if (type == Number::Float32) return asFloat(value);
  return type == Number::Float16 ? asHalf(value) : value;
}

/// mapFill of codecs whose names NumPy's cast goes by: it turns the fill value into the encoded
/// type.
Status castFill(const Step& step, const uint8_t* decoded, uint8_t* encoded);

}  // namespace zw
