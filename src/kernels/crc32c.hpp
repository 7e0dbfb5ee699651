// CRC-32C (Castagnoli, RFC 3720): polynomial 0x1EDC6F41, reflected, inverted in and out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Continues the checksum `crc` with `size` more bytes; start with 0.
uint32_t crc32c(uint32_t crc, const uint8_t* data, size_t size);

}  // namespace zw
