// Programs of expressions, compared with the scalar reference; invalid programs.
#include "kernels/expression.hpp"

#include <gtest/gtest.h>

#include "scalar_expression.hpp"
#include "support.hpp"

namespace zw {
namespace {

using test::Bytes;
using test::ExactBlock;

struct Choices {
  std::mt19937 random;
  uint32_t u32() { return static_cast<uint32_t>(random()); }
  uint32_t between(uint32_t min, uint32_t max) { return min + u32() % (max - min + 1); }
};

/// Random numbers of a type: for even seeds random bits, otherwise small numbers.
Bytes randomInput(size_t size, uint32_t seed) {
  Bytes bytes = test::randomBytes(size, seed);
  for (size_t i = 0; seed % 2 == 1 && i + 8 <= size; i += 8) {
    const double value = (bytes[i] - 128) / 8.0;
    if (seed % 4 == 1) std::memcpy(bytes.data() + i, &value, 8);
    if (seed % 4 == 3) bytes[i + 1] = bytes[i + 2] = bytes[i + 3] = 0;
  }
  return bytes;
}

void expectSame(const scalar::Program& program, uint32_t seed) {
  Expression e;
  const auto prepared = prepareExpression(program.words, program.inputBytes, e);
  ASSERT_EQ(prepared.code, Code::Ok) << seed;
  const ExactBlock input(randomInput(program.inputBytes, seed), seed % 16);
  ExactBlock out(e.resultBytes, seed / 3 % 16), scratch(e.scratchBytes);
  Bytes expected(e.resultBytes);
  runExpression(e, input.data(), scratch.data(), out.data());
  scalar::evaluate(e, input.data(), expected.data());
  EXPECT_TRUE(scalar::areEqual(e.result, out.data(), expected.data(), e.count)) << seed;
}

TEST(Expression, MatchesScalarForRandomPrograms) {
  const auto rounds = static_cast<uint32_t>(test::amount(150, 20000));
  for (uint32_t seed = 1; seed <= rounds; seed++) {
    Choices choices{std::mt19937(seed)};
    expectSame(scalar::Programs<Choices>(choices).make(), seed);
  }
}

constexpr auto word = [](auto value) { return static_cast<uint32_t>(value); };

/// Each operation with each type, on rows around the sizes of vectors and blocks.
TEST(Expression, MatchesScalarForAllOperations) {
  uint32_t accepted = 0;
  for (uint32_t op = 0; op <= word(Operation::Cos); op++) {
    for (uint32_t number = 0; number <= word(Number::Float64); number++) {
      const uint32_t width = numberBytes(static_cast<Number>(number));
      for (const uint32_t length : {1u, 33u, 1050u}) {
        const uint32_t a = op == word(Operation::Select) ? 2 : 0;
        scalar::Program program{{1, 3, 0, 1, length, number, 0, width, number, length * width,
                                 width, word(Number::Bool), 2 * length * width, 1},
                                size_t{2} * length * width + length};
        const uint32_t b = op == word(Operation::Cast) ? word(Number::Float32) : a == 2 ? 0 : 1;
        program.words.insert(program.words.end(), {op, number, a, b, 1, 0});
        Expression e;
        if (prepareExpression(program.words, program.inputBytes, e)) continue;
        accepted++;
        for (uint32_t seed = 1; seed <= 2; seed++) expectSame(program, seed);
      }
    }
  }
  EXPECT_GT(accepted, 300u);
}

TEST(Expression, RejectsInvalidPrograms) {
  const uint32_t f32 = word(Number::Float32), f64 = word(Number::Float64);
  const std::vector<uint32_t> valid = {
      1, 1, 1, 1, 8, f64, 0, 8, f64, 0, 0x3ff00000, word(Operation::Add), f64, 0, 1, 0, 0};
  const auto code = [](std::vector<uint32_t> words, size_t bytes = 64) {
    Expression e;
    return prepareExpression(words, bytes, e).code;
  };
  const auto with = [&](size_t at, uint32_t value) {
    std::vector<uint32_t> words = valid;
    words[at] = value;
    return words;
  };
  EXPECT_EQ(code(valid), Code::Ok);
  EXPECT_EQ(code(valid, 63), Code::BadPlacement);
  EXPECT_EQ(code(with(6, 1)), Code::BadPlacement);
  EXPECT_EQ(code(with(7, 0xffffffff)), Code::BadPlacement);
  EXPECT_EQ(code(with(4, 0xffffffff)), Code::LimitExceeded);
  EXPECT_EQ(code(with(4, 0)), Code::BadParameters);
  for (size_t at = 0; at < 4; at++) {
    EXPECT_EQ(code(with(at, 0)), Code::BadParameters) << at;
    EXPECT_EQ(code(with(at, 0xffffffff)), Code::BadParameters) << at;
  }
  for (const auto& [at, value] :
       std::vector<std::pair<size_t, uint32_t>>{{5, f32},
                                                {5, word(Number::Float16)},
                                                {5, 99},
                                                {8, f32},
                                                {8, 99},
                                                {11, 27},
                                                {12, f32},
                                                {12, 0xffffffff},
                                                {13, 2},
                                                {13, 2 + kMaxSlots},
                                                {14, 0xffffffff},
                                                {16, kMaxSlots}}) {
    EXPECT_EQ(code(with(at, value)), Code::BadParameters) << at << " " << value;
  }
  EXPECT_EQ(code({valid.begin(), valid.end() - 1}), Code::BadParameters);
  EXPECT_EQ(code({}), Code::BadParameters);
  std::vector<uint32_t> longer = valid;
  longer.push_back(0);
  EXPECT_EQ(code(longer), Code::BadParameters);
  // A slot that the instruction reads.
  std::vector<uint32_t> twice = with(3, 2);
  twice.insert(twice.end(), {word(Operation::Negate), f64, 2, 0, 0, 0});
  EXPECT_EQ(code(twice), Code::BadParameters);
  twice.back() = 1;
  EXPECT_EQ(code(twice), Code::Ok);
}

}  // namespace
}  // namespace zw
