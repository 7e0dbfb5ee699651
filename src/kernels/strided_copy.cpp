#include "kernels/strided_copy.hpp"

#include <algorithm>

namespace zw {

Status prepareStridedCopy(std::span<const CopyAxis> axes, uint32_t itemBytes, uint32_t swapBytes,
                          StridedCopy& out) {
  const bool swapOk =
      swapBytes == 1 || swapBytes == 2 || swapBytes == 4 || swapBytes == 8 || swapBytes == 16;
  if (axes.size() > kMaxRank || itemBytes == 0 || itemBytes > kMaxItemBytes || !swapOk ||
      itemBytes % swapBytes != 0) {
    return Code::BadParameters;
  }
  out = StridedCopy{};
  out.itemBytes = itemBytes;
  out.swapBytes = swapBytes;
  for (const CopyAxis& axis : axes) {
    if (axis.length == 0) out.empty = true;
    if (axis.length > 1) out.axes[out.rank++] = axis;
  }
  return {};
}

void runStridedCopy(const StridedCopy& copy, const uint8_t* src, uint8_t* dst) {
  if (copy.empty) return;
  scalar::stridedCopy({copy.axes, copy.rank}, copy.itemBytes, copy.swapBytes, src, dst);
}

bool isPlainCopy(const StridedCopy& copy) {
  size_t run = copy.itemBytes;
  for (uint32_t a = copy.rank; a-- > 0;) {
    if (copy.axes[a].srcStride != run || copy.axes[a].dstStride != run) return false;
    run *= copy.axes[a].length;
  }
  return copy.swapBytes == 1 && !copy.empty;
}

}  // namespace zw
