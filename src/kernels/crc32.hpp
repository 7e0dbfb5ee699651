// CRC-32 (IEEE 802.3, as in gzip and zip): polynomial 0x04C11DB7, reflected, inverted in and out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Continues the checksum `crc` with `size` more bytes; start with 0.
uint32_t crc32(uint32_t crc, const uint8_t* data, size_t size);

}  // namespace zw
