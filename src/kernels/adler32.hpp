// Adler-32 (RFC 1950): s1 = 1 + sum of the bytes, s2 = sum of the values of s1, both mod 65521.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// The checksum of what `adler` is the checksum of followed by the `size` bytes at `data`; start
/// with 1.
uint32_t adler32(uint32_t adler, const uint8_t* data, size_t size);

}  // namespace zw
