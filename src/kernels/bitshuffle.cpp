#include "kernels/bitshuffle.hpp"

namespace zw {

void bitshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  scalar::bitshuffle(dst, src, count, itemBytes);
}

void bitunshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  scalar::bitunshuffle(dst, src, count, itemBytes);
}

}  // namespace zw
