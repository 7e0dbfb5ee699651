// Functions of doubles within 1 ulp. Modules use those of the JavaScript engine where the C library has large tables, which
// would take 15 KB, compressed.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/bytes.hpp"

#ifdef __EMSCRIPTEN__
// bindings/typed_arrays.js
extern "C" {
double zwLog(double);
double zwLog10(double);
double zwSin(double);
double zwCos(double);
double zwPow(double, double);
}
#endif

namespace zw {

#ifdef __EMSCRIPTEN__
inline constexpr auto logarithm = zwLog;
inline constexpr auto logarithm10 = zwLog10;
inline constexpr auto sine = zwSin;
inline constexpr auto cosine = zwCos;
#else
inline constexpr double (*logarithm)(double) = ::log;
inline constexpr double (*logarithm10)(double) = ::log10;
inline constexpr double (*sine)(double) = ::sin;
inline constexpr double (*cosine)(double) = ::cos;
inline constexpr double (*zwPow)(double, double) = ::pow;
#endif

/// Squares, roots and inverses are rounded once, as by NumPy; they are also several times as fast. 1 to any power is 1,
/// which may be NaN in JavaScript.
inline double power(double x, double y) {
  if (y == 2) return x * x;
  if (y == -1) return 1 / x;
  if (y == 0.5 && x > 0) return std::sqrt(x);
  return x == 1 || (x == -1 && std::isinf(y)) ? 1 : zwPow(x, y);
}

/// Several times as fast as Math.exp. exp(x) = 2^k exp(r), where |r| is at most log(2) / 2.
inline double exponential(double x) {
  constexpr double kLog2 = 0x1.62e42feep-1, kLog2Rest = 0x1.a39ef35793c76p-33;
  // 1 / n! from 14 to 2
  constexpr double kTerms[] = {
      1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
      1.0 / 362880,      1.0 / 40320,      1.0 / 5040,      1.0 / 720,      1.0 / 120,
      1.0 / 24,          1.0 / 6,          1.0 / 2};
  if (!(x < 710)) return x + HUGE_VAL;
  if (x < -746) return 0;
  const double k = std::nearbyint(x * (1 / (kLog2 + kLog2Rest)));
  const double high = x - k * kLog2, low = k * kLog2Rest, r = high - low;
  double sum = 0;
  for (const double term : kTerms) sum = sum * r + term;
  const double result = 1 + (r + (sum * r * r + ((high - r) - low)));
  const auto half = static_cast<int64_t>(k) / 2, rest = static_cast<int64_t>(k) - half;
  const auto powerOf2 = [](int64_t n) {
    return bitCast<double>(static_cast<uint64_t>(n + 1023) << 52);
  };
  return result * powerOf2(half) * powerOf2(rest);
}

}  // namespace zw
