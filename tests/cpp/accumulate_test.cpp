// Accumulations: the fast kernels, compared with the same request element by element, and the checks of words.
// tests/node/compute compares both with exact arithmetic.
#include "kernels/accumulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "accumulate_request.hpp"

namespace zw {
namespace {

using test::Bytes;
using test::ExactBlock;
using test::Request;

constexpr uint32_t kNumbers = 13;

std::vector<uint64_t> accumulate(const Request& request, const Bytes& data) {
  const std::vector<uint32_t> words = request.words();
  const std::vector<double> tables = request.tables();
  WordReader reader(words);
  Accumulation accumulation;
  const Status status = readAccumulation(reader, test::bytesOf(tables), accumulation);
  EXPECT_FALSE(status) << statusName(static_cast<uint32_t>(status.code));
  if (status) return {};
  EXPECT_EQ(accumulation.boxBytes, data.size());
  const ExactBlock box(data);
  std::vector<uint64_t> state(accumulation.form.bytes() / 8);
  clearState(accumulation.form, state.data());
  runAccumulation(accumulation, box.data(), state.data());
  return state;
}

/// The same request with labels that are all 0: elements are then added one by one.
Request slowTwin(Request request) {
  size_t elements = 1;
  for (uint32_t a = 0; a < request.axes.size(); a++) {
    request.labels.axes.push_back(a);
    elements *= request.axes[a].length;
  }
  request.labels.cells.assign(elements, 0);
  return request;
}

uint32_t itemBytes(uint32_t number) {
  return number == 12 ? 2 : numberBytes(static_cast<Number>(number));
}

/// Numbers of similar or of any size, some of them NaN or equal to the first one.
Bytes randomNumbers(uint32_t number, size_t count, uint32_t seed) {
  const uint32_t width = itemBytes(number);
  Bytes bytes = test::randomBytes(count * width, seed);
  std::mt19937 random(seed);
  for (size_t i = 0; i < count; i++) {
    uint8_t* p = bytes.data() + i * width;
    const bool isAny = seed % 3 == 0 && random() % 40 == 0;
    if (number == 10)
      store(p, isAny ? std::ldexp(1.0f, random() % 200 - 100) : random() % 999 / 8.0f);
    if (number == 11)
      store(p, isAny ? std::ldexp(1.0, random() % 200 - 100) : random() % 999 / 7.0);
    if (number >= 10 && number <= 11 && seed % 2 == 0 && random() % 9 == 0) {
      number == 10 ? store(p, NAN) : store(p, double{NAN});
    }
    if (random() % 8 == 0 && i > 0) std::memcpy(p, bytes.data(), width);
  }
  return bytes;
}

uint64_t firstWord(const Bytes& data) {
  uint64_t word;
  std::memcpy(&word, data.data(), 8);
  return word;
}

void expectSame(const Request& request, const Bytes& data, const std::string& what) {
  const std::vector<uint64_t> fast = accumulate(request, data);
  const std::vector<uint64_t> slow = accumulate(slowTwin(request), data);
  ASSERT_EQ(fast.size(), slow.size());
  const bool isInteger = !(request.flags & 1) && request.number < 9 && request.weights.empty();
  const size_t cells = request.cells;
  // Count, sum (two planes), minimum, maximum, weight (two planes).
  for (size_t i = 0; i < fast.size(); i++) {
    const size_t plane = i / cells;
    const auto a = bitCast<double>(fast[i]), b = bitCast<double>(slow[i]);
    if ((!isInteger && plane == 2) || plane == 6) continue;
    if ((!isInteger && plane == 1) || plane == 5) {
      const double x = a + bitCast<double>(fast[i + cells]),
                   y = b + bitCast<double>(slow[i + cells]);
      const bool isSame = std::isfinite(y) ? std::fabs(x - y) <= std::fabs(y) * 0x1p-51
                                           : std::isnan(a) == std::isnan(b);
      ASSERT_TRUE(isSame) << what << ", word " << i << ": " << x << ", not " << y;
    } else {
      ASSERT_TRUE(fast[i] == slow[i] || a == b || (std::isnan(a) && std::isnan(b)))
          << what << ", word " << i << ": " << a << ", not " << b;
    }
  }
}

TEST(Accumulate, FastKernelsMatchSingleElements) {
  const uint32_t shapes[][3] = {{5, 9, 33},   {9, 3, 64},   {300, 2, 35},
                                {17, 1, 131}, {4, 2, 1100}, {2, 2, 5000}};
  uint32_t seed = 0;
  for (uint32_t number = 0; number < kNumbers; number++) {
    for (const auto& shape : shapes) {
      for (uint32_t kinds = 0; kinds < 8; kinds++) {
        for (uint32_t variant = 0; variant < 6; variant++, seed++) {
          Request request;
          request.number = number;
          request.fields = {0, 2, 4, 5};
          request.flags = (variant & 1) * 4;
          for (uint32_t a = 3; a-- > 0;) {
            const bool isReduced = kinds >> a & 1;
            request.axes.insert(request.axes.begin(),
                                {shape[a], isReduced ? 1u : 0u, request.cells, {}, 0});
            if (!isReduced) request.cells *= shape[a];
          }
          const Bytes data = randomNumbers(number, shape[0] * shape[1] * shape[2], seed);
          if (variant >= 2 && number < 9) {
            const auto first = firstWord(data);
            const auto n = static_cast<Number>(number);
            uint64_t missing;
            loadIntegers(n, reinterpret_cast<const uint8_t*>(&first), 1, &missing);
            request.missing = {missing};
          }
          if (variant >= 4 && number > 0) {
            request.flags |= 1;
            request.scale = variant == 4 ? 0.01 : -0.25;
            request.offset = seed % 3 ? 273.15 : 0;
          }
          expectSame(request, data,
                     "number " + std::to_string(number) + ", kinds " + std::to_string(kinds) +
                         ", variant " + std::to_string(variant));
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Accumulate, FastKernelsAddGroupsAndWeights) {
  uint32_t seed = 0;
  for (uint32_t number = 0; number < kNumbers; number++) {
    for (uint32_t variant = 0; variant < 32; variant++, seed++) {
      const uint32_t shape[] = {variant & 16 ? 64u : 21u, 5, 131};
      const bool isGrouped = variant & 1, isRun = variant & 2;
      Request request;
      request.number = number;
      request.fields = {0, 2, 4, 5};
      request.flags = seed % 2 * 4;
      request.axes = {{shape[0], isGrouped ? 2u : 1u, isRun ? 5u : 655u, {}, 0},
                      {shape[1], 0, isRun ? 1u : 131u, {}, 0},
                      {shape[2], isRun ? 1u : 0u, 1, {}, 0}};
      request.cells = (isGrouped ? 3 : 1) * 5 * (isRun ? 1 : 131);
      for (uint32_t i = 0; isGrouped && i < shape[0]; i++) {
        request.axes[0].table.push_back(i % 11 == 10 ? kNoCell : i / 5 % 3);
      }
      for (uint32_t a = 0; a < 3; a++) {
        if (!(variant & 4) || (a == 0 && !(variant & 8))) continue;
        test::JointTable table;
        table.axes = {a};
        for (uint32_t i = 0; i < shape[a]; i++) table.weights.push_back(std::cos(i * 0.01 + a));
        request.weights.push_back(table);
        if (a == 1) break;
      }
      if (!request.weights.empty()) request.fields.push_back(1);
      if (number < 9 && variant % 3 == 0) request.missing = {3};
      if (number > 0 && number < 9 && variant % 5 == 0) {
        request.flags |= 1;
        request.scale = 0.01;
        request.offset = 400;
      }
      const Bytes data = randomNumbers(number, shape[0] * shape[1] * shape[2], seed);
      expectSame(request, data,
                 "number " + std::to_string(number) + ", variant " + std::to_string(variant));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// A variance takes the difference of nearly equal numbers, which shows if the sum is of unrounded values.
TEST(Accumulate, SumsTheValuesWhoseSquaresItSums) {
  for (const bool isRun : {true, false}) {
    Request request;
    request.number = 7;
    request.flags = 1;
    request.scale = 0.001;
    request.offset = -5;
    request.cells = isRun ? 1 : 40;
    request.fields = {2, 3, 0, 4, 5};
    request.axes = {{40, 1, 0, {}, 0}, {40, isRun ? 1u : 0u, isRun ? 0u : 1u, {}, 0}};
    std::vector<uint32_t> numbers(1600);
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = i % 3;
    Bytes data(4 * numbers.size());
    std::memcpy(data.data(), numbers.data(), data.size());
    EXPECT_EQ(accumulate(request, data), accumulate(slowTwin(request), data));
  }
}

TEST(Accumulate, CountsNumbersThatEqualAMissingValueOnlyInTheirLowBits) {
  Request request;
  request.number = 1;
  request.fields = {0};
  request.axes = {{48, 1, 0, {}, 0}};
  request.missing = {0xbb};
  const Bytes data(48, 0xbb);
  EXPECT_EQ(accumulate(request, data), accumulate(slowTwin(request), data));
}

TEST(Accumulate, RefusesCellsOutsideTheState) {
  Request request;
  request.number = 10;
  request.cells = 6;
  request.fields = {0};
  request.axes = {{2, 0, 3, {}, 0}, {3, 0, 1, {}, 0}};
  const auto codeOf = [](const Request& r) {
    const std::vector<uint32_t> words = r.words();
    const std::vector<double> tables = r.tables();
    WordReader reader(words);
    Accumulation out;
    return readAccumulation(reader, test::bytesOf(tables), out).code;
  };
  EXPECT_EQ(codeOf(request), Code::Ok);
  Request other = request;
  other.cells = 5;
  EXPECT_EQ(codeOf(other), Code::BadPlacement);
  other = request;
  other.axes[0].stride = 0xffffffff;
  EXPECT_EQ(codeOf(other), Code::BadPlacement);
  other = request;
  other.axes[0] = {2, 2, 3, {0, 2}, 0};
  EXPECT_EQ(codeOf(other), Code::BadPlacement);
  other.axes[0].table = {0, kNoCell};
  EXPECT_EQ(codeOf(other), Code::Ok);
  other.axes[0].table.clear();
  EXPECT_EQ(codeOf(other), Code::BadParameters);
  other = request;
  other.labels = {{1}, {0, 0, 1}, {}, 1};
  EXPECT_EQ(codeOf(other), Code::BadPlacement);
  other.labels = {{2}, {0, 0, 0}, {}, 1};
  EXPECT_EQ(codeOf(other), Code::BadParameters);
  other = request;
  other.axes[1].length = 0;
  EXPECT_EQ(codeOf(other), Code::BadParameters);
  other = request;
  other.fields = {0, 0};
  EXPECT_EQ(codeOf(other), Code::BadParameters);
  other = request;
  other.axes.assign(5, {0xffffffff, 1, 0, {}, 0});
  EXPECT_EQ(codeOf(other), Code::LimitExceeded);
}

}  // namespace
}  // namespace zw
