// Fletcher-32 as HDF5 and netCDF compute it: sums over big-endian 16-bit words, an odd last byte
// counting as the high half of a word, both sums modulo 65535 with 65535 standing for multiples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// The checksum of the `size` bytes at `data`: the sum of sums in the high half, the sum in the
/// low.
uint32_t fletcher32(const uint8_t* data, size_t size);

}  // namespace zw
