// Functions of doubles. Modules use those of the JavaScript engine: those of the C library have large tables.
#pragma once

#include <cmath>

#ifdef __EMSCRIPTEN__
// bindings/typed_arrays.js
extern "C" {
double zwExp(double);
double zwLog(double);
double zwLog10(double);
double zwSin(double);
double zwCos(double);
double zwPow(double, double);
}
#endif

namespace zw {

#ifdef __EMSCRIPTEN__
inline constexpr auto exponential = zwExp;
inline constexpr auto logarithm = zwLog;
inline constexpr auto logarithm10 = zwLog10;
inline constexpr auto sine = zwSin;
inline constexpr auto cosine = zwCos;
/// 1 to any power is 1, as in C; in JavaScript, it may be NaN.
inline double power(double x, double y) {
  const bool isOne = x == 1 || (x == -1 && std::isinf(y));
  return isOne ? 1 : zwPow(x, y);
}
#else
inline constexpr double (*exponential)(double) = ::exp;
inline constexpr double (*logarithm)(double) = ::log;
inline constexpr double (*logarithm10)(double) = ::log10;
inline constexpr double (*sine)(double) = ::sin;
inline constexpr double (*cosine)(double) = ::cos;
inline constexpr double (*power)(double, double) = ::pow;
#endif

}  // namespace zw
