#include "cases.hpp"
#include "kernels/byteswap.hpp"

namespace zw::bench {

void addByteswapCases(Cases& cases) {
  for (size_t bytes : {256 * kKiB, 4 * kMiB, 64 * kMiB}) {
    for (uint32_t width : {2u, 4u, 8u, 16u}) {
      addCopyLike(
          cases, "byteswap " + std::to_string(width) + ", " + sizeName(bytes), bytes,
          [=](uint8_t* dst, const uint8_t* src) { swapCopy(dst, src, bytes / width, width); });
    }
  }
}

}  // namespace zw::bench
