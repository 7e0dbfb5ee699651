// What the kernels share about byte order.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "simd/u8x16.hpp"

namespace zw {

template <uint32_t W, size_t... I>
constexpr simd::U8x16 swapMaskOf(std::index_sequence<I...>) {
  return simd::U8x16{static_cast<uint8_t>(I ^ (W - 1))...};
}
template <uint32_t W>
constexpr simd::U8x16 kSwapMask = swapMaskOf<W>(std::make_index_sequence<16>{});

/// Reverses the bytes of one component of 2, 4 or 8 bytes.
inline void swapOne(uint8_t* dst, const uint8_t* src, uint32_t width) {
  if (width == 2) {
    store(dst, __builtin_bswap16(load<uint16_t>(src)));
  } else if (width == 4) {
    store(dst, __builtin_bswap32(load<uint32_t>(src)));
  } else {
    store(dst, __builtin_bswap64(load<uint64_t>(src)));
  }
}

}  // namespace zw
