#include "cases.hpp"
#include "kernels/byteswap.hpp"

namespace zw::bench {

void addByteswapCases(Cases& cases) {
  const size_t bytes = 4 * kMiB;
  for (uint32_t width : {2u, 4u, 8u, 16u}) {
    addCopyLike(
        cases, "byte swap " + std::to_string(width) + " B, " + sizeName(bytes), copyName(bytes),
        bytes, [=](uint8_t* dst, const uint8_t* src) { swapCopy(dst, src, bytes / width, width); });
  }
}

}  // namespace zw::bench
