// Numbers of every width through one wide form: integers as 64 bits, everything as double. Codecs
// that calculate load a block, work on the wide values, and store them in another type: eleven
// types in and eleven out, instead of a loop for each of 121 pairs.
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

/// Values that are worked on at a time: a block of doubles stays in the first-level cache.
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

// Addresses below need no alignment; `in` and `out` may not overlap. `type` is the type in memory.
// Loads and stores are of at most kNumberBlock numbers.

/// Integers (not floats) as 64 bits, sign- or zero-extended.
void loadIntegers(Number type, const uint8_t* in, size_t count, uint64_t* out);
/// The low bits of `in`; Bool is whether any bit is set.
void storeIntegers(Number type, const uint64_t* in, size_t count, uint8_t* out);
/// Numbers of any type as doubles: exact, but for 64-bit integers, which round to the nearest.
void loadDoubles(Number type, const uint8_t* in, size_t count, double* out);
/// Floats are the nearest, ties to even; integers as integerOf() says.
void storeDoubles(Number type, const double* in, size_t count, uint8_t* out);

/// NumPy's cast (`astype`): integers keep their low bits, floats go to the nearest float or to
/// integerOf(); complex types are twice as many floats.
void convertNumbers(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count);

/// A double without its fraction as an integer of any width, modulo 2^64. NaN and infinities are 0.
/// (C and NumPy leave what does not fit undefined; this is what they do where they do something.)
uint64_t integerOf(double value);

/// The binary16 nearest to a double, ties to even. A NaN keeps its sign and upper bits.
uint16_t halfOf(double value);
/// The value of a binary16.
double fromHalf(uint16_t bits);

}  // namespace zw
