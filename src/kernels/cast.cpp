#include "kernels/cast.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/bytes.hpp"
#include "kernels/halves.hpp"

namespace zw {
namespace {

/// A float type: mantissa digits (with the hidden one) and exponents of normalised values.
struct FloatFormat {
  int digits;
  int minExponent;
  int maxExponent;
};

FloatFormat floatFormat(Number type) {
  if (type == Number::Float16) return {11, -14, 15};
  if (type == Number::Float32) return {24, -126, 127};
  return {53, -1022, 1023};
}

/// Number of magnitude bits of an integer type.
int magnitudeBits(Number type) {
  return static_cast<int>(8 * numberBytes(type)) - isSigned(type);
}

/// A nonzero number as sign and magnitude * 2^exponent.
struct Exact {
  bool negative;
  uint64_t magnitude;
  int exponent;
};

Exact toExact(double value) {
  const uint64_t bits = bitCast<uint64_t>(std::fabs(value));
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52);
  if (exponent == 0) return {value < 0, fraction, -1074};
  return {value < 0, fraction | uint64_t{1} << 52, exponent - 1075};
}

/// True if a magnitude truncated to `kept` rounds up, where `rest` was cut off and `half` is its
/// midpoint.
bool goesUp(Rounding rounding, bool negative, uint64_t kept, uint64_t rest, uint64_t half) {
  switch (rounding) {
    case Rounding::NearestEven:
      return rest > half || (rest == half && (kept & 1));
    case Rounding::NearestAway:
      return rest >= half;
    case Rounding::TowardsPositive:
      return rest != 0 && !negative;
    case Rounding::TowardsNegative:
      return rest != 0 && negative;
    default:
      return false;
  }
}

/// Rounds to a float format, ignoring its maximum.
double roundedTo(const FloatFormat& format, Rounding rounding, const Exact& x) {
  const int top = x.exponent + static_cast<int>(std::bit_width(x.magnitude)) - 1;
  const int last = std::max(top, format.minExponent) - (format.digits - 1);
  const int drop = last - x.exponent;
  double size;
  if (drop <= 0) {
    size = std::ldexp(static_cast<double>(x.magnitude), x.exponent);
  } else {
    // A magnitude has at most 64 bits: all of it may be dropped and still be less than half a unit.
    const uint64_t kept = drop < 64 ? x.magnitude >> drop : 0;
    const uint64_t rest = drop < 64 ? x.magnitude - (kept << drop) : x.magnitude;
    const uint64_t half = drop <= 64 ? uint64_t{1} << (drop - 1) : UINT64_MAX;
    const bool up = goesUp(rounding, x.negative, kept, rest, half);
    size = std::ldexp(static_cast<double>(kept + up), last);
  }
  return x.negative ? -size : size;
}

bool storeFloat(const CastRule& rule, const Exact& x, uint8_t* out) {
  const FloatFormat format = floatFormat(rule.to);
  double value = x.magnitude == 0 ? (x.negative ? -0.0 : 0.0) : roundedTo(format, rule.rounding, x);
  if (std::fabs(value) >= std::ldexp(2.0, format.maxExponent)) {
    if (rule.outOfRange != OutOfRange::Clamp) return false;
    value = x.negative ? -HUGE_VAL : HUGE_VAL;
  }
  storeDoubles(rule.to, &value, 1, out);
  return true;
}

double roundToIntegral(Rounding rounding, double value) {
  switch (rounding) {
    case Rounding::NearestEven:
      return std::nearbyint(value);
    case Rounding::TowardsPositive:
      return std::ceil(value);
    case Rounding::TowardsNegative:
      return std::floor(value);
    case Rounding::NearestAway:
      return std::round(value);
    default:
      return std::trunc(value);
  }
}

/// The range of an integer type: min <= x < end, both exact as doubles.
double rangeStart(Number type) {
  return isSigned(type) ? -std::ldexp(1.0, magnitudeBits(type)) : 0.0;
}
double rangeEnd(Number type) {
  return std::ldexp(1.0, magnitudeBits(type));
}

/// The minimum or maximum of an integer type, as 64 bits.
uint64_t integerLimit(Number type, bool isMin) {
  const uint64_t max = ~uint64_t{0} >> (64 - magnitudeBits(type));
  return isMin ? (isSigned(type) ? ~max : 0) : max;
}

bool castToInteger(const CastRule& rule, double value, uint64_t& bits) {
  if (std::isnan(value)) return false;
  const double whole = roundToIntegral(rule.rounding, value);
  if (whole >= rangeStart(rule.to) && whole < rangeEnd(rule.to)) {
    bits = toInteger(whole);
    return true;
  }
  if (rule.outOfRange == OutOfRange::Clamp) {
    bits = integerLimit(rule.to, value < 0);
    return true;
  }
  bits = toInteger(whole);
  return rule.outOfRange == OutOfRange::Wrap && std::isfinite(whole);
}

bool castIntegers(const CastRule& rule, bool negative, uint64_t value, uint64_t& bits) {
  bits = value;
  const uint64_t extreme = integerLimit(rule.to, negative);
  const bool fits =
      negative ? isSigned(rule.to) && static_cast<int64_t>(value) >= static_cast<int64_t>(extreme)
               : value <= extreme;
  if (fits) return true;
  if (rule.outOfRange == OutOfRange::Clamp) bits = extreme;
  return rule.outOfRange != OutOfRange::Refuse;
}

bool castInteger(const CastRule& rule, uint64_t value, uint8_t* out) {
  const bool negative = isSigned(rule.from) && value >> 63;
  if (isFloat(rule.to)) {
    return storeFloat(rule, {negative, negative ? 0 - value : value, 0}, out);
  }
  uint64_t bits;
  if (!castIntegers(rule, negative, value, bits)) return false;
  storeIntegers(rule.to, &bits, 1, out);
  return true;
}

bool castFloat(const CastRule& rule, double value, uint8_t* out) {
  if (!isFloat(rule.to)) {
    uint64_t bits;
    if (!castToInteger(rule, value, bits)) return false;
    storeIntegers(rule.to, &bits, 1, out);
    return true;
  }
  if (std::isfinite(value) && value != 0) return storeFloat(rule, toExact(value), out);
  storeDoubles(rule.to, &value, 1, out);
  return true;
}

/// Casts floats to integers in loops without branches if all of them fit, which is the common case.
/// False if one does not fit, or if the rounding has no instruction.
bool roundBlock(const CastRule& rule, const uint8_t* in, size_t count, uint8_t* out) {
  if (rule.rounding != Rounding::NearestEven) return false;
  double values[kNumberBlock];
  loadDoubles(rule.from, in, count, values);
  const double start = rangeStart(rule.to), end = rangeEnd(rule.to);
  size_t fitting = 0;
  for (size_t i = 0; i < count; i++) {
    values[i] = std::nearbyint(values[i]);
    fitting += values[i] >= start && values[i] < end;  // false for NaN
  }
  if (fitting != count) return false;
  storeDoubles(rule.to, values, count, out);
  return true;
}

/// Narrows floats in loops without branches; false if one is out of range and must be rejected, or
/// if the rounding has no instruction.
bool narrowBlock(const CastRule& rule, const uint8_t* in, size_t count, uint8_t* out) {
  if (rule.rounding != Rounding::NearestEven) return false;
  const bool clamps = rule.outOfRange == OutOfRange::Clamp;
  if (rule.from == Number::Float32) return floatsToHalves(in, count, out) || clamps;
  convertNumbers(rule.from, in, rule.to, out, count);
  if (clamps) return true;
  // The first number that rounds to infinity: halfway between the largest one and the next.
  const FloatFormat format = floatFormat(rule.to);
  const double end = std::ldexp(2.0 - std::ldexp(1.0, -format.digits), format.maxExponent);
  size_t fitting = 0;
  for (size_t i = 0; i < count; i++) {
    const double size = std::fabs(load<double>(in + 8 * i));
    fitting += !(size >= end && size < HUGE_VAL);
  }
  return fitting == count;
}

}  // namespace

bool isExactCast(Number from, Number to) {
  if (from == to) return true;
  if (isFloat(from)) return isFloat(to) && to > from;
  if (isFloat(to)) return magnitudeBits(from) <= floatFormat(to).digits;
  const bool signFits = isSigned(to) || !isSigned(from);
  return signFits && magnitudeBits(from) <= magnitudeBits(to);
}

bool castNumber(const CastRule& rule, const uint8_t* in, uint8_t* out) {
  if (rule.from == rule.to) {  // a conversion through double would quieten a signalling NaN
    std::memcpy(out, in, numberBytes(rule.to));
    return true;
  }
  if (isFloat(rule.from)) {
    double value;
    loadDoubles(rule.from, in, 1, &value);
    return castFloat(rule, value, out);
  }
  uint64_t value;
  loadIntegers(rule.from, in, 1, &value);
  return castInteger(rule, value, out);
}

size_t castBlock(const CastRule& rule, const uint8_t* in, size_t count, uint8_t* out) {
  if (isExactCast(rule.from, rule.to)) {
    convertNumbers(rule.from, in, rule.to, out, count);
    return count;
  }
  if (isFloat(rule.from)) {
    const bool isDone =
        isFloat(rule.to) ? narrowBlock(rule, in, count, out) : roundBlock(rule, in, count, out);
    if (isDone) return count;
  }
  const uint32_t fromBytes = numberBytes(rule.from), toBytes = numberBytes(rule.to);
  for (size_t i = 0; i < count; i++) {
    if (!castNumber(rule, in + i * fromBytes, out + i * toBytes)) return i;
  }
  return count;
}

}  // namespace zw
