// Packed bits: booleans, eight per byte, and numbers of any number of bits without gaps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Position of the first of eight booleans in its byte.
enum class BitOrder : uint8_t { LowFirst, HighFirst };

/// Unpacks the first `count` bits of `in` to bytes 0 or 1.
void unpackBooleans(BitOrder order, const uint8_t* in, size_t count, uint8_t* out);
/// Packs `count` bytes, where any nonzero byte counts as 1, into (count + 7) / 8 bytes. Unused bits
/// of the last byte are 0.
void packBooleans(BitOrder order, const uint8_t* in, size_t count, uint8_t* out);

/// Copies `count` bytes, replacing nonzero bytes by 1.
void copyBooleans(const uint8_t* in, size_t count, uint8_t* out);

/// Bits `first` … `first + bits - 1` of numbers of `bytes` (1, 2, 4 or 8) bytes, packed without
/// gaps, lowest bits first.
struct BitField {
  uint32_t bytes;
  uint32_t first;
  uint32_t bits;  // 1 … 8 * bytes - first
  bool isSigned;  // unpacking sign-extends
};

/// Unpacks `count` numbers from `in`, (count * bits + 7) / 8 bytes. Bits that were not packed are
/// 0, or copies of the sign.
void unpackFields(const BitField& field, const uint8_t* in, size_t count, uint8_t* out);
/// Packs `count` numbers into (count * bits + 7) / 8 bytes.
void packFields(const BitField& field, const uint8_t* in, size_t count, uint8_t* out);

}  // namespace zw
