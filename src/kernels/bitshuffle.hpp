// Bit shuffle: groups bit 0 of every element, then bit 1 of every element, and so on.
// Layout (Blosc-1 frame): bit row r (r = 0 is the least significant bit of byte 0, up to
// 8 * itemBytes - 1) holds bit r of elements 0 … count-1, eight to a byte, element i in bit i % 8.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Bit-shuffles `count` elements (a multiple of 8) of `itemBytes` (>= 1) bytes from src to dst. The
/// buffers must not overlap and need no alignment. Reads and writes exactly count * itemBytes
/// bytes.
void bitshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

/// The inverse of bitshuffle.
void bitunshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

}  // namespace zw
