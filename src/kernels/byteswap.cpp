#include "kernels/byteswap.hpp"

#include "kernels/row.hpp"

namespace zw {

void copyBytes(uint8_t* dst, const uint8_t* src, size_t bytes) {
  if (bytes >= kMinMemcpy) {
    std::memcpy(dst, src, bytes);
  } else {
    copyRow<1>(dst, src, bytes);
  }
}

void swapCopy(uint8_t* dst, const uint8_t* src, size_t count, uint32_t width) {
  switch (width) {
    case 2:
      return copyRow<2>(dst, src, count * 2);
    case 4:
      return copyRow<4>(dst, src, count * 4);
    case 8:
      return copyRow<8>(dst, src, count * 8);
    case 16:
      return copyRow<16>(dst, src, count * 16);
    default:
      if (dst != src) copyBytes(dst, src, count);
  }
}

}  // namespace zw
