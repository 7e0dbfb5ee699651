// Casts that say what they do with values that have no counterpart: rounded by a given rule, then
// clamped, wrapped or refused.
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

/// What becomes of values beyond the type's range. Wrap is for integers only.
enum class OutOfRange : uint8_t { Refuse, Clamp, Wrap };

struct CastRule {
  Number from;
  Number to;
  Rounding rounding = Rounding::NearestEven;
  OutOfRange outOfRange = OutOfRange::Refuse;
};

/// True where every value of `from` is a value of `to`: the cast needs no rule.
bool isExactCast(Number from, Number to);

/// Casts `count` (at most kNumberBlock) numbers from memory to memory. Returns the index of the
/// first that must be refused, else `count`; what is written from there on means nothing.
size_t castBlock(const CastRule& rule, const uint8_t* in, size_t count, uint8_t* out);

/// Casts one number; false where it must be refused.
bool castNumber(const CastRule& rule, const uint8_t* in, uint8_t* out);

}  // namespace zw
