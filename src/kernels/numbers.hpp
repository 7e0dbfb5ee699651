// Converts numbers of all widths through wide types: integers through 64 bits, anything through
// double. Codecs load a block, compute on the wide values and store them as another type. That
// takes one loop per type and direction instead of one per pair of types.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

enum class Number : uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Float16,
  Float32,
  Float64
};

/// Values per block; a block of doubles stays in the first-level cache.
inline constexpr size_t kNumberBlock = 256;

constexpr bool isFloat(Number type) {
  return type >= Number::Float16;
}
constexpr bool isSigned(Number type) {
  return type >= Number::Int8 && type <= Number::Int64;
}
constexpr uint32_t numberBytes(Number type) {
  constexpr uint8_t kBytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return kBytes[static_cast<uint8_t>(type)];
}

// Addresses need no alignment; `in` and `out` must not overlap. `type` is the type in memory. Loads
// and stores take at most kNumberBlock numbers.

/// Loads integers (not floats) as 64 bits, sign- or zero-extended.
void loadIntegers(Number type, const uint8_t* in, size_t count, uint64_t* out);
/// Stores the low bits; for Bool, whether any bit is set.
void storeIntegers(Number type, const uint64_t* in, size_t count, uint8_t* out);
/// Loads numbers of any type as doubles. Exact, except that 64-bit integers are rounded to nearest.
void loadDoubles(Number type, const uint8_t* in, size_t count, double* out);
/// Stores floats rounded to nearest, ties to even, and integers as toInteger() does.
void storeDoubles(Number type, const double* in, size_t count, uint8_t* out);

/// NumPy's cast (`astype`): integers keep their low bits; floats are rounded to the nearest float or
/// converted by toInteger(). Complex numbers are converted as twice as many floats.
void convertNumbers(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count);

/// Truncates a double to an integer modulo 2^64. NaN and infinities become 0. (Out-of-range values
/// are undefined in C and NumPy; where NumPy wraps, the result is the same.)
uint64_t toInteger(double value);

/// Rounds a double to binary16, ties to even. A NaN keeps its sign and upper bits.
uint16_t toHalf(double value);
/// Converts a binary16 to a double.
double fromHalf(uint16_t bits);

}  // namespace zw
