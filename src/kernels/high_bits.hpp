// Unsigned numbers of any width up to 32 bits, packed without gaps, highest bits first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace zw {

/// Returns `count` (1 … 32) bits from bit `at` of `in`, which must contain them.
inline uint32_t highBits(const uint8_t* in, uint64_t at, uint32_t count) {
  const uint8_t* p = in + static_cast<size_t>(at >> 3);
  const uint32_t end = static_cast<uint32_t>(at & 7) + count;
  uint64_t value = 0;
  for (uint32_t bits = 0; bits < end; bits += 8) value = value << 8 | *p++;
  return static_cast<uint32_t>(value >> (-end & 7) & ((uint64_t{1} << count) - 1));
}

/// The same for 33 to 64 bits.
inline uint64_t wideHighBits(const uint8_t* in, uint64_t at, uint32_t count) {
  return uint64_t{highBits(in, at, count - 32)} << 32 | highBits(in, at + count - 32, 32);
}

/// Unpacks `count` numbers of `bits` (1 … 32) bits from bit `at` of `in`, which must contain them.
/// Reads nothing beyond `in`.
void unpackHighBits(ByteView in, uint64_t at, uint32_t bits, size_t count, uint32_t* out);

}  // namespace zw
