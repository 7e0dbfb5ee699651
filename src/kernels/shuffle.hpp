// Byte shuffle: groups byte 0 of every element, then byte 1 of every element, and so on.
// Layout (spec: Blosc-1 frame, numcodecs shuffle): out[b * count + i] = in[i * itemBytes + b].
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Shuffles `count` elements of `itemBytes` (>= 1) bytes from src to dst. The buffers must not
/// overlap and need no alignment. Reads and writes exactly count * itemBytes bytes.
void shuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

/// The inverse of shuffleBytes.
void unshuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

/// The inverse of shuffleBytes for planes at separate addresses: plane b holds byte b of every
/// element, `count` bytes. Saves a copy of planes that are stored uncompressed in an encoded frame.
void unshufflePlanes(uint8_t* dst, const uint8_t* const* planes, size_t count, uint32_t itemBytes);

}  // namespace zw
