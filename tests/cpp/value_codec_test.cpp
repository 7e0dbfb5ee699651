// Codecs that compute with elements, in chains: known vectors, slow references, invalid parameters,
// and fill values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chain_support.hpp"
#include "kernels/cast.hpp"
#include "kernels/numbers.hpp"

namespace zw::test {
namespace {

constexpr uint32_t id(DTypeId dtype) {
  return static_cast<uint32_t>(dtype);
}

std::vector<uint32_t> words(double value) {
  const auto bits = bitCast<uint64_t>(value);
  return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
}

CodecWords delta(DTypeId from, DTypeId to) {
  return {CodecId::Delta, {id(from), id(to)}};
}
CodecWords astype(DTypeId from, DTypeId to) {
  return {CodecId::Astype, {id(from), id(to)}};
}
CodecWords fixedScaleOffset(DTypeId from, DTypeId to, double offset, double scale) {
  return {CodecId::FixedScaleOffset,
          joined(joined({id(from), id(to)}, words(offset)), words(scale))};
}

const std::vector<uint32_t> kCounts = {1, 2, 3, 7, 8, 255, 256, 257, 1000};

// ---- delta

TEST(Delta, ExampleOfNumcodecs) {
  Chain chain(DTypeId::Int16, {10}, before({delta(DTypeId::Int16, DTypeId::Int8)}));
  const Bytes x = asBytes<int16_t>({100, 102, 104, 106, 108, 110, 112, 114, 116, 118});
  const Bytes encoded = chain.encode(x);
  EXPECT_EQ(valuesIn<int8_t>(encoded), (std::vector<int8_t>{100, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(chain.decode(encoded), x);
}

/// Differences and sums for a pair of integer types, computed one by one in these types.
template <class T, class Encoded>
void checkIntegers(DTypeId from, DTypeId to) {
  for (uint32_t count : kCounts) {
    Chain chain(from, {count}, before({delta(from, to)}));
    ASSERT_EQ(chain.code(), Code::Ok);
    const auto x = valuesIn<T>(randomBytes(count * sizeof(T), count));
    std::vector<Encoded> expected(count);
    for (size_t i = 0; i < count; i++) {
      const auto difference =
          static_cast<T>(i ? static_cast<T>(uint64_t(x[i]) - uint64_t(x[i - 1])) : x[i]);
      expected[i] = static_cast<Encoded>(difference);
    }
    EXPECT_EQ(valuesIn<Encoded>(chain.encode(asBytes(x))), expected);
    const auto stored = valuesIn<Encoded>(randomBytes(count * sizeof(Encoded), count + 1));
    std::vector<T> sums(count);
    T sum = 0;
    for (size_t i = 0; i < count; i++) {
      sums[i] = sum = static_cast<T>(uint64_t(sum) + uint64_t(static_cast<T>(stored[i])));
    }
    EXPECT_EQ(valuesIn<T>(chain.decode(asBytes(stored))), sums);
  }
}

TEST(Delta, IntegersWrapInTheirTypes) {
  checkIntegers<int8_t, int8_t>(DTypeId::Int8, DTypeId::Int8);
  checkIntegers<uint16_t, uint16_t>(DTypeId::Uint16, DTypeId::Uint16);
  checkIntegers<int32_t, int32_t>(DTypeId::Int32, DTypeId::Int32);
  checkIntegers<uint64_t, uint64_t>(DTypeId::Uint64, DTypeId::Uint64);
  checkIntegers<int64_t, int16_t>(DTypeId::Int64, DTypeId::Int16);
  checkIntegers<uint8_t, int32_t>(DTypeId::Uint8, DTypeId::Int32);
  checkIntegers<int8_t, uint64_t>(DTypeId::Int8, DTypeId::Uint64);
  checkIntegers<uint32_t, int8_t>(DTypeId::Uint32, DTypeId::Int8);
}

template <class T, class Encoded>
void checkFloats(DTypeId from, DTypeId to) {
  for (uint32_t count : kCounts) {
    using Sum = decltype(T{} + Encoded{});
    Chain chain(from, {count}, before({delta(from, to)}));
    std::vector<T> x(count), sums(count);
    std::vector<Encoded> differences(count);
    Sum sum = 0;
    for (size_t i = 0; i < count; i++) {
      x[i] = static_cast<T>(std::sin(static_cast<double>(i)) * 1000);
      differences[i] = static_cast<Encoded>(i ? static_cast<T>(x[i] - x[i - 1]) : x[i]);
      sum = i ? sum + static_cast<Sum>(differences[i]) : static_cast<Sum>(differences[i]);
      sums[i] = static_cast<T>(sum);
    }
    EXPECT_EQ(valuesIn<Encoded>(chain.encode(asBytes(x))), differences);
    EXPECT_EQ(valuesIn<T>(chain.decode(asBytes(differences))), sums);
  }
}

TEST(Delta, FloatsRoundAtEveryStep) {
  checkFloats<float, float>(DTypeId::Float32, DTypeId::Float32);
  checkFloats<double, double>(DTypeId::Float64, DTypeId::Float64);
  checkFloats<double, float>(DTypeId::Float64, DTypeId::Float32);
  checkFloats<float, double>(DTypeId::Float32, DTypeId::Float64);
  checkFloats<double, int16_t>(DTypeId::Float64, DTypeId::Int16);
  Chain chain(DTypeId::Float64, {2}, before({delta(DTypeId::Float64, DTypeId::Float64)}));
  const Bytes zeros = asBytes<double>({-0.0, -0.0});
  EXPECT_EQ(chain.decode(zeros), zeros);
}

TEST(Delta, HalvesRoundToHalves) {
  Chain chain(DTypeId::Float16, {3}, before({delta(DTypeId::Float16, DTypeId::Float16)}));
  // 2048 + 1 is a tie between 2048 and 2050, rounded to even.
  const Bytes stored = asBytes<uint16_t>({toHalf(2048), toHalf(1), toHalf(3)});
  EXPECT_EQ(valuesIn<uint16_t>(chain.decode(stored)),
            (std::vector<uint16_t>{toHalf(2048), toHalf(2048), toHalf(2052)}));
}

// ---- astype

TEST(Astype, CastsBothWaysAndViewsOtherTypesOfTheWidth) {
  Chain chain(DTypeId::Int32, {3}, before({astype(DTypeId::Int32, DTypeId::Int16)}, 2));
  const Bytes x = asBytes<int32_t>({1, -2, 300});
  EXPECT_EQ(chain.encode(x), fromHex("0001 fffe 012c"));
  EXPECT_EQ(chain.decode(fromHex("0001 fffe 012c")), x);
  Chain times(DTypeId::Datetime64, {2}, before({astype(DTypeId::Int64, DTypeId::Int32)}));
  EXPECT_EQ(times.decode(fromHex("05000000 ffffffff")), asBytes<int64_t>({5, -1}));
  Chain pairs(DTypeId::Complex128, {1}, before({astype(DTypeId::Complex128, DTypeId::Complex64)}));
  EXPECT_EQ(pairs.encode(asBytes<double>({1.5, -2})), asBytes<float>({1.5F, -2}));
  Chain truths(DTypeId::Float32, {3}, before({astype(DTypeId::Float32, DTypeId::Bool)}));
  EXPECT_EQ(truths.encode(asBytes<float>({0, 0.5F, NAN})), (Bytes{0, 1, 1}));
}

// ---- fixedscaleoffset

TEST(FixedScaleOffset, ExamplesOfNumcodecs) {
  std::vector<double> x(10);
  for (size_t i = 0; i < 10; i++) x[i] = 1000 + static_cast<double>(i) / 9;
  Chain tenths(DTypeId::Float64, {10},
               before({fixedScaleOffset(DTypeId::Float64, DTypeId::Uint8, 1000, 10)}));
  EXPECT_EQ(tenths.encode(asBytes(x)), (Bytes{0, 1, 2, 3, 4, 6, 7, 8, 9, 10}));
  Chain thousandths(DTypeId::Float64, {10},
                    before({fixedScaleOffset(DTypeId::Float64, DTypeId::Uint16, 1000, 1000)}));
  const Bytes encoded = asBytes<uint16_t>({0, 111, 222, 333, 444, 556, 667, 778, 889, 1000});
  EXPECT_EQ(thousandths.encode(asBytes(x)), encoded);
  const auto decoded = valuesIn<double>(thousandths.decode(encoded));
  for (size_t i = 0; i < 10; i++) {
    EXPECT_EQ(decoded[i], valuesIn<uint16_t>(encoded)[i] / 1000.0 + 1000.0);
  }
}

TEST(FixedScaleOffset, UsesTheArithmeticOfTheArray) {
  for (uint32_t count : kCounts) {
    std::vector<float> x(count), scaled(count), back(count);
    std::vector<int16_t> whole(count);
    const float offset = 250.5F, scale = 0.3F;
    for (size_t i = 0; i < count; i++) {
      x[i] = static_cast<float>(std::cos(static_cast<double>(i)) * 900);
      const float difference = x[i] - offset;
      scaled[i] = std::nearbyintf(difference * scale);
      whole[i] = static_cast<int16_t>(scaled[i]);
      const float quotient = scaled[i] / scale;
      back[i] = quotient + offset;
    }
    Chain floats(DTypeId::Float32, {count},
                 before({fixedScaleOffset(DTypeId::Float32, DTypeId::Float32, 250.5, 0.3)}));
    EXPECT_EQ(valuesIn<float>(floats.encode(asBytes(x))), scaled);
    EXPECT_EQ(valuesIn<float>(floats.decode(asBytes(scaled))), back);
    // Integers always decode through float64.
    for (size_t i = 0; i < count; i++) back[i] = static_cast<float>(whole[i] / 0.3 + 250.5);
    Chain integers(DTypeId::Float32, {count},
                   before({fixedScaleOffset(DTypeId::Float32, DTypeId::Int16, 250.5, 0.3)}));
    EXPECT_EQ(valuesIn<int16_t>(integers.encode(asBytes(x))), whole);
    EXPECT_EQ(valuesIn<float>(integers.decode(asBytes(whole))), back);
  }
}

TEST(FixedScaleOffset, IntegersByIntegersAreExactAndWrap) {
  Chain chain(DTypeId::Int64, {3},
              before({fixedScaleOffset(DTypeId::Int64, DTypeId::Int64, 1, 3)}));
  const auto big = int64_t{1} << 60;
  EXPECT_EQ(valuesIn<int64_t>(chain.encode(asBytes<int64_t>({big + 1, -7, 0}))),
            (std::vector<int64_t>{3 * big, -24, -3}));
  Chain bytes(DTypeId::Uint8, {2},
              before({fixedScaleOffset(DTypeId::Uint8, DTypeId::Int16, 10, 1)}));
  EXPECT_EQ(valuesIn<int16_t>(bytes.encode({5, 20})), (std::vector<int16_t>{251, 10}));
}

// ---- quantize

TEST(Quantize, ExamplesOfNumcodecs) {
  std::vector<double> x(10);
  for (size_t i = 0; i < 10; i++) x[i] = static_cast<double>(i) / 9;
  Chain chain(DTypeId::Float64, {10},
              before({{CodecId::Quantize, {id(DTypeId::Float64), id(DTypeId::Float64), 7}}}));
  const std::vector<double> two = {0,         0.109375,  0.21875, 0.3359375, 0.4453125,
                                   0.5546875, 0.6640625, 0.78125, 0.890625,  1};
  EXPECT_EQ(valuesIn<double>(chain.encode(asBytes(x))), two);
  EXPECT_EQ(valuesIn<double>(chain.decode(asBytes(two))), two);
  // -3 bits: rounds to multiples of 8. Infinities are unchanged.
  Chain coarse(DTypeId::Float32, {4},
               before({{CodecId::Quantize,
                        {id(DTypeId::Float32), id(DTypeId::Float16), static_cast<uint32_t>(-3)}}}));
  EXPECT_EQ(valuesIn<uint16_t>(coarse.encode(asBytes<float>({13, 1e30F, -INFINITY, 3}))),
            (std::vector<uint16_t>{toHalf(16), 0x7c00, 0xfc00, 0}));
}

// ---- bitround

TEST(Bitround, SamplesOfTheRegistry) {
  Chain integers(DTypeId::Uint8, {7}, before({{CodecId::Bitround, {3}}}));
  EXPECT_EQ(integers.encode({10, 11, 100, 123, 208, 209, 255}),
            (Bytes{10, 12, 96, 128, 192, 224, 224}));
  Chain floats(DTypeId::Float32, {4}, before({{CodecId::Bitround, {3}}}));
  const auto bits = std::vector<uint32_t>{0x7fc00000, 0x7f800000, 0xffffffff, 0x3f8fffff};
  EXPECT_EQ(valuesIn<uint32_t>(floats.encode(asBytes(bits))),
            (std::vector<uint32_t>{0x7fc00000, 0x7f800000, 0xffffffff, 0x3f900000}));
  EXPECT_EQ(floats.decode(asBytes(bits)), asBytes(bits));
}

TEST(Bitround, NegativeIntegersRoundTheirMagnitude) {
  Chain chain(DTypeId::Int8, {6}, before({{CodecId::Bitround, {3}}}));
  EXPECT_EQ(valuesIn<int8_t>(chain.encode(asBytes<int8_t>({-1, -11, 127, -127, -128, 0}))),
            (std::vector<int8_t>{-1, -12, 112, -128, -128, 0}));
}

/// Rounds values arithmetically to `keep` bits of mantissa.
template <class T>
void checkRounding(DTypeId dtype, int mantissa) {
  for (int keep = 1; keep <= mantissa; keep++) {
    constexpr uint32_t kCount = 300;
    std::vector<T> x(kCount), expected(kCount);
    for (uint32_t i = 0; i < kCount; i++) {
      const double value =
          std::ldexp(1 + i / 301.0 + i % 7 * 0x1p-20, static_cast<int>(i % 30) - 15);
      x[i] = static_cast<T>(i % 2 ? -value : value);
      const int ulp = std::ilogb(x[i]) - keep;
      expected[i] = std::ldexp(std::nearbyint(std::ldexp(x[i], -ulp)), ulp);
    }
    Chain chain(dtype, {kCount}, before({{CodecId::Bitround, {static_cast<uint32_t>(keep)}}}));
    const auto got = valuesIn<T>(chain.encode(asBytes(x)));
    for (uint32_t i = 0; i < kCount; i++) {
      ASSERT_EQ(got[i], expected[i]) << "keep " << keep << " of " << x[i];
    }
  }
}

TEST(Bitround, FloatsRoundToTheNearestTiesToEven) {
  checkRounding<float>(DTypeId::Float32, 23);
  checkRounding<double>(DTypeId::Float64, 52);
}

// ---- packbits, both

TEST(NumcodecsPackbits, ExamplesAndPadding) {
  Chain chain(DTypeId::Bool, {2, 2}, before({{CodecId::NumcodecsPackbits, {}}}, 0));
  EXPECT_EQ(chain.encode({1, 0, 0, 1}), fromHex("04 90"));
  EXPECT_EQ(chain.decode(fromHex("04 90")), (Bytes{1, 0, 0, 1}));
  EXPECT_EQ(chain.decode(fromHex("04 9f")), (Bytes{1, 0, 0, 1}));  // padding may hold anything
  for (const char* bad : {"00 90", "05 90", "0c 90", "ff 90"}) {
    chain.decode(fromHex(bad));
    EXPECT_EQ(chain.code(), Code::BadHeader);
    EXPECT_EQ(chain.status.step, 0u);
  }
  for (const char* bad : {"", "04", "04 90 00"}) {
    chain.decode(fromHex(bad));
    EXPECT_EQ(chain.code(), Code::SizeMismatch);
  }
  for (uint32_t count = 1; count < 40; count++) {
    Chain any(DTypeId::Bool, {count}, before({{CodecId::NumcodecsPackbits, {}}}, 0));
    Bytes x = randomBytes(count, count);
    for (uint8_t& b : x) b &= 1;
    const Bytes encoded = any.encode(x);
    EXPECT_EQ(encoded.size(), 1 + (count + 7) / 8);
    EXPECT_EQ(encoded[0], (8 - count % 8) % 8);
    EXPECT_EQ(any.decode(encoded), x);
  }
}

Bytes packed(DTypeId dtype, std::vector<uint32_t> params, const Bytes& x, Bytes* back = nullptr) {
  const uint32_t item = dtypeInfo(id(dtype))->itemBytes;
  Chain chain(dtype, {static_cast<uint32_t>(x.size()) / item}, {{CodecId::Packbits, params}});
  EXPECT_EQ(chain.code(), Code::Ok);
  const Bytes encoded = chain.encode(x);
  if (back) *back = chain.decode(encoded);
  return encoded;
}

TEST(Packbits, KnownVectors) {
  EXPECT_EQ(packed(DTypeId::Bool, {0, 0, 0}, {1, 0, 0, 1, 1, 1, 0, 1, 1}), fromHex("b9 01"));
  EXPECT_EQ(packed(DTypeId::Bool, {1, 0, 0}, {1, 0, 0, 1, 1, 1, 0, 1, 1}), fromHex("07 b9 01"));
  EXPECT_EQ(packed(DTypeId::Bool, {2, 0, 0}, {1, 0, 0, 1, 1, 1, 0, 1, 1}), fromHex("b9 01 07"));
  EXPECT_EQ(packed(DTypeId::Uint4, {0, 0, 3}, {1, 2, 15}), fromHex("21 0f"));
  EXPECT_EQ(packed(DTypeId::Uint4, {0, 0, 3}, {0xf1, 0x52, 15}), fromHex("21 0f"));
  Bytes back;
  EXPECT_EQ(packed(DTypeId::Int4, {0, 0, 3}, {0x0f, 0xf8, 7}, &back), fromHex("8f 07"));
  EXPECT_EQ(back, fromHex("ff f8 07"));  // the sign fills the byte
  EXPECT_EQ(packed(DTypeId::Int2, {1, 0, 1}, {0, 1, 2, 3, 3}, &back), fromHex("06 e4 03"));
  EXPECT_EQ(back, fromHex("00 01 fe ff ff"));
  EXPECT_EQ(packed(DTypeId::Float6E3m2fn, {0, 0, 5}, {0x3f, 0x01, 0x20, 0x15}, &back),
            fromHex("7f 00 56"));
  EXPECT_EQ(back, fromHex("3f 01 20 15"));
  EXPECT_EQ(packed(DTypeId::ComplexFloat4E2m1fn, {0, 0, 3}, {1, 2, 3, 4}, &back), fromHex("21 43"));
  EXPECT_EQ(back, fromHex("01 02 03 04"));
  EXPECT_EQ(packed(DTypeId::Uint16, {0, 4, 11}, fromHex("3412 f0ff"), &back), fromHex("23 ff"));
  EXPECT_EQ(back, fromHex("3002 f00f"));
  const Bytes whole = randomBytes(64, 3);
  EXPECT_EQ(packed(DTypeId::Complex128, {0, 0, 63}, whole, &back), whole);
  EXPECT_EQ(back, whole);
}

TEST(Packbits, PaddingAndSizeMustAgree) {
  Chain chain(DTypeId::Bool, {9}, {{CodecId::Packbits, {1, 0, 0}}});
  for (const char* bad : {"", "07 b9", "07 b9 01 00"}) {
    chain.decode(fromHex(bad));
    EXPECT_EQ(chain.code(), Code::SizeMismatch);
  }
  chain.decode(fromHex("06 b9 01"));
  EXPECT_EQ(chain.code(), Code::BadHeader);
}

// ---- reshape

TEST(Reshape, KeepsTheOrderInAnyChain) {
  const Bytes x = asBytes<uint16_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const CodecWords reshape = {CodecId::Reshape, {2, 6}};
  Chain plain(DTypeId::Uint16, {3, 4}, before({reshape}));
  EXPECT_EQ(plain.encode(x), x);
  EXPECT_EQ(plain.decode(x), x);
  for (uint32_t endian : {1u, 2u}) {
    Chain turned(DTypeId::Uint16, {3, 4},
                 before({transposeCodec({1, 0}), reshape, transposeCodec({1, 0})}, endian));
    const Bytes encoded = turned.encode(x);
    // 3 × 4 transposed is 0 4 8 1 5 9 | 2 6 10 3 7 11, whose columns are stored.
    std::vector<uint16_t> expected = {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11};
    if (endian == 2) {
      for (uint16_t& v : expected) v = static_cast<uint16_t>(v << 8);
    }
    EXPECT_EQ(valuesIn<uint16_t>(encoded), expected);
    EXPECT_EQ(turned.decode(encoded), x);
  }
}

// ---- scale_offset

template <class T>
std::vector<uint32_t> pair(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
}

template <class T>
CodecWords scaleOffset(T offset, T scale) {
  return {CodecId::ScaleOffset, joined(pair(offset), pair(scale))};
}

TEST(ScaleOffset, IntegersAreExactOrRejected) {
  Chain chain(DTypeId::Int16, {3}, before({scaleOffset<int16_t>(10, -3)}));
  const Bytes x = asBytes<int16_t>({10, 20, -100});
  EXPECT_EQ(valuesIn<int16_t>(chain.encode(x)), (std::vector<int16_t>{0, -30, 330}));
  EXPECT_EQ(chain.decode(asBytes<int16_t>({0, -30, 330})), x);
  chain.decode(asBytes<int16_t>({0, 3, 4}));  // 4 is not a multiple of 3
  EXPECT_EQ(chain.code(), Code::NotRepresentable);
  EXPECT_EQ(chain.status.status.at, 4u);
  chain.encode(asBytes<int16_t>({-32768, 0, 0}));  // the difference is out of range
  EXPECT_EQ(chain.code(), Code::NotRepresentable);
  chain.encode(asBytes<int16_t>({0, 32767, 0}));  // the product is out of range
  EXPECT_EQ(chain.code(), Code::NotRepresentable);
  Chain edge(DTypeId::Int64, {1}, before({scaleOffset<int64_t>(0, -1)}));
  edge.decode(asBytes<int64_t>({std::numeric_limits<int64_t>::min()}));
  EXPECT_EQ(edge.code(), Code::NotRepresentable);
  Chain wide(DTypeId::Uint64, {2}, before({scaleOffset<uint64_t>(uint64_t{1} << 63, 1)}));
  const Bytes extremes = asBytes<uint64_t>({~uint64_t{0}, uint64_t{1} << 63});
  EXPECT_EQ(wide.decode(wide.encode(extremes)), extremes);
  wide.encode(asBytes<uint64_t>({0, 0}));
  EXPECT_EQ(wide.code(), Code::NotRepresentable);
}

TEST(ScaleOffset, FloatsUseTheArithmeticOfTheirType) {
  for (uint32_t count : kCounts) {
    std::vector<float> x(count), encoded(count), decoded(count);
    for (size_t i = 0; i < count; i++) {
      x[i] = static_cast<float>(std::sin(static_cast<double>(i)) * 100);
      const float difference = x[i] - 0.1F;
      encoded[i] = difference * 0.7F;
      const float quotient = encoded[i] / 0.7F;
      decoded[i] = quotient + 0.1F;
    }
    Chain chain(DTypeId::Float32, {count}, before({scaleOffset(0.1F, 0.7F)}));
    EXPECT_EQ(valuesIn<float>(chain.encode(asBytes(x))), encoded);
    EXPECT_EQ(valuesIn<float>(chain.decode(asBytes(encoded))), decoded);
  }
  Chain chain(DTypeId::Float32, {3}, before({scaleOffset(0.0F, 1e-30F)}));
  const auto special = valuesIn<float>(chain.decode(asBytes<float>({NAN, INFINITY, -0.0F})));
  EXPECT_TRUE(std::isnan(special[0]));
  EXPECT_EQ(special[1], INFINITY);
  chain.decode(asBytes<float>({0, 0, 1e20F}));
  EXPECT_EQ(chain.code(), Code::NotRepresentable);
}

// ---- cast_value

CodecWords castValue(DTypeId to, Rounding rounding, OutOfRange range,
                     std::vector<uint32_t> encode = {}, std::vector<uint32_t> decode = {}) {
  std::vector<uint32_t> params = {
      id(to), static_cast<uint32_t>(rounding), static_cast<uint32_t>(range),
      static_cast<uint32_t>(encode.size() / 4), static_cast<uint32_t>(decode.size() / 4)};
  return {CodecId::CastValue, joined(joined(params, encode), decode)};
}

TEST(CastValue, CastsBothWaysInChainsOfAnyLength) {
  for (uint32_t count : kCounts) {
    Chain chain(DTypeId::Float64, {count},
                before({castValue(DTypeId::Int16, Rounding::NearestEven, OutOfRange::Refuse)}, 2));
    std::vector<double> x(count), rounded(count);
    for (size_t i = 0; i < count; i++) {
      x[i] = static_cast<double>(i) * 0.5 - 100;
      rounded[i] = std::nearbyint(x[i]);
    }
    EXPECT_EQ(chain.decode(chain.encode(asBytes(x))), [&] {
      for (double& v : rounded) v += 0.0;  // integers have no -0
      return asBytes(rounded);
    }());
    x[count - 1] = 40000;
    chain.encode(asBytes(x));
    EXPECT_EQ(chain.code(), Code::NotRepresentable);
    EXPECT_EQ(chain.status.status.at, (count - 1) * 8);
  }
}

TEST(CastValue, ScalarMapsComeFirst) {
  const auto nan = pair(uint64_t{0x7ff8000000000000}), missing = pair<int16_t>(-32768);
  const auto zero = pair(0.0), seven = pair<int16_t>(7);
  Chain chain(
      DTypeId::Float64, {4},
      before({castValue(DTypeId::Int16, Rounding::NearestEven, OutOfRange::Refuse,
                        joined(joined(zero, seven), joined(nan, missing)), joined(missing, nan))}),
      asBytes<double>({3}));
  ASSERT_EQ(chain.code(), Code::Ok);
  const Bytes x = asBytes<uint64_t>(
      {0x7ff8000000000001, bitCast<uint64_t>(-0.0), bitCast<uint64_t>(3.0), 0xfff8000000000000});
  const Bytes encoded = chain.encode(x);
  EXPECT_EQ(valuesIn<int16_t>(encoded), (std::vector<int16_t>{-32768, 7, 3, -32768}));
  const auto decoded = valuesIn<double>(chain.decode(encoded));
  EXPECT_TRUE(std::isnan(decoded[0]) && std::isnan(decoded[3]));
  EXPECT_EQ(decoded[1], 7);
  chain.encode(asBytes<double>({INFINITY, 0, 0, 0}));
  EXPECT_EQ(chain.code(), Code::NotRepresentable);
}

// ---- invalid parameters

TEST(ValueCodecs, RejectInvalidParameters) {
  const std::vector<std::pair<DTypeId, CodecWords>> table = {
      {DTypeId::Int16, {CodecId::Delta, {}}},
      {DTypeId::Int16, {CodecId::Delta, {2}}},
      {DTypeId::Int16, {CodecId::Delta, {2, 2, 2}}},
      {DTypeId::Int16, {CodecId::Delta, {2, 0xffffffff}}},
      {DTypeId::Int16, delta(DTypeId::Int32, DTypeId::Int16)},  // another width
      {DTypeId::Bool, delta(DTypeId::Bool, DTypeId::Bool)},
      {DTypeId::Complex64, delta(DTypeId::Complex64, DTypeId::Complex64)},
      {DTypeId::Int16, delta(DTypeId::Int16, DTypeId::Raw)},
      {DTypeId::Bfloat16, delta(DTypeId::Bfloat16, DTypeId::Bfloat16)},
      {DTypeId::Complex64, astype(DTypeId::Complex64, DTypeId::Float32)},
      {DTypeId::Float32, astype(DTypeId::Float32, DTypeId::Struct)},
      {DTypeId::Float32, fixedScaleOffset(DTypeId::Float32, DTypeId::Int8, 0, 0)},
      {DTypeId::Float32, fixedScaleOffset(DTypeId::Float32, DTypeId::Int8, NAN, 1)},
      {DTypeId::Float32, fixedScaleOffset(DTypeId::Float32, DTypeId::Int8, 0, INFINITY)},
      {DTypeId::Int16, {CodecId::Quantize, {2, 2, 1}}},
      {DTypeId::Float32, {CodecId::Quantize, {10, 10, 1001}}},
      {DTypeId::Float32, {CodecId::Quantize, {10, 10, 0x80000000}}},
      {DTypeId::Float32, {CodecId::Bitround, {24}}},
      {DTypeId::Uint8, {CodecId::Bitround, {0}}},
      {DTypeId::Bool, {CodecId::Bitround, {1}}},
      {DTypeId::Float32, {CodecId::Bitround, {}}},
      {DTypeId::Int16, {CodecId::NumcodecsPackbits, {}}},
      {DTypeId::Bool, {CodecId::NumcodecsPackbits, {1}}},
      {DTypeId::Int16, {CodecId::Reshape, {4}}},
      {DTypeId::Int16, {CodecId::Reshape, {0}}},
      {DTypeId::Int16, {CodecId::Reshape, {}}},
      {DTypeId::Int16, {CodecId::Reshape, {0x80000000, 0x80000000, 4, 3}}},
      {DTypeId::Int16, scaleOffset<int16_t>(1, 0)},
      {DTypeId::Float32, scaleOffset(1.0F, -0.0F)},
      {DTypeId::Bool, scaleOffset<uint8_t>(0, 1)},
      {DTypeId::Datetime64, scaleOffset<int64_t>(0, 1)},
      {DTypeId::Int16, {CodecId::ScaleOffset, {1, 0, 1}}},
      {DTypeId::Int16, {CodecId::CastValue, {5}}},
      {DTypeId::Int16, {CodecId::CastValue, {5, 5, 0, 0, 0}}},
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 3, 0, 0}}},
      {DTypeId::Int16, {CodecId::CastValue, {0, 0, 0, 0, 0}}},   // bool
      {DTypeId::Int16, {CodecId::CastValue, {17, 0, 0, 0, 0}}},  // datetime64
      {DTypeId::Bool, {CodecId::CastValue, {5, 0, 0, 0, 0}}},
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 0, 1, 0}}},
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 0, 0xffffffff, 1}}},
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 0, 0x40000000, 0xc0000000}}},
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 0, 1, 0, 0x10000, 0, 1, 0}}},  // key too wide
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 0, 1, 0, 1, 0, 0x100, 0}}},
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 0, 2, 0, 2, 0, 1, 0, 1, 0, 1, 0}}},  // order
      {DTypeId::Int16, {CodecId::CastValue, {5, 0, 0, 2, 0, 1, 0, 1, 0, 1, 0, 1, 0}}},  // twice
      {DTypeId::Float32, {CodecId::CastValue, {5, 0, 0, 1, 0, 0x80000000, 0, 1, 0}}},   // -0
      {DTypeId::Float32, {CodecId::CastValue, {5, 0, 0, 1, 0, 0x7fc00001, 0, 1, 0}}},   // NaN
  };
  for (size_t i = 0; i < table.size(); i++) {
    Chain chain(table[i].first, {3}, before({table[i].second}));
    EXPECT_EQ(chain.code(), Code::BadParameters) << "row " << i;
    EXPECT_EQ(chain.status.step, 0u);
  }
  for (const std::vector<uint32_t>& params :
       {std::vector<uint32_t>{3, 0, 0}, {0, 1, 0}, {0, 0, 16}, {0, 0}, {0, 0xffffffff, 15}}) {
    Chain chain(DTypeId::Int16, {3}, {{CodecId::Packbits, params}});
    EXPECT_EQ(chain.code(), Code::BadParameters);
  }
  ChainSpec raw = makeSpec(DTypeId::Raw, 2, {3}, {{CodecId::Packbits, {0, 0, 0}}});
  Plan plan;
  EXPECT_EQ(plan.prepare(raw.words(), 1000).status.code, Code::BadParameters);
}

TEST(ValueCodecs, RejectOtherSizes) {
  const std::vector<CodecWords> codecs = {
      delta(DTypeId::Int16, DTypeId::Int32),
      astype(DTypeId::Int16, DTypeId::Int32),
      fixedScaleOffset(DTypeId::Int16, DTypeId::Int32, 0, 1),
      scaleOffset<int16_t>(0, 1),
      {CodecId::Bitround, {3}},
      {CodecId::Reshape, {15}},
      castValue(DTypeId::Int32, Rounding::NearestEven, OutOfRange::Refuse)};
  for (const CodecWords& codec : codecs) {
    for (uint32_t endian : {1u, 2u}) {
      Chain chain(DTypeId::Int16, {3, 5}, before({transposeCodec({1, 0}), codec}, endian));
      ASSERT_EQ(chain.code(), Code::Ok);
      const size_t right = chain.plan.encodedSize().bytes;
      for (size_t size = 0; size <= right + 4; size++) {
        chain.decode(Bytes(size));
        EXPECT_EQ(chain.code(), size == right ? Code::Ok : Code::SizeMismatch);
      }
    }
  }
}

TEST(ValueCodecs, WideningStopsBeforeSizesOverflow) {
  const CodecWords widen = astype(DTypeId::Uint8, DTypeId::Float64);
  Chain chain(DTypeId::Uint8, {1u << 29}, before({widen}));
  EXPECT_EQ(chain.code(), Code::LimitExceeded);
}

// ---- fill values

TEST(FillValues, GoThroughArrayToArrayCodecs) {
  Chain chain(DTypeId::Float32, {4, 3},
              before({transposeCodec({1, 0}),
                      scaleOffset(-1000.0F, 4.0F),
                      castValue(DTypeId::Uint16, Rounding::NearestEven, OutOfRange::Refuse),
                      {CodecId::Reshape, {12}}}),
              asBytes<float>({2.5F}));
  ASSERT_EQ(chain.code(), Code::Ok);
  EXPECT_EQ(valuesIn<uint16_t>(chain.encodedFill()), (std::vector<uint16_t>{4010}));
  EXPECT_EQ(valuesIn<float>(Bytes(chain.plan.fillItem(), chain.plan.fillItem() + 4)),
            (std::vector<float>{2.5F}));
  Chain cast(DTypeId::Int64, {4}, before({delta(DTypeId::Int64, DTypeId::Int16)}),
             asBytes<int64_t>({-9}));
  EXPECT_EQ(valuesIn<int16_t>(cast.encodedFill()), (std::vector<int16_t>{-9}));
  Chain plain(DTypeId::Int64, {4}, before({}), asBytes<int64_t>({-9}));
  EXPECT_EQ(plain.encodedFill(), asBytes<int64_t>({-9}));
  Chain unsignedZero(DTypeId::Uint16, {4}, before({scaleOffset<uint16_t>(10, 1)}));
  EXPECT_EQ(unsignedZero.code(), Code::Ok);
  EXPECT_EQ(valuesIn<uint16_t>(unsignedZero.encodedFill()), (std::vector<uint16_t>{65526}));
}

TEST(FillValues, MustSurviveCastValue) {
  const auto cast = castValue(DTypeId::Int16, Rounding::NearestEven, OutOfRange::Refuse);
  const auto clamp = castValue(DTypeId::Int16, Rounding::NearestEven, OutOfRange::Clamp);
  const struct {
    CodecWords codec;
    double fill;
    Code code;
  } table[] = {{cast, 5, Code::Ok},        {cast, -0.0, Code::Ok},      {cast, 0.5, Code::BadFill},
               {cast, 1e9, Code::BadFill}, {clamp, 1e9, Code::BadFill}, {cast, NAN, Code::BadFill}};
  for (const auto& row : table) {
    Chain chain(DTypeId::Float64, {3}, before({transposeCodec({0}), row.codec}),
                asBytes<double>({row.fill}));
    EXPECT_EQ(chain.code(), row.code) << row.fill;
    if (row.code != Code::Ok) EXPECT_EQ(chain.status.step, 1u);
  }
  const auto nan = pair(uint64_t{0x7ff8000000000000}), missing = pair<int16_t>(-1);
  Chain mapped(DTypeId::Float64, {3},
               before({castValue(DTypeId::Int16, Rounding::NearestEven, OutOfRange::Refuse,
                                 joined(nan, missing), joined(missing, nan))}),
               asBytes<double>({NAN}));
  EXPECT_EQ(mapped.code(), Code::Ok);
  EXPECT_EQ(valuesIn<int16_t>(mapped.encodedFill()), (std::vector<int16_t>{-1}));
  Chain floats(DTypeId::Float64, {3},
               before({castValue(DTypeId::Float32, Rounding::NearestEven, OutOfRange::Refuse)}),
               asBytes<double>({NAN}));
  EXPECT_EQ(floats.code(), Code::Ok);
}

}  // namespace
}  // namespace zw::test
