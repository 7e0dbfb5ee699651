// Conversions between number types, compared with slow references: all pairs of types, odd counts,
// all alignments, all float16 values, and casts with rules in long double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/cast.hpp"
#include "kernels/halves.hpp"
#include "kernels/numbers.hpp"
#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

constexpr std::array kAllNumbers = {Number::Bool,    Number::Int8,    Number::Int16,
                                    Number::Int32,   Number::Int64,   Number::Uint8,
                                    Number::Uint16,  Number::Uint32,  Number::Uint64,
                                    Number::Float16, Number::Float32, Number::Float64};

/// The definition of binary16.
double slowHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? NAN : sign * HUGE_VAL;
  return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

TEST(Numbers, EveryHalfBothWays) {
  for (uint32_t bits = 0; bits < 65536; bits++) {
    const auto half = static_cast<uint16_t>(bits);
    const double value = fromHalf(half);
    if (std::isnan(slowHalf(half))) {
      EXPECT_TRUE(std::isnan(value));
    } else {
      ASSERT_EQ(bitCast<uint64_t>(value), bitCast<uint64_t>(slowHalf(half))) << bits;
    }
    ASSERT_EQ(toHalf(value), half);
  }
}

TEST(Numbers, HalvesRoundToTheNearestTiesToEven) {
  for (uint32_t bits = 0; bits < 0x7c00; bits++) {
    const double low = slowHalf(static_cast<uint16_t>(bits));
    const double high = bits == 0x7bff ? 65536.0 : slowHalf(static_cast<uint16_t>(bits + 1));
    const double middle = low + (high - low) / 2;
    const auto even = static_cast<uint16_t>(bits + bits % 2);
    EXPECT_EQ(toHalf(middle), even);
    EXPECT_EQ(toHalf(std::nextafter(middle, 0)), bits);
    EXPECT_EQ(toHalf(std::nextafter(middle, 1e9)), bits + 1);
    EXPECT_EQ(toHalf(-middle), 0x8000 | even);
  }
  EXPECT_EQ(toHalf(1e300), 0x7c00);
  EXPECT_EQ(toHalf(5e-324), 0);
  EXPECT_EQ(toHalf(bitCast<double>(uint64_t{0xfff0000000000001})),
            0xfe00);  // NaN with low bits only
}

TEST(Halves, EveryHalfAsFloatEqualsTheReference) {
  Bytes in(2 * 65536);
  for (size_t i = 0; i < 65536; i++) store(&in[2 * i], static_cast<uint16_t>(i));
  for (size_t offset : {0u, 1u, 2u, 3u}) {
    const ExactBlock halves(in, offset);
    ExactBlock floats(4 * 65536, offset);
    halvesToFloats(halves.data(), 65536, floats.data());
    for (uint32_t i = 0; i < 65536; i++) {
      const auto half = static_cast<uint16_t>(i);
      ASSERT_EQ(load<uint32_t>(floats.data() + 4 * i), scalar::halfToFloat(half)) << i;
      // By way of double: the same number, NaNs included.
      ASSERT_EQ(toHalf(load<float>(floats.data() + 4 * i)),
                scalar::floatToHalf(scalar::halfToFloat(half)));
    }
  }
}

/// Float32 bits around every value where rounding to binary16 changes, then one in 997 of all.
std::vector<uint32_t> floatsToRound() {
  std::vector<uint32_t> list;
  for (uint32_t half = 0; half <= 0x7c00; half++) {
    const double low = slowHalf(static_cast<uint16_t>(std::min(half, 0x7bffu)));
    const double high = half >= 0x7bff ? 65536.0 : slowHalf(static_cast<uint16_t>(half + 1));
    for (double value : {low, low + (high - low) / 2}) {
      const auto bits = bitCast<uint32_t>(static_cast<float>(value));
      for (uint32_t near : {bits - 1, bits, bits + 1}) {
        list.push_back(near & 0x7fffffff);
        list.push_back(near | 0x80000000);
      }
    }
  }
  for (uint32_t special : {0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fbfffffu, 0x7fc00000u}) {
    list.push_back(special);
    list.push_back(special | 0x80000000);
  }
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 997) {
    list.push_back(static_cast<uint32_t>(bits));
  }
  return list;
}

TEST(Halves, FloatsAsHalvesEqualTheReference) {
  const std::vector<uint32_t> floats = floatsToRound();
  std::vector<uint16_t> halves(floats.size());
  floatsToHalves(reinterpret_cast<const uint8_t*>(floats.data()), floats.size(),
                 reinterpret_cast<uint8_t*>(halves.data()));
  for (size_t i = 0; i < floats.size(); i++) {
    ASSERT_EQ(halves[i], scalar::floatToHalf(floats[i])) << std::hex << floats[i];
  }
}

TEST(Halves, AnyCountAndAlignment) {
  for (size_t count = 0; count < 40; count++) {
    for (size_t offset : {0u, 1u, 2u, 3u}) {
      const ExactBlock halves(randomBytes(2 * count, 7), offset);
      ExactBlock floats(4 * count, offset), again(2 * count, offset);
      halvesToFloats(halves.data(), count, floats.data());
      EXPECT_TRUE(floatsToHalves(floats.data(), count, again.data()));
      for (size_t i = 0; i < count; i++) {
        const uint32_t bits = scalar::halfToFloat(load<uint16_t>(halves.data() + 2 * i));
        ASSERT_EQ(load<uint32_t>(floats.data() + 4 * i), bits);
        ASSERT_EQ(load<uint16_t>(again.data() + 2 * i), scalar::floatToHalf(bits));
      }
    }
  }
}

TEST(Halves, FiniteFloatsThatBecomeInfiniteAreReported) {
  const struct {
    float value;
    bool fits;
  } table[] = {{65519.996f, true}, {65520, false},     {-65520, false}, {3e38f, false},
               {HUGE_VALF, true},  {-HUGE_VALF, true}, {NAN, true}};
  for (size_t at = 0; at < 11; at++) {
    for (const auto& row : table) {
      float floats[11] = {};
      uint16_t halves[11];
      floats[at] = row.value;
      EXPECT_EQ(floatsToHalves(reinterpret_cast<const uint8_t*>(floats), 11,
                               reinterpret_cast<uint8_t*>(halves)),
                row.fits)
          << row.value << " at " << at;
    }
  }
}

TEST(Numbers, IntegersOfDoublesWrap) {
  const struct {
    double value;
    uint64_t bits;
  } table[] = {{0.9, 0},
               {-0.9, 0},
               {-1.5, ~uint64_t{0}},
               {0x1p63, uint64_t{1} << 63},
               {-0x1p63, uint64_t{1} << 63},
               {0x1p64, 0},
               {0x1p64 + 4096, 4096},
               {-(0x1p64 + 4096), 0 - uint64_t{4096}},
               {0x1.fffffffffffffp115, uint64_t{1} << 63},
               {0x1p116, 0},
               {1e300, 0},
               {NAN, 0},
               {HUGE_VAL, 0},
               {-HUGE_VAL, 0}};
  for (const auto& row : table) EXPECT_EQ(toInteger(row.value), row.bits) << row.value;
}

/// The value of an element; long double represents all values of all types.
long double elementValue(Number type, const uint8_t* p) {
  switch (type) {
    case Number::Int8:
      return load<int8_t>(p);
    case Number::Int16:
      return load<int16_t>(p);
    case Number::Int32:
      return load<int32_t>(p);
    case Number::Int64:
      return static_cast<long double>(load<int64_t>(p));
    case Number::Uint16:
      return load<uint16_t>(p);
    case Number::Uint32:
      return load<uint32_t>(p);
    case Number::Uint64:
      return static_cast<long double>(load<uint64_t>(p));
    case Number::Float16:
      return slowHalf(load<uint16_t>(p));
    case Number::Float32:
      return load<float>(p);
    case Number::Float64:
      return load<double>(p);
    default:
      return *p;
  }
}

/// The low 64 bits of the integer part of a number.
uint64_t slowInteger(long double value) {
  if (!std::isfinite(value)) return 0;
  const long double whole = std::fmod(std::trunc(value), 0x1p64L);  // exact
  return whole < 0 ? 0 - static_cast<uint64_t>(-whole) : static_cast<uint64_t>(whole);
}

void slowConvert(Number from, const uint8_t* in, Number to, uint8_t* out) {
  const long double value = elementValue(from, in);
  if (to == Number::Float64) return store(out, static_cast<double>(value));
  if (to == Number::Float32) return store(out, static_cast<float>(value));
  // toHalf has its own test; integers beyond 2^53 overflow.
  if (to == Number::Float16) return store(out, toHalf(static_cast<double>(value)));
  uint64_t bits = slowInteger(value);
  if (to == Number::Bool) bits = value != 0;
  std::memcpy(out, &bits, numberBytes(to));
}

/// Special values followed by noise, as elements of a type.
Bytes testElements(Number type, size_t count, uint32_t seed) {
  Bytes bytes = randomBytes(count * numberBytes(type), seed);
  const double special[] = {0.0,    -0.0, 1,     -1,    0.5,   -0.5,     1.5,       2.5,
                            127,    128,  -128,  -129,  255,   256,      32767.5,   65504,
                            65520,  1e10, -1e10, 1e19,  -1e19, 1e39,     0x1p63,    -0x1p63,
                            0x1p64, 3e38, 1e-8,  -6e-8, NAN,   HUGE_VAL, -HUGE_VAL, 16777217};
  const size_t n = std::min(count, std::size(special));
  if (isFloat(type) && n > 0) storeDoubles(type, special, n, bytes.data());
  if (type == Number::Bool) {
    for (uint8_t& b : bytes) b &= 1;
  }
  return bytes;
}

bool isNan(Number type, const uint8_t* p) {
  return isFloat(type) && std::isnan(elementValue(type, p));
}

TEST(Numbers, EveryPairOfTypesEqualsTheReference) {
  for (Number from : kAllNumbers) {
    for (Number to : kAllNumbers) {
      const uint32_t a = numberBytes(from), b = numberBytes(to);
      for (size_t count : {0u, 1u, 2u, 3u, 7u, 33u, 255u, 256u, 257u, 1000u}) {
        for (size_t offset : {0u, 1u, 3u}) {
          const ExactBlock in(testElements(from, count, static_cast<uint32_t>(count)), offset);
          ExactBlock out(count * b, offset);
          convertNumbers(from, in.data(), to, out.data(), count);
          for (size_t i = 0; i < count; i++) {
            uint8_t expected[8];
            slowConvert(from, in.data() + i * a, to, expected);
            const uint8_t* got = out.data() + i * b;
            const bool same = std::memcmp(got, expected, b) == 0;
            ASSERT_TRUE(same || (isNan(to, got) && isNan(to, expected)))
                << static_cast<int>(from) << " to " << static_cast<int>(to) << " element " << i;
          }
        }
      }
    }
  }
}

long double slowRound(Rounding rounding, long double value) {
  const long double floor = std::floor(value), rest = value - floor;
  switch (rounding) {
    case Rounding::TowardsZero:
      return std::trunc(value);
    case Rounding::TowardsPositive:
      return std::ceil(value);
    case Rounding::TowardsNegative:
      return floor;
    case Rounding::NearestAway:
      return rest > 0.5L || (rest == 0.5L && value > 0) ? floor + 1 : floor;
    default:
      return rest > 0.5L || (rest == 0.5L && std::fmod(floor, 2.0L) != 0) ? floor + 1 : floor;
  }
}

/// Digits and maximum exponent of a float type, and the spacing of its smallest values.
struct SlowFormat {
  int digits, maxExponent, minUlp;
};
SlowFormat slowFormat(Number type) {
  if (type == Number::Float16) return {11, 15, -24};
  if (type == Number::Float32) return {24, 127, -149};
  return {53, 1023, -1074};
}

/// Casts with a rule, exactly as specified; false if the value is refused.
bool slowCast(const CastRule& rule, const uint8_t* in, long double& result) {
  const long double value = elementValue(rule.from, in);
  if (isFloat(rule.to)) {
    result = value;
    if (!std::isfinite(value) || value == 0) return true;
    const SlowFormat format = slowFormat(rule.to);
    const int ulp = std::max(std::ilogb(value) - format.digits + 1, format.minUlp);
    result = std::ldexp(slowRound(rule.rounding, std::ldexp(value, -ulp)), ulp);
    result = std::copysign(result, value);
    if (std::fabs(result) < std::ldexp(2.0L, format.maxExponent)) return true;
    result = value < 0 ? -HUGE_VALL : HUGE_VALL;
    return rule.outOfRange == OutOfRange::Clamp;
  }
  if (std::isnan(value)) return false;
  const int bits = static_cast<int>(8 * numberBytes(rule.to)) - isSigned(rule.to);
  const long double end = std::ldexp(1.0L, bits), start = isSigned(rule.to) ? -end : 0;
  result = std::isfinite(value) ? slowRound(rule.rounding, value) : value;
  if (result >= start && result < end) return true;
  if (rule.outOfRange == OutOfRange::Clamp) {
    result = value < 0 ? start : end - 1;
    return true;
  }
  if (rule.outOfRange == OutOfRange::Refuse || !std::isfinite(value)) return false;
  uint64_t low = slowInteger(result) << (64 - 8 * numberBytes(rule.to));
  low = isSigned(rule.to)
            ? static_cast<uint64_t>(static_cast<int64_t>(low) >> (64 - 8 * numberBytes(rule.to)))
            : low >> (64 - 8 * numberBytes(rule.to));
  result = isSigned(rule.to) ? static_cast<long double>(static_cast<int64_t>(low))
                             : static_cast<long double>(low);
  return true;
}

TEST(Cast, EveryPairAndRuleEqualsTheReference) {
  constexpr size_t kCount = 200;
  for (Number from : kAllNumbers) {
    for (Number to : kAllNumbers) {
      if (from == Number::Bool || to == Number::Bool) continue;
      Bytes elements = testElements(from, kCount, 5);
      if (from == Number::Float64) {  // random doubles are rarely in range
        for (size_t i = 100; i < kCount; i++) {
          store(&elements[8 * i], std::ldexp(static_cast<double>(elements[8 * i]) - 127.5,
                                             elements[8 * i + 1] % 80 - 60));
        }
      }
      const ExactBlock in(elements, 1);
      for (uint8_t rounding = 0; rounding < 5; rounding++) {
        for (uint8_t range = 0; range < 3; range++) {
          if (isFloat(to) && range == 2) continue;
          const CastRule rule = {from, to, static_cast<Rounding>(rounding),
                                 static_cast<OutOfRange>(range)};
          for (size_t i = 0; i < kCount; i++) {
            const uint8_t* element = in.data() + i * numberBytes(from);
            long double expected;
            const bool passes = slowCast(rule, element, expected);
            ExactBlock out(numberBytes(to), 1);
            ASSERT_EQ(castNumber(rule, element, out.data()), passes)
                << static_cast<double>(elementValue(from, element)) << " from " << int(from)
                << " to " << int(to) << " rounding " << int(rounding) << " range " << int(range);
            if (!passes) continue;
            const long double got = elementValue(to, out.data());
            ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
                << static_cast<double>(elementValue(from, element)) << " from " << int(from)
                << " to " << int(to) << " rounding " << int(rounding) << " range " << int(range)
                << " got " << static_cast<double>(got);
            if (std::isnan(got)) continue;
            ASSERT_EQ(std::signbit(got), std::signbit(expected) && (isFloat(to) || expected != 0));
          }
        }
      }
    }
  }
}

TEST(Cast, BlocksEqualSingleCasts) {
  for (Number from : kAllNumbers) {
    for (Number to : kAllNumbers) {
      if (from == Number::Bool || to == Number::Bool) continue;
      const uint32_t a = numberBytes(from), b = numberBytes(to);
      for (size_t count : {1u, 2u, 17u, 256u}) {
        for (bool allFit : {true, false}) {
          Bytes elements(count * a);
          for (size_t i = 0; i < count; i++) {
            const double value = static_cast<double>(i % 100) + (isFloat(from) ? 0.5 : 0);
            storeDoubles(from, &value, 1, &elements[i * a]);
          }
          const double large = isFloat(from) ? NAN : 200;
          if (!allFit) storeDoubles(from, &large, 1, &elements[count / 2 * a]);
          const CastRule rule = {from, to, Rounding::NearestEven, OutOfRange::Refuse};
          const ExactBlock in(elements);
          ExactBlock out(count * b), one(b);
          const size_t done = castBlock(rule, in.data(), count, out.data());
          for (size_t i = 0; i < count; i++) {
            const bool passes = castNumber(rule, in.data() + i * a, one.data());
            ASSERT_EQ(passes, i < done);
            if (!passes) break;
            const uint8_t* got = out.data() + i * b;
            ASSERT_TRUE(std::memcmp(got, one.data(), b) == 0 || isNan(to, got));
          }
        }
      }
    }
  }
}

TEST(Cast, BlocksOfNarrowedFloatsEqualSingleCasts) {
  const double values[] = {1.1,         -0.0,      6e-8,   65519,
                           65519.99999, 65520,     -65520, 1e10,
                           0x1p127,     3.4e38,    -1e300, 0x1.ffffffp127,
                           HUGE_VAL,    -HUGE_VAL, 5e-46,  0x1.fffffefffffffp127};
  const std::pair<Number, Number> pairs[] = {{Number::Float32, Number::Float16},
                                             {Number::Float64, Number::Float16},
                                             {Number::Float64, Number::Float32}};
  for (const auto& [from, to] : pairs) {
    for (double value : values) {
      for (OutOfRange range : {OutOfRange::Refuse, OutOfRange::Clamp}) {
        constexpr size_t kCount = 21, kAt = 13;
        const uint32_t a = numberBytes(from), b = numberBytes(to);
        double wide[kCount] = {1, 2.5};
        wide[kAt] = value;
        Bytes in(kCount * a), out(kCount * b), one(b);
        storeDoubles(from, wide, kCount, in.data());
        const CastRule rule = {from, to, Rounding::NearestEven, range};
        const size_t done = castBlock(rule, in.data(), kCount, out.data());
        EXPECT_EQ(done, castNumber(rule, &in[kAt * a], one.data()) ? kCount : kAt) << value;
        for (size_t i = 0; i < done; i++) {
          ASSERT_TRUE(castNumber(rule, &in[i * a], one.data()));
          ASSERT_EQ(std::memcmp(&out[i * b], one.data(), b), 0) << value << " at " << i;
        }
      }
    }
  }
}

TEST(Cast, ExactCastsNeverRejectOrRound) {
  EXPECT_TRUE(isExactCast(Number::Int8, Number::Float16));
  EXPECT_TRUE(isExactCast(Number::Int16, Number::Float32));
  EXPECT_TRUE(isExactCast(Number::Int32, Number::Float64));
  EXPECT_TRUE(isExactCast(Number::Uint8, Number::Int16));
  EXPECT_TRUE(isExactCast(Number::Float16, Number::Float32));
  EXPECT_FALSE(isExactCast(Number::Int16, Number::Float16));
  EXPECT_FALSE(isExactCast(Number::Int32, Number::Float32));
  EXPECT_FALSE(isExactCast(Number::Uint64, Number::Float64));
  EXPECT_FALSE(isExactCast(Number::Uint8, Number::Int8));
  EXPECT_FALSE(isExactCast(Number::Int8, Number::Uint64));
  EXPECT_FALSE(isExactCast(Number::Float64, Number::Float32));
  EXPECT_FALSE(isExactCast(Number::Float16, Number::Int64));
}

}  // namespace
}  // namespace zw::test
