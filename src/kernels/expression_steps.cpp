// The loops of expressions. Additions and the like use vectors; the compiler vectorises the others
// where that pays.
#include <cmath>

#include "base/math.hpp"
#include "kernels/expression.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

// Loops. Operations are generic functions of numbers and of vectors.

template <class T, class F>
ZW_INLINE void mapOne(const uint8_t* a, uint8_t* out, size_t count, F f) {
  constexpr size_t kBytes = 16;
  const size_t bytes = count * sizeof(T);
  size_t at = 0;
  for (; at + kBytes <= bytes; at += kBytes) {
    simd::store(out + at, (simd::U8x16)f((simd::Lanes<T>)simd::load(a + at)));
  }
  for (; at < bytes; at += sizeof(T)) store(out + at, static_cast<T>(f(load<T>(a + at))));
}

template <class T, class F>
ZW_INLINE void mapTwo(const uint8_t* a, const uint8_t* b, uint8_t* out, size_t count, F f) {
  constexpr size_t kBytes = 16;
  const size_t bytes = count * sizeof(T);
  size_t at = 0;
  for (; at + kBytes <= bytes; at += kBytes) {
    using Vector = simd::Lanes<T>;
    simd::store(out + at, (simd::U8x16)f((Vector)simd::load(a + at), (Vector)simd::load(b + at)));
  }
  for (; at < bytes; at += sizeof(T)) {
    store(out + at, static_cast<T>(f(load<T>(a + at), load<T>(b + at))));
  }
}

/// Compares elements from `i` on: 16 / W of them, as masks of W bytes.
template <class T, int W, class F>
ZW_INLINE simd::U8x16 masks(const uint8_t* a, const uint8_t* b, size_t i, F f) {
  if constexpr (W == sizeof(T)) {
    using Vector = simd::Lanes<T>;
    const size_t at = i * sizeof(T);
    return (simd::U8x16)f((Vector)simd::load(a + at), (Vector)simd::load(b + at));
  } else {
    return simd::evenLanes<W>(masks<T, 2 * W>(a, b, i, f), masks<T, 2 * W>(a, b, i + 8 / W, f));
  }
}

/// Chooses elements from `i` on by 16 / W masks of W bytes.
template <class T, int W>
ZW_INLINE void choose(simd::U8x16 mask, const uint8_t* x, const uint8_t* y, uint8_t* out,
                      size_t i) {
  if constexpr (W == sizeof(T)) {
    const size_t at = i * sizeof(T);
    simd::store(out + at, (simd::load(x + at) & mask) | (simd::load(y + at) & ~mask));
  } else {
    choose<T, 2 * W>(simd::zipLow<W>(mask, mask), x, y, out, i);
    choose<T, 2 * W>(simd::zipHigh<W>(mask, mask), x, y, out, i + 8 / W);
  }
}

/// The loops of one instruction.
struct Step : ExpressionStep {
  /// Calls f(T()) for the unsigned integer T of the same width.
  template <class F>
  ZW_INLINE void byWidth(F f) const {
    switch (numberBytes(number)) {
      case 1:
        return f(uint8_t{});
      case 2:
        return f(uint16_t{});
      case 4:
        return f(uint32_t{});
      default:
        return f(uint64_t{});
    }
  }
  /// For operations in which the sign of integers does not matter.
  template <class F>
  ZW_INLINE void unsignedOrFloat(F f) const {
    if (!isFloat(number)) return byWidth(f);
    number == Number::Float32 ? f(float{}) : f(double{});
  }
  template <class F>
  void combine(F f) const {
    unsignedOrFloat([&]<class T>(T) { mapTwo<T>(a, b, out, count, f); });
  }

  /// Bitwise operations: any type, as bytes.
  template <class F>
  void combineBits(F f) const {
    mapTwo<uint8_t>(a, b, out, count * numberBytes(number), f);
  }

  /// Calls f<T>() for the types in kOrdered.
  template <class F>
  ZW_INLINE void ordered(F f) const {
    switch (number) {
      case Number::Int32:
        return f(int32_t{});
      case Number::Int64:
        return f(int64_t{});
      case Number::Uint64:
        return f(uint64_t{});
      case Number::Float32:
        return f(float{});
      default:
        return f(double{});
    }
  }

  template <class T, class F>
  ZW_INLINE void compareAs(F f) const {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) simd::store(out + i, masks<T, 1>(a, b, i, f) & simd::fill(1));
    for (; i < count; i++) out[i] = f(load<T>(a + i * sizeof(T)), load<T>(b + i * sizeof(T)));
  }

  void equal() const {
    unsignedOrFloat([&]<class T>(T) { compareAs<T>([](auto x, auto y) { return x == y; }); });
  }

  void select() const {
    byWidth([&]<class T>(T) {
      size_t i = 0;
      for (; i + 16 <= count; i += 16) {
        choose<T, 1>((simd::U8x16)(simd::load(a + i) != simd::fill(0)), b, c, out, i);
      }
      for (; i < count; i++) {
        store(out + i * sizeof(T), load<T>((a[i] ? b : c) + i * sizeof(T)));
      }
    });
  }

  /// Clears the sign of floats; negates integers below 0.
  template <class T>
  void absoluteAs(bool isOfFloats) const {
    constexpr int kSign = 8 * sizeof(T) - 1;
    if (isOfFloats) return mapOne<T>(a, out, count, [](auto x) { return x & ~(T{1} << kSign); });
    mapOne<T>(a, out, count, [](auto x) {
      const auto mask = -(x >> kSign);
      return (x ^ mask) - mask;
    });
  }

  template <class F>
  void floats(F f) const {
    const auto run = [&]<class T>(T) {
      for (size_t i = 0; i < count; i++) {
        store(out + i * sizeof(T), f(load<T>(a + i * sizeof(T))));
      }
    };
    number == Number::Float32 ? run(float{}) : run(double{});
  }

  /// Functions of double.
  void doubles(double (*f)(double)) const {
    for (size_t i = 0; i < count; i++) store(out + 8 * i, f(load<double>(a + 8 * i)));
  }
  template <class T>
  void wide(T (*f)(T, T)) const {
    for (size_t i = 0; i < count; i++) {
      store(out + 8 * i, f(load<T>(a + 8 * i), load<T>(b + 8 * i)));
    }
  }

  template <class T>
  void widenAs() const {
    for (size_t i = 0; i < count; i++) {
      store(out + 4 * i, static_cast<int32_t>(load<T>(a + i * sizeof(T))));
    }
  }

  void cast() const {
    if (to == Number::Int32 && numberBytes(number) <= 2 && number != Number::Bool) {
      if (number == Number::Int8) return widenAs<int8_t>();
      if (number == Number::Uint8) return widenAs<uint8_t>();
      return number == Number::Int16 ? widenAs<int16_t>() : widenAs<uint16_t>();
    }
    convertNumbers(number, a, to, out, count);
  }
};

double floatModulo(double x, double y) {
  const double rest = std::fmod(x, y);
  if (y == 0) return rest;
  if (rest == 0) return std::copysign(0.0, y);
  return (y < 0) != (rest < 0) ? rest + y : rest;
}

int64_t signedModulo(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return 0;
  const int64_t rest = x % y;
  return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}

uint64_t unsignedModulo(uint64_t x, uint64_t y) {
  return y == 0 ? 0 : x % y;
}

uint64_t integerPower(uint64_t x, uint64_t y) {
  uint64_t result = 1;
  for (; y > 0; y >>= 1, x *= x) {
    if (y & 1) result *= x;
  }
  return result;
}

}  // namespace

void runStep(Operation operation, const ExpressionStep& step) {
  const Step s{step};
  switch (operation) {
    case Operation::Cast:
      return s.cast();
    case Operation::Add:
      return s.combine([](auto x, auto y) { return x + y; });
    case Operation::Subtract:
      return s.combine([](auto x, auto y) { return x - y; });
    case Operation::Multiply:
      // Shorter integers are promoted to int, in which a product of uint16 may overflow.
      return s.combine([]<class T>(T x, T y) {
        if constexpr (sizeof(T) < 4)
          return static_cast<T>(1u * x * y);
        else
          return x * y;
      });
    case Operation::Divide: {
      const auto divide = [](auto x, auto y) { return x / y; };
      return s.number == Number::Float32 ? mapTwo<float>(s.a, s.b, s.out, s.count, divide)
                                         : mapTwo<double>(s.a, s.b, s.out, s.count, divide);
    }
    case Operation::Modulo:
      if (s.number == Number::Float64) return s.wide<double>(floatModulo);
      if (s.number == Number::Int64) return s.wide<int64_t>(signedModulo);
      return s.wide<uint64_t>(unsignedModulo);
    case Operation::Power:
      if (s.number == Number::Uint64) return s.wide<uint64_t>(integerPower);
      return s.wide<double>(power);
    case Operation::Negate:
      return s.unsignedOrFloat(
          [&]<class T>(T) { mapOne<T>(s.a, s.out, s.count, [](auto x) { return -x; }); });
    case Operation::Absolute: {
      const bool isOfFloats = isFloat(s.number);
      return numberBytes(s.number) == 4 ? s.absoluteAs<uint32_t>(isOfFloats)
                                        : s.absoluteAs<uint64_t>(isOfFloats);
    }
    case Operation::Minimum:
      return s.ordered([&]<class T>(T) {
        mapTwo<T>(s.a, s.b, s.out, s.count,
                  [](auto x, auto y) { return ((x < y) | (x != x)) ? x : y; });
      });
    case Operation::Maximum:
      return s.ordered([&]<class T>(T) {
        mapTwo<T>(s.a, s.b, s.out, s.count,
                  [](auto x, auto y) { return ((x > y) | (x != x)) ? x : y; });
      });
    case Operation::Less:
      return s.ordered([&]<class T>(T) { s.compareAs<T>([](auto x, auto y) { return x < y; }); });
    case Operation::LessEqual:
      return s.ordered([&]<class T>(T) { s.compareAs<T>([](auto x, auto y) { return x <= y; }); });
    case Operation::Equal:
      return s.equal();
    case Operation::And:
      return s.combineBits([](auto x, auto y) { return x & y; });
    case Operation::Or:
      return s.combineBits([](auto x, auto y) { return x | y; });
    case Operation::Not:
      if (s.number == Number::Bool) {
        for (size_t i = 0; i < s.count; i++) s.out[i] = s.a[i] == 0;
        return;
      }
      return mapOne<uint8_t>(s.a, s.out, s.count * numberBytes(s.number),
                             [](auto x) { return ~x; });
    case Operation::Select:
      return s.select();
    case Operation::SquareRoot:
      return s.floats([](auto x) { return std::sqrt(x); });
    case Operation::Round:
      return s.floats([](auto x) { return std::nearbyint(x); });
    case Operation::Floor:
      return s.floats([](auto x) { return std::floor(x); });
    case Operation::Ceil:
      return s.floats([](auto x) { return std::ceil(x); });
    default: {
      static constexpr double (*kFunctions[])(double) = {exponential, logarithm, logarithm10, sine,
                                                         cosine};
      const auto index = static_cast<uint32_t>(operation) - static_cast<uint32_t>(Operation::Exp);
      return s.doubles(kFunctions[index]);
    }
  }
}

}  // namespace zw
