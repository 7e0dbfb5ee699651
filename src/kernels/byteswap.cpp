#include "kernels/byteswap.hpp"

namespace zw {

void swapCopy(uint8_t* dst, const uint8_t* src, size_t count, uint32_t width) {
  scalar::swapCopy(dst, src, count, width);
}

}  // namespace zw
