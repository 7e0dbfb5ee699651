// Sums of doubles as unevaluated pairs: a high part and the sum of its rounding errors.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/bytes.hpp"

namespace zw {

struct Pair {
  double high = 0;
  double low = 0;
};

/// a + b without error.
inline Pair exactSum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// Without error, unless the product overflows or its error is subnormal.
inline Pair exactProduct(double a, double b) {
  const auto upper = [](double x) {
    const double c = x * 134217729.0;  // 2^27 + 1
    return c - (c - x);
  };
  const double product = a * b, a1 = upper(a), b1 = upper(b), a2 = a - a1, b2 = b - b1;
  const double error = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
  return {product, std::isfinite(error) ? error : 0};
}

/// A 64-bit integer.
inline Pair pairOf(uint64_t bits, bool isSigned) {
  const auto high = isSigned
                        ? static_cast<double>(static_cast<int64_t>(bits & ~uint64_t{0xffffffff}))
                        : static_cast<double>(bits & ~uint64_t{0xffffffff});
  return exactSum(high, static_cast<double>(bits & 0xffffffff));
}

inline Pair product(Pair a, Pair b) {
  Pair p = exactProduct(a.high, b.high);
  p.low += a.high * b.low + a.low * b.high;
  return p;
}

inline void addPair(Pair& sum, Pair value) {
  const Pair high = exactSum(sum.high, value.high);
  sum = {high.high, sum.low + (value.low + high.low)};
}

inline double asDouble(uint64_t bits) {
  return bitCast<double>(bits);
}
inline uint64_t asBits(double value) {
  return bitCast<uint64_t>(value);
}

}  // namespace zw
