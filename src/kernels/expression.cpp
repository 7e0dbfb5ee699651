#include "kernels/expression.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/word_reader.hpp"

namespace zw {
namespace {

constexpr uint32_t kInputHead = 2;
constexpr uint32_t kConstantWords = 3;
constexpr uint32_t kInstructionWords = 6;
/// Every value has room for the widest type.
constexpr size_t kValueBytes = 8 * kExpressionBlock;

/// The types of an operation, as bits by Number.
constexpr uint32_t bit(Number number) {
  return 1u << static_cast<uint8_t>(number);
}
constexpr uint32_t kFloats = bit(Number::Float32) | bit(Number::Float64);
constexpr uint32_t kWide = bit(Number::Int64) | bit(Number::Uint64);
constexpr uint32_t kIntegers = kWide | bit(Number::Int8) | bit(Number::Int16) | bit(Number::Int32) |
                               bit(Number::Uint8) | bit(Number::Uint16) | bit(Number::Uint32);
constexpr uint32_t kNumbers = kIntegers | kFloats;
constexpr uint32_t kAll = kNumbers | bit(Number::Bool);
constexpr uint32_t kOrdered = bit(Number::Int32) | kWide | kFloats;

/// Types and number of operands of each operation.
struct Signature {
  uint32_t types;
  uint32_t operands;
};

constexpr Signature kSignatures[] = {
    {kAll, 1},                                               // Cast
    {kNumbers, 2},                                           // Add
    {kNumbers, 2},                                           // Subtract
    {kNumbers, 2},                                           // Multiply
    {kFloats, 2},                                            // Divide
    {kWide | bit(Number::Float64), 2},                       // Modulo
    {bit(Number::Uint64) | bit(Number::Float64), 2},         // Power
    {kNumbers, 1},                                           // Negate
    {kFloats | bit(Number::Int32) | bit(Number::Int64), 1},  // Absolute
    {kOrdered, 2},                                           // Minimum
    {kOrdered, 2},                                           // Maximum
    {kOrdered, 2},                                           // Less
    {kOrdered, 2},                                           // LessEqual
    {kAll, 2},                                               // Equal
    {kAll & ~kFloats, 2},                                    // And
    {kAll & ~kFloats, 2},                                    // Or
    {kAll & ~kFloats, 1},                                    // Not
    {kAll, 3},                                               // Select
    {kFloats, 1},                                            // SquareRoot
    {kFloats, 1},                                            // Round
    {kFloats, 1},                                            // Floor
    {kFloats, 1},                                            // Ceil
    {bit(Number::Float64), 1},                               // Exp
    {bit(Number::Float64), 1},                               // Log
    {bit(Number::Float64), 1},                               // Log10
    {bit(Number::Float64), 1},                               // Sin
    {bit(Number::Float64), 1},                               // Cos
};
constexpr uint32_t kOperations = sizeof(kSignatures) / sizeof(kSignatures[0]);
static_assert(kOperations == static_cast<uint32_t>(Operation::Cos) + 1);

bool isComparison(Operation operation) {
  return operation >= Operation::Less && operation <= Operation::Equal;
}

bool isType(uint32_t number) {
  return number < 32 && (kAll >> number & 1) != 0;
}

/// Checks the types of a program, instruction by instruction.
class Checker {
 public:
  explicit Checker(Expression& e)
      : e_(e), inputWords_(kInputHead + static_cast<uint32_t>(e.shape.size())) {
    first_ =
        static_cast<uint32_t>(e.inputs.size() / inputWords_ + e.constants.size() / kConstantWords);
    std::fill_n(slots_, kMaxSlots, kUnset);
  }

  bool check(std::span<const uint32_t> words) {
    if (words[0] >= kOperations || !isType(words[1])) return false;
    const auto operation = static_cast<Operation>(words[0]);
    const auto [types, count] = kSignatures[words[0]];
    const uint32_t slot = words[5];
    if ((types >> words[1] & 1) == 0 || slot >= kMaxSlots) return false;
    for (uint32_t i = 0; i < count; i++) {
      const bool isChoice = operation == Operation::Select && i == 0;
      const uint32_t wanted = isChoice ? static_cast<uint32_t>(Number::Bool) : words[1];
      if (typeOf(words[2 + i]) != wanted || words[2 + i] == first_ + slot) return false;
    }
    if (operation == Operation::Cast && !isType(words[3])) return false;
    e_.result = static_cast<Number>(operation == Operation::Cast ? words[3] : words[1]);
    if (isComparison(operation)) e_.result = Number::Bool;
    slots_[slot] = static_cast<uint32_t>(e_.result);
    e_.slots = std::max(e_.slots, slot + 1);
    return true;
  }

 private:
  static constexpr uint32_t kUnset = 0xffffffff;

  uint32_t typeOf(uint32_t operand) const {
    const auto inputs = static_cast<uint32_t>(e_.inputs.size() / inputWords_);
    if (operand < inputs) return e_.inputs[operand * inputWords_];
    if (operand < first_) return e_.constants[(operand - inputs) * kConstantWords];
    return operand - first_ < kMaxSlots ? slots_[operand - first_] : kUnset;
  }

  Expression& e_;
  uint32_t inputWords_;
  uint32_t first_ = 0;  // number of the first slot as an operand
  uint32_t slots_[kMaxSlots];
};

/// Whether all elements of an input lie inside the bytes.
bool isInside(std::span<const uint32_t> shape, std::span<const uint32_t> input, size_t bytes) {
  uint64_t end = uint64_t{input[1]} + numberBytes(static_cast<Number>(input[0]));
  for (size_t axis = 0; axis < shape.size(); axis++) {
    const uint64_t last = uint64_t{shape[axis] - 1} * input[kInputHead + axis];
    if (!checkedAdd(end, last, end)) return false;
  }
  return end <= bytes;
}

template <class T>
void copySpaced(const uint8_t* from, size_t stride, size_t count, uint8_t* out) {
  if (stride == 0) {
    const T value = load<T>(from);
    for (size_t i = 0; i < count; i++) store(out + i * sizeof(T), value);
    return;
  }
  for (size_t i = 0; i < count; i++) store(out + i * sizeof(T), load<T>(from + i * stride));
}

void copyRun(const uint8_t* from, size_t stride, uint32_t width, size_t count, uint8_t* out) {
  if (stride == width) {
    std::memcpy(out, from, count * width);
    return;
  }
  const auto copy = width == 1   ? copySpaced<uint8_t>
                    : width == 2 ? copySpaced<uint16_t>
                    : width == 4 ? copySpaced<uint32_t>
                                 : copySpaced<uint64_t>;
  copy(from, stride, count, out);
}

/// An input of a running program. Packed ones are used where they are.
class Input {
 public:
  Input(std::span<const uint32_t> shape, std::span<const uint32_t> words, const uint8_t* bytes)
      : shape_(shape),
        strides_(words.subspan(kInputHead)),
        start_(bytes + words[1]),
        width_(numberBytes(static_cast<Number>(words[0]))) {
    uint64_t stride = width_;
    for (size_t axis = shape.size(); axis-- > 0;) {
      isPacked_ = isPacked_ && (strides_[axis] == stride || shape[axis] == 1);
      stride *= shape[axis];
    }
  }

  /// Returns elements `first` to `first + count` in C order, gathered into `buffer` if necessary.
  const uint8_t* block(size_t first, size_t count, uint8_t* buffer) const {
    if (isPacked_) return start_ + first * width_;
    size_t index[kMaxRank];
    const uint8_t* from = start_;
    for (size_t axis = shape_.size(); axis-- > 0;) {
      index[axis] = first % shape_[axis];
      first /= shape_[axis];
      from += index[axis] * strides_[axis];
    }
    const size_t last = shape_.size() - 1;
    for (uint8_t* out = buffer; count > 0;) {
      const size_t run = std::min<size_t>(count, shape_[last] - index[last]);
      copyRun(from, strides_[last], width_, run, out);
      out += run * width_;
      count -= run;
      if (count > 0) from = nextRow(index, from);
    }
    return buffer;
  }

 private:
  /// Moves to the first element of the next row.
  const uint8_t* nextRow(size_t* index, const uint8_t* from) const {
    size_t axis = shape_.size() - 1;
    from -= index[axis] * strides_[axis];
    index[axis] = 0;
    while (axis-- > 0) {
      from += strides_[axis];
      if (++index[axis] < shape_[axis]) break;
      from -= index[axis] * strides_[axis];
      index[axis] = 0;
    }
    return from;
  }

  std::span<const uint32_t> shape_;
  std::span<const uint32_t> strides_;
  const uint8_t* start_;
  uint32_t width_;
  bool isPacked_ = true;
};

}  // namespace

Status prepareExpression(std::span<const uint32_t> words, size_t inputBytes, Expression& out) {
  out = {};
  WordReader reader(words);
  const uint32_t rank = reader.next(), inputs = reader.next(), constants = reader.next(),
                 instructions = reader.next();
  if (rank > kMaxRank || inputs > kMaxInputs || constants > kMaxConstants || instructions == 0 ||
      instructions > kMaxInstructions) {
    return Code::BadParameters;
  }
  out.shape = reader.take(rank);
  out.inputs = reader.take(inputs * (kInputHead + rank));
  out.constants = reader.take(constants * kConstantWords);
  out.instructions = reader.take(instructions * kInstructionWords);
  if (!reader.ok() || !reader.atEnd()) return Code::BadParameters;
  uint64_t count = 1;
  for (const uint32_t length : out.shape) {
    if (length == 0) return Code::BadParameters;
    if (!checkedMul(count, length, count) || count > 0x7fffffff / 8) return Code::LimitExceeded;
  }
  for (uint32_t i = 0; i < inputs; i++) {
    const auto input = out.inputs.subspan(i * (kInputHead + rank), kInputHead + rank);
    if (!isType(input[0])) return Code::BadParameters;
    if (!isInside(out.shape, input, inputBytes)) return Code::BadPlacement;
  }
  for (uint32_t i = 0; i < constants; i++) {
    if (!isType(out.constants[i * kConstantWords])) return Code::BadParameters;
  }
  Checker checker(out);
  for (uint32_t i = 0; i < instructions; i++) {
    if (!checker.check(out.instructions.subspan(i * kInstructionWords, kInstructionWords))) {
      return Code::BadParameters;
    }
  }
  out.count = static_cast<size_t>(count);
  out.resultBytes = out.count * numberBytes(out.result);
  out.scratchBytes = (inputs + constants + out.slots) * kValueBytes;
  return {};
}

void runExpression(const Expression& e, const uint8_t* input, uint8_t* scratch, uint8_t* out) {
  const auto inputWords = static_cast<uint32_t>(kInputHead + e.shape.size());
  const auto inputs = static_cast<uint32_t>(e.inputs.size() / inputWords);
  const auto constants = static_cast<uint32_t>(e.constants.size() / kConstantWords);
  const uint8_t* values[kMaxInputs + kMaxConstants + kMaxSlots];
  for (uint32_t i = 0; i < inputs + constants + e.slots; i++) values[i] = scratch + i * kValueBytes;
  for (uint32_t i = 0; i < constants; i++) {
    const uint32_t* words = e.constants.data() + i * kConstantWords;
    const uint64_t value = words[1] | uint64_t{words[2]} << 32;
    copyRun(reinterpret_cast<const uint8_t*>(&value), 0, numberBytes(static_cast<Number>(words[0])),
            kExpressionBlock, scratch + (inputs + i) * kValueBytes);
  }
  const size_t instructions = e.instructions.size() / kInstructionWords;
  for (size_t at = 0; at < e.count; at += kExpressionBlock) {
    const size_t count = std::min(kExpressionBlock, e.count - at);
    for (uint32_t i = 0; i < inputs; i++) {
      const Input in(e.shape, e.inputs.subspan(i * inputWords, inputWords), input);
      values[i] = in.block(at, count, scratch + i * kValueBytes);
    }
    for (size_t i = 0; i < instructions; i++) {
      const uint32_t* words = e.instructions.data() + i * kInstructionWords;
      const auto operation = static_cast<Operation>(words[0]);
      const uint32_t operands = kSignatures[words[0]].operands;
      const uint8_t* used[3] = {};
      for (uint32_t n = 0; n < operands; n++) used[n] = values[words[2 + n]];
      uint8_t* to = i + 1 == instructions ? out + at * numberBytes(e.result)
                                          : scratch + (inputs + constants + words[5]) * kValueBytes;
      runStep(operation, {used[0], used[1], used[2], to, count, static_cast<Number>(words[1]),
                          static_cast<Number>(words[3] & 15)});
    }
  }
}

}  // namespace zw
