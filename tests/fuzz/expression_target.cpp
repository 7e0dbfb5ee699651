// expressions: compares programs with their scalar reference, in buffers of exact size; half of the
// programs have a changed word.
//
// Input: choices of the program, a word to change, bytes of the inputs
#include "input.hpp"
#include "scalar_expression.hpp"
#include "support.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

void run(ByteView bytes) {
  Input input(bytes);
  scalar::Program program = scalar::Programs<Input>(input).make();
  if (input.u8() % 2 == 1) {
    const uint32_t last = static_cast<uint32_t>(program.words.size()) - 1;
    program.words[input.between(0, last)] = input.u8() % 4 == 0 ? input.u32() : input.u8();
  }
  Expression e;
  if (prepareExpression(program.words, program.inputBytes, e) || e.count > 10000) return;
  ExactBlock src(program.inputBytes);
  const ByteView data = input.rest();
  for (size_t i = 0; i < src.size(); i++) {
    src.data()[i] = data.empty() ? static_cast<uint8_t>(i ^ i >> 8) : data[i % data.size()];
  }
  ExactBlock out(e.resultBytes), scratch(e.scratchBytes);
  Bytes expected(e.resultBytes);
  runExpression(e, src.data(), scratch.data(), out.data());
  scalar::evaluate(e, src.data(), expected.data());
  ZW_PROPERTY(scalar::areEqual(e.result, out.data(), expected.data(), e.count));
}

}  // namespace

std::vector<Target> expressionTargets() {
  return {{"expressions", run, nullptr}};
}

}  // namespace zw::fuzz
