#include "kernels/byteswap.hpp"

#include "kernels/row.hpp"

namespace zw {

void copyBytes(uint8_t* dst, const uint8_t* src, size_t bytes) {
  if (bytes >= kMinMemcpy) {
    std::memcpy(dst, src, bytes);
  } else {
    copyRow(dst, src, bytes, Keep(1));
  }
}

void swapCopy(uint8_t* dst, const uint8_t* src, size_t count, uint32_t width) {
  switch (width) {
    case 2:
      return copyRow(dst, src, count * 2, SwapBy<2>(width));
    case 4:
      return copyRow(dst, src, count * 4, SwapBy<4>(width));
    case 8:
      return copyRow(dst, src, count * 8, SwapBy<8>(width));
    case 16:
      return copyRow(dst, src, count * 16, SwapBy<16>(width));
    default:
      if (dst != src) copyBytes(dst, src, count);
  }
}

}  // namespace zw
