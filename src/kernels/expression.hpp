// Elementwise expressions: programs of typed operations over boxes of numbers, such as
// (a - b) / (a + b). A program runs block by block, so that intermediate results stay in the
// first-level cache; inputs that are broadcast are never expanded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/limits.hpp"
#include "base/status.hpp"
#include "kernels/numbers.hpp"

namespace zw {

/// Operations on operands of one type, which the comments list: small are integers of 8 to 32 bits,
/// wide are Int64 and Uint64. The compiler of expressions (TypeScript) converts operands first.
enum class Operation : uint8_t {
  Cast,        // all types: as convertNumbers, to the type given as second operand
  Add,         // all but Bool; integers wrap
  Subtract,    // all but Bool; integers wrap
  Multiply,    // all but Bool; integers wrap
  Divide,      // floats
  Modulo,      // wide, Float64: the sign is that of the divisor; modulo 0 is 0, for floats NaN
  Power,       // Uint64 (wraps), Float64
  Negate,      // all but Bool; integers wrap
  Absolute,    // Int32, Int64, floats; integers wrap
  Minimum,     // Int32, wide, floats; a NaN remains
  Maximum,     // Int32, wide, floats; a NaN remains
  Less,        // Int32, wide, floats; the result is Bool
  LessEqual,   // Int32, wide, floats; the result is Bool
  Equal,       // all types; the result is Bool
  And,         // Bool, integers: bitwise
  Or,          // Bool, integers: bitwise
  Not,         // Bool: logical; integers: bitwise
  Select,      // all types: the first operand is a Bool that chooses the second or the third
  SquareRoot,  // floats
  Round,       // floats: to nearest, ties to even
  Floor,       // floats
  Ceil,        // floats
  Exp,         // Float64, as the following
  Log,
  Log10,
  Sin,
  Cos
};

/// Elements per block.
inline constexpr size_t kExpressionBlock = 1024;
inline constexpr uint32_t kMaxInputs = 64;
inline constexpr uint32_t kMaxConstants = 256;
inline constexpr uint32_t kMaxInstructions = 1024;
/// Maximum number of intermediate results that are needed at a time.
inline constexpr uint32_t kMaxSlots = 64;

/// A checked program; refers to the words that it was prepared from.
struct Expression {
  std::span<const uint32_t> shape;
  std::span<const uint32_t> inputs;        // (number, offset, stride of each axis)…; in bytes
  std::span<const uint32_t> constants;     // (number, low word, high word)…
  std::span<const uint32_t> instructions;  // (operation, number, operands × 3, slot)…
  uint32_t slots = 0;
  Number result = Number::Bool;
  size_t count = 0;
  size_t resultBytes = 0;
  /// Memory that runExpression needs.
  size_t scratchBytes = 0;
};

/// Checks a program. The words: [number of axes, inputs, constants and instructions, lengths of the
/// box, then the lists of Expression]. An operand is the index of an input, or of a constant, or of
/// a slot, in this order. An instruction writes to a slot that is not one of its operands; the last
/// one computes the result. Fails with BadParameters for words that are not a program, types that do
/// not match and empty boxes; with BadPlacement if an input reaches beyond `inputBytes`; with
/// LimitExceeded for results beyond 2^31 bytes.
Status prepareExpression(std::span<const uint32_t> words, size_t inputBytes, Expression& out);

/// Computes `resultBytes` bytes in C order from the bytes that hold all inputs. Buffers need no
/// alignment and must not overlap.
void runExpression(const Expression& expression, const uint8_t* input, uint8_t* scratch,
                   uint8_t* out);

/// One instruction on one block of at most kExpressionBlock elements.
struct ExpressionStep {
  const uint8_t* a;  // the operands
  const uint8_t* b;
  const uint8_t* c;
  uint8_t* out;
  size_t count;
  Number number;  // type of the operands
  Number to;      // of Cast
};
void runStep(Operation operation, const ExpressionStep& step);

}  // namespace zw
