// Scalar reference for runExpression: element by element, with integers of 128 bits and doubles; and
// a generator of programs.
#pragma once

#include "kernels/expression.hpp"
#include "scalar_reduce.hpp"

namespace zw::scalar {

struct Cell {
  Number number = Number::Bool;
  uint8_t bytes[8] = {};
};

inline Cell integerCell(Number number, Wide value) {
  Cell cell{number};
  writeInteger(number, value, cell.bytes);
  return cell;
}

/// Rounding a double to float32 gives the rounded result of + - * / and square roots of float32.
inline Cell floatCell(Number number, double value) {
  Cell cell{number};
  const auto single = static_cast<float>(value);
  if (number == Number::Float32) std::memcpy(cell.bytes, &single, 4);
  if (number == Number::Float64) std::memcpy(cell.bytes, &value, 8);
  return cell;
}

/// Python's modulo.
inline double modulo(double x, double y) {
  double rest = std::fmod(x, y);
  if (rest != 0 && std::signbit(rest) != std::signbit(y)) rest += y;
  return rest == 0 ? std::copysign(rest, y) : rest;
}
inline Wide modulo(Wide x, Wide y) {
  if (y == 0) return 0;
  const Wide rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

template <class T>
bool ordered(Operation operation, T x, T y) {
  if (operation == Operation::Less) return x < y;
  return operation == Operation::LessEqual ? x <= y : x == y;
}

inline double floatResult(Operation operation, double x, double y) {
  switch (operation) {
    case Operation::Add:
      return x + y;
    case Operation::Subtract:
      return x - y;
    case Operation::Multiply:
      return x * y;
    case Operation::Divide:
      return x / y;
    case Operation::Modulo:
      return modulo(x, y);
    case Operation::Power:
      return std::pow(x, y);
    case Operation::Negate:
      return -x;
    case Operation::Absolute:
      return std::fabs(x);
    case Operation::Minimum:
      return std::isnan(x) ? x : std::isnan(y) ? y : x < y ? x : y;
    case Operation::Maximum:
      return std::isnan(x) ? x : std::isnan(y) ? y : x > y ? x : y;
    case Operation::SquareRoot:
      return std::sqrt(x);
    case Operation::Round:
      return std::nearbyint(x);
    case Operation::Floor:
      return std::floor(x);
    case Operation::Ceil:
      return std::ceil(x);
    case Operation::Exp:
      return std::exp(x);
    case Operation::Log:
      return std::log(x);
    case Operation::Log10:
      return std::log10(x);
    case Operation::Sin:
      return std::sin(x);
    default:
      return std::cos(x);
  }
}

inline Wide integerResult(Operation operation, Number number, Wide x, Wide y) {
  Wide power = 1;
  switch (operation) {
    case Operation::Add:
      return x + y;
    case Operation::Subtract:
      return x - y;
    case Operation::Multiply:  // only the low bits are kept
      return static_cast<Wide>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
    case Operation::Modulo:
      return modulo(x, y);
    case Operation::Power:
      for (int i = 63; i >= 0; i--) {
        power = static_cast<uint64_t>(power) * static_cast<uint64_t>(power);
        if (static_cast<uint64_t>(y) >> i & 1) {
          power = static_cast<uint64_t>(power) * static_cast<uint64_t>(x);
        }
      }
      return power;
    case Operation::Negate:
      return -x;
    case Operation::Absolute:
      return x < 0 ? -x : x;
    case Operation::Minimum:
      return x < y ? x : y;
    case Operation::Maximum:
      return x > y ? x : y;
    case Operation::And:
      return x & y;
    case Operation::Or:
      return x | y;
    default:
      return number == Number::Bool ? x == 0 : ~x;
  }
}

inline Cell apply(Operation operation, const Cell& a, const Cell& b, const Cell& c, Number to) {
  Cell out{to};
  if (operation == Operation::Cast) {
    convertNumbers(a.number, a.bytes, to, out.bytes, 1);
    return out;
  }
  if (operation == Operation::Select) return a.bytes[0] != 0 ? b : c;
  const bool compares = operation >= Operation::Less && operation <= Operation::Equal;
  if (isFloat(a.number)) {
    const double x = readFloat(a.number, a.bytes), y = readFloat(a.number, b.bytes);
    if (compares) return integerCell(Number::Bool, ordered(operation, x, y));
    return floatCell(a.number, floatResult(operation, x, y));
  }
  const Wide x = readInteger(a.number, a.bytes), y = readInteger(a.number, b.bytes);
  if (compares) return integerCell(Number::Bool, ordered(operation, x, y));
  return integerCell(a.number, integerResult(operation, a.number, x, y));
}

inline void evaluate(const Expression& e, const uint8_t* input, uint8_t* out) {
  const size_t rank = e.shape.size(), inputWords = 2 + rank;
  std::vector<size_t> index(rank);
  for (size_t n = 0; n < e.count; n++) {
    std::vector<Cell> values;
    for (size_t i = 0; i < e.inputs.size(); i += inputWords) {
      const uint8_t* from = input + e.inputs[i + 1];
      for (size_t axis = 0; axis < rank; axis++) from += index[axis] * e.inputs[i + 2 + axis];
      Cell cell{static_cast<Number>(e.inputs[i])};
      std::memcpy(cell.bytes, from, numberBytes(cell.number));
      values.push_back(cell);
    }
    for (size_t i = 0; i < e.constants.size(); i += 3) {
      Cell cell{static_cast<Number>(e.constants[i])};
      std::memcpy(cell.bytes, &e.constants[i + 1], 4);
      std::memcpy(cell.bytes + 4, &e.constants[i + 2], 4);
      values.push_back(cell);
    }
    const size_t first = values.size();
    values.resize(first + kMaxSlots);
    Cell result;
    for (size_t i = 0; i < e.instructions.size(); i += 6) {
      const uint32_t* words = &e.instructions[i];
      const auto cell = [&](uint32_t operand) {
        return operand < values.size() ? values[operand] : Cell{};
      };
      result = apply(static_cast<Operation>(words[0]), cell(words[2]), cell(words[3]),
                     cell(words[4]), static_cast<Number>(words[3] & 15));
      values[first + words[5]] = result;
    }
    std::memcpy(out + n * numberBytes(e.result), result.bytes, numberBytes(e.result));
    for (size_t axis = rank; axis-- > 0 && ++index[axis] == e.shape[axis];) index[axis] = 0;
  }
}

/// Whether results are equal; NaNs are, whatever their bits.
inline bool areEqual(Number number, const uint8_t* a, const uint8_t* b, size_t count) {
  const uint32_t width = numberBytes(number);
  for (size_t i = 0; i < count; i++, a += width, b += width) {
    if (std::memcmp(a, b, width) == 0) continue;
    if (!isFloat(number)) return false;
    const double x = readFloat(number, a), y = readFloat(number, b);
    if (!(x == y || (std::isnan(x) && std::isnan(y)))) return false;
  }
  return true;
}

/// A program, and the size of its inputs.
struct Program {
  std::vector<uint32_t> words;
  size_t inputBytes = 0;
};

/// Generates valid programs from a source of choices, such as fuzz::Input.
template <class Source>
class Programs {
 public:
  explicit Programs(Source& source) : source_(source) {}

  Program make() {
    const uint32_t rank = between(0, 4), inputs = between(0, 4),
                   constants = between(inputs ? 0 : 1, 3), instructions = between(1, 12);
    program_.words = {rank, inputs, constants, instructions};
    size_t room = 6000;
    for (uint32_t i = 0; i < rank; i++) {
      const uint32_t length = std::min<uint32_t>(static_cast<uint32_t>(room),
                                                 between(1, between(0, 3) == 0 ? 3000 : 9));
      room /= length;
      shape_.push_back(length);
      program_.words.push_back(length);
    }
    for (uint32_t i = 0; i < inputs; i++) addInput();
    for (uint32_t i = 0; i < constants; i++) {
      types_.push_back(anyType());
      append({static_cast<uint32_t>(types_.back()), source_.u32(), source_.u32()});
    }
    first_ = static_cast<uint32_t>(types_.size());
    for (uint32_t i = 0; i < instructions; i++) addInstruction();
    return program_;
  }

 private:
  static constexpr uint32_t kSlots = 5;

  uint32_t between(uint32_t min, uint32_t max) { return source_.between(min, max); }
  Number anyType() {
    const uint32_t type = between(0, 10);
    return static_cast<Number>(type < 9 ? type : type + 1);
  }
  void append(std::initializer_list<uint32_t> words) {
    program_.words.insert(program_.words.end(), words);
  }

  /// Packed, with axes in another order, with gaps, or broadcast.
  void addInput() {
    types_.push_back(anyType());
    const uint32_t width = numberBytes(types_.back()), kind = between(0, 3);
    const auto offset = static_cast<uint32_t>(program_.inputBytes + between(0, 9));
    std::vector<uint32_t> strides(shape_.size());
    uint32_t stride = width;
    uint64_t end = offset + width;
    for (size_t i = 0; i < strides.size(); i++) {
      const size_t axis = kind == 1 ? i : strides.size() - 1 - i;
      if (kind == 2) stride += between(0, 3);
      if (kind == 3 && between(0, 1) == 0) continue;
      strides[axis] = stride;
      end += uint64_t{stride} * (shape_[axis] - 1);
      stride *= shape_[axis];
    }
    append({static_cast<uint32_t>(types_.back()), offset});
    program_.words.insert(program_.words.end(), strides.begin(), strides.end());
    program_.inputBytes = static_cast<size_t>(end);
  }

  uint32_t anyValue() { return between(0, static_cast<uint32_t>(types_.size()) - 1); }
  /// The first value of a type from a random one on; `otherwise` if there is none.
  uint32_t valueOf(Number type, uint32_t otherwise) {
    const uint32_t start = anyValue(), count = static_cast<uint32_t>(types_.size());
    for (uint32_t i = 0; i < count; i++) {
      if (types_[(start + i) % count] == type) return (start + i) % count;
    }
    return otherwise;
  }

  bool tryInstruction(Operation operation) {
    const uint32_t a = anyValue(), b = valueOf(types_[a], a), c = valueOf(types_[a], a);
    const auto type = static_cast<uint32_t>(types_[a]), op = static_cast<uint32_t>(operation);
    const uint32_t condition = valueOf(Number::Bool, 0xffffffff);
    uint32_t slot = between(0, kSlots - 1);
    while (first_ + slot == a || first_ + slot == b || first_ + slot == c ||
           first_ + slot == condition) {
      slot = (slot + 1) % kSlots;
    }
    const auto to = static_cast<uint32_t>(anyType());
    const bool isCast = operation == Operation::Cast;
    std::vector<uint32_t> words = {op, type, a, isCast ? to : b, c, slot};
    if (operation == Operation::Select) words = {op, type, condition, b, c, slot};
    // Whether the types fit is for the core to say.
    Program trial = program_;
    trial.words[3] = ++count_;
    trial.words.insert(trial.words.end(), words.begin(), words.end());
    Expression expression;
    if (prepareExpression(trial.words, trial.inputBytes, expression)) {
      count_--;
      return false;
    }
    program_ = trial;
    types_.resize(std::max<size_t>(types_.size(), first_ + slot + 1), Number::Float16);
    types_[first_ + slot] = expression.result;
    return true;
  }

  void addInstruction() {
    if (tryInstruction(static_cast<Operation>(between(0, 26)))) return;
    while (!tryInstruction(Operation::Cast)) continue;
  }

  Source& source_;
  Program program_;
  std::vector<uint32_t> shape_;
  std::vector<Number> types_;  // of values; Float16 for slots without one
  uint32_t first_ = 0;
  uint32_t count_ = 0;
};

}  // namespace zw::scalar
