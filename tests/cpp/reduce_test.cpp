// Block reductions, compared with the scalar reference for all methods, elements and edges.
#include "kernels/reduce.hpp"

#include <gtest/gtest.h>

#include "scalar_reduce.hpp"
#include "support.hpp"

namespace zw {
namespace {

using test::Bytes;
using test::ExactBlock;

/// All methods, with the elements that each accepts.
std::vector<std::pair<Reduction, ReduceElement>> allKernels() {
  std::vector<std::pair<Reduction, ReduceElement>> all;
  for (auto n = static_cast<uint8_t>(Number::Int8); n <= static_cast<uint8_t>(Number::Float64);
       n++) {
    const auto number = static_cast<Number>(n);
    const uint32_t bytes = numberBytes(number);
    all.push_back({Reduction::Mean, {number, false, bytes}});
    all.push_back({Reduction::Max, {number, false, bytes}});
    if (isFloat(number)) all.push_back({Reduction::Mean, {number, false, 2 * bytes}});
  }
  all.push_back({Reduction::Mean, {Number::Float32, true, 4}});
  all.push_back({Reduction::Mean, {Number::Float32, true, 8}});
  for (const uint32_t bytes : {1, 2, 3, 4, 8, 16}) {
    all.push_back({Reduction::Mode, {Number::Uint8, false, bytes}});
  }
  return all;
}

/// Random bits: NaNs with payloads, infinities, extremes; for odd seeds few different elements.
Bytes randomItems(size_t count, uint32_t itemBytes, uint32_t seed) {
  Bytes bytes = test::randomBytes(count * itemBytes, seed);
  std::mt19937 random(seed);
  for (size_t i = 3; seed % 2 == 1 && i < count; i++) {
    const size_t from = random() % 3 * itemBytes;
    std::memcpy(bytes.data() + i * itemBytes, bytes.data() + from, itemBytes);
  }
  return bytes;
}

void expectSame(Reduction method, const ReduceElement& element, const std::vector<ReduceAxis>& axes,
                uint32_t seed) {
  BlockReduction reduction;
  ASSERT_FALSE(prepareReduction(method, element, axes, reduction));
  const size_t count = reduction.sourceBytes / element.itemBytes;
  const ExactBlock src(randomItems(count, element.itemBytes, seed), seed % 16);
  ExactBlock dst(reduction.resultBytes, seed / 3 % 16);
  Bytes expected(reduction.resultBytes);
  runReduction(reduction, src.data(), dst.data());
  scalar::reduce(method, element, axes, src.data(), expected.data());
  EXPECT_EQ(dst.copy(), expected) << "method " << int(method) << ", number " << int(element.number)
                                  << ", " << element.itemBytes << " bytes, seed " << seed;
}

TEST(Reduce, MatchesScalarForAllShapes) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) { return size_t{random() % n}; };
  for (const auto& [method, element] : allKernels()) {
    for (uint32_t round = 0; round < 60; round++) {
      std::vector<ReduceAxis> axes(1 + below(5));
      for (ReduceAxis& axis : axes) {
        axis.length = 1 + below(axes.size() > 3 ? 5 : 11);
        axis.factor = round % 2 ? 2 : 1 + below(4);
      }
      expectSame(method, element, axes, round + 1);
    }
  }
}

TEST(Reduce, MatchesScalarForLongRows) {
  for (const auto& [method, element] : allKernels()) {
    for (const size_t length : {31, 32, 33, 64, 65, 255, 257, 513, 1030}) {
      const auto seed = static_cast<uint32_t>(length);
      for (const size_t rows : {1, 2, 3, 4}) {
        for (const size_t factor : {1, 2, 3}) {
          expectSame(method, element, {{rows, rows}, {length, factor}}, seed);
        }
      }
      expectSame(method, element, {{5, 2}, {3, 2}, {length, 2}}, seed + 1);
    }
  }
}

TEST(Reduce, MatchesScalarForTheLargestBlocks) {
  for (const auto& [method, element] : allKernels()) {
    // The reference compares each element with every other to find the mode.
    const size_t most = method == Reduction::Mode ? 256 : 4096;
    expectSame(method, element, {{most, most}, {2, 1}}, 3);
    expectSame(method, element, {{most, most}}, 5);
    expectSame(method, element, {{most / 2 + 2, most / 2}, {67, 2}}, 7);
    expectSame(method, element, {{most / 32 + 1, most / 32}, {65, 2}}, 9);
  }
}

/// Sums of the greatest and the least numbers stay within the lanes.
TEST(Reduce, MeansOfExtremesAreExact) {
  for (const auto& [method, element] : allKernels()) {
    if (method != Reduction::Mean || isFloat(element.number)) continue;
    for (const size_t rows : {1, 2, 64, 128, 2048}) {
      const std::vector<ReduceAxis> axes = {{rows, rows}, {64, 2}};
      BlockReduction reduction;
      ASSERT_FALSE(prepareReduction(method, element, axes, reduction));
      for (const int last : {0x7f, 0x80, 0xff}) {
        Bytes src(reduction.sourceBytes, last == 0x80 ? 0 : 0xff), dst(reduction.resultBytes);
        for (size_t i = 1; i <= src.size() / element.itemBytes; i++) {
          src[i * element.itemBytes - 1] = static_cast<uint8_t>(last);
        }
        runReduction(reduction, src.data(), dst.data());
        EXPECT_EQ(dst, Bytes(src.begin(), src.begin() + static_cast<ptrdiff_t>(dst.size())));
      }
    }
  }
}

TEST(Reduce, RejectsInvalidArguments) {
  BlockReduction out;
  const auto code = [&](Reduction method, ReduceElement element, std::vector<ReduceAxis> axes) {
    return prepareReduction(method, element, axes, out).code;
  };
  const ReduceElement byte{Number::Uint8, false, 1};
  EXPECT_EQ(code(Reduction::Mean, byte, {{4, 2}}), Code::Ok);
  EXPECT_EQ(code(Reduction::Mean, byte, {}), Code::BadParameters);
  EXPECT_EQ(code(Reduction::Mean, byte, std::vector<ReduceAxis>(65, {1, 1})), Code::BadParameters);
  EXPECT_EQ(code(Reduction::Mean, byte, {{0, 2}}), Code::BadParameters);
  EXPECT_EQ(code(Reduction::Mean, byte, {{4, 0}}), Code::BadParameters);
  EXPECT_EQ(code(Reduction::Mean, byte, {{64, 64}, {65, 65}}), Code::LimitExceeded);
  EXPECT_EQ(code(Reduction::Mean, byte, {{4, SIZE_MAX}}), Code::Ok);
  EXPECT_EQ(code(Reduction::Mean, byte, {{1u << 31, 1}, {1u << 31, 1}, {4, 1}}),
            Code::LimitExceeded);
  for (const ReduceElement& element :
       {ReduceElement{Number::Bool, false, 1}, ReduceElement{Number::Uint8, false, 2},
        ReduceElement{Number::Float64, true, 8}, ReduceElement{Number::Float32, false, 0},
        ReduceElement{Number::Float32, false, 12}}) {
    EXPECT_EQ(code(Reduction::Mean, element, {{4, 2}}), Code::BadParameters);
    EXPECT_EQ(code(Reduction::Max, element, {{4, 2}}), Code::BadParameters);
  }
  EXPECT_EQ(code(Reduction::Max, {Number::Float32, false, 8}, {{4, 2}}), Code::BadParameters);
  EXPECT_EQ(code(Reduction::Mode, {Number::Uint8, false, 0}, {{4, 2}}), Code::BadParameters);
  EXPECT_EQ(code(Reduction::Mode, {Number::Uint8, false, kMaxItemBytes + 1}, {{4, 2}}),
            Code::BadParameters);
}

}  // namespace
}  // namespace zw
