// Bits in bytes: booleans packed eight to a byte, and numbers of any few bits one after the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Where the first of eight booleans stands in its byte.
enum class BitOrder : uint8_t { LowFirst, HighFirst };

/// Spreads the first `count` bits of `in` to a byte each, 0 or 1.
void unpackBooleans(BitOrder order, const uint8_t* in, size_t count, uint8_t* out);
/// Packs `count` bytes, each of which stands for 1 where it is not 0, into (count + 7) / 8 bytes;
/// what is left of the last one is zeros.
void packBooleans(BitOrder order, const uint8_t* in, size_t count, uint8_t* out);

/// Copies `count` bytes, each of which stands for 1 where it is not 0, as 0 and 1.
void copyBooleans(const uint8_t* in, size_t count, uint8_t* out);

/// Bits `first` … `first + bits - 1` of numbers of `bytes` (1, 2, 4 or 8) bytes, packed one after
/// the other, lowest bits first.
struct BitField {
  uint32_t bytes;
  uint32_t first;
  uint32_t bits;  // 1 … 8 * bytes - first
  bool isSigned;  // the highest packed bit is repeated in the bits above it
};

/// Unpacks `count` numbers from `in`, (count * bits + 7) / 8 bytes; the bits that were not packed
/// are zeros, or copies of the sign.
void unpackFields(const BitField& field, const uint8_t* in, size_t count, uint8_t* out);
/// Packs `count` numbers into (count * bits + 7) / 8 bytes.
void packFields(const BitField& field, const uint8_t* in, size_t count, uint8_t* out);

}  // namespace zw
