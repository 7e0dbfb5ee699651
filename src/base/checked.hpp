// Arithmetic on untrusted sizes: 64 bits wide on every target, with overflow checks.
#pragma once

#include <cstdint>

namespace zw {

/// Computes `out = a * b`; false on overflow (`out` is then unspecified).
[[nodiscard]] inline bool checkedMul(uint64_t a, uint64_t b, uint64_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}

/// Computes `out = a + b`; false on overflow (`out` is then unspecified).
[[nodiscard]] inline bool checkedAdd(uint64_t a, uint64_t b, uint64_t& out) {
  return !__builtin_add_overflow(a, b, &out);
}

/// ceil(a / b) without overflow; b must not be 0.
constexpr uint64_t ceilDiv(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

}  // namespace zw
