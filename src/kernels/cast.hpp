// Casts with an explicit rule for values that the target type lacks: rounding, then clamping,
// wrapping or an error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/numbers.hpp"

namespace zw {

enum class Rounding : uint8_t {
  NearestEven,
  TowardsZero,
  TowardsPositive,
  TowardsNegative,
  NearestAway
};

/// Treatment of values outside the target's range. Wrap is for integers only.
enum class OutOfRange : uint8_t { Refuse, Clamp, Wrap };

struct CastRule {
  Number from;
  Number to;
  Rounding rounding = Rounding::NearestEven;
  OutOfRange outOfRange = OutOfRange::Refuse;
};

/// True if each value of `from` is a value of `to`, so that no rule is needed.
bool isExactCast(Number from, Number to);

/// Casts `count` (at most kNumberBlock) numbers from memory to memory. Returns the index of the
/// first number that must be refused, or `count`; output from that index on is unspecified.
size_t castBlock(const CastRule& rule, const uint8_t* in, size_t count, uint8_t* out);

/// Casts one number; false if it must be refused.
bool castNumber(const CastRule& rule, const uint8_t* in, uint8_t* out);

}  // namespace zw
