// Shared by codecs that compute with elements: data types as numbers, and encoded arrays.
#pragma once

#include "codecs/codec.hpp"
#include "kernels/numbers.hpp"

namespace zw {

/// The numbers of an element: one, or two if it is complex.
struct ValueType {
  Number number = Number::Uint8;
  uint32_t perItem = 1;
};

/// Finds the numbers of a data type; times are int64. False if its elements are not numbers.
bool findValueType(DTypeId dtype, ValueType& type);

/// The same for a data type id in a parameter; BadParameters if its elements are not numbers.
Status findValueType(uint32_t dtype, ValueType& type);

/// Sets `step.encodedArray` to the decoded array with another data type.
Status encodeAs(Step& step, uint32_t dtype);

/// The type that NumPy computes in with numbers of both types: one that holds the values of both, or
/// float64. Not for booleans.
Number promoted(Number a, Number b);

/// The types of a codec that computes in one type and stores another.
struct ValueTypes {
  ValueType decoded;
  ValueType encoded;
};

/// Prepares a codec whose parameters are [dtype, encoded dtype, …], and sets the encoded array.
/// `dtype` may differ from the array's data type if it has the same width (like a NumPy view).
Status prepareValues(Step& step, size_t parameters, ValueTypes& types);

/// The types of a step that prepareValues accepted.
ValueTypes valueTypes(const Step& step);

/// Fails unless `in` has the size of the array.
inline Status checkBytes(const ArrayInfo& array, ByteView in) {
  return in.size() == array.bytes() ? Status{} : Status{Code::SizeMismatch, in.size()};
}

/// Parameters `i` and `i + 1` as 64 bits, low word first.
inline uint64_t wideParam(const Step& step, size_t i) {
  return step.params[i] | uint64_t{step.params[i + 1]} << 32;
}

// float16 and float32 arithmetic is done in doubles and then rounded. A double has more than twice
// their digits, so sums, products and quotients equal those of the narrower type.
inline double asDouble(double value) {
  return value;
}
inline double asFloat(double value) {
  return static_cast<float>(value);
}
inline double asHalf(double value) {
  return fromHalf(toHalf(value));
}
/// Rounds to a type; integers count as float64.
inline double roundedTo(Number type, double value) {
  if (type == Number::Float32) return asFloat(value);
  return type == Number::Float16 ? asHalf(value) : value;
}

/// A mapFill that casts the fill value to the encoded type, like NumPy.
Status castFill(const Step& step, const uint8_t* decoded, uint8_t* encoded);

}  // namespace zw
