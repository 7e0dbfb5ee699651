// Adler-32 (RFC 1950): s1 = 1 + sum of the bytes, s2 = sum of the values of s1, both modulo 65521.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Continues the checksum `adler` with `size` more bytes; start with 1.
uint32_t adler32(uint32_t adler, const uint8_t* data, size_t size);

}  // namespace zw
