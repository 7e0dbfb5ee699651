// Fletcher-32 as in HDF5 and netCDF: sums over big-endian 16-bit words, where an odd last byte
// counts as the high half of a word. Both sums are modulo 65535; nonzero multiples are represented
// by 65535.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// The checksum of `size` bytes: the sum of sums in the high half, the sum in the low half.
uint32_t fletcher32(const uint8_t* data, size_t size);

}  // namespace zw
