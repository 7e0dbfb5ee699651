// prepareStridedCopy normalises the axes and picks a kernel for a plane, the two innermost axes.
// runStridedCopy loops over the others.
//
// Normalisation: axes of length 1 are dropped. The others are sorted by destination stride,
// outermost first, and neighbours are fused if the outer one continues the inner one on both sides.
// So a copy in C order becomes a single row, and a permutation keeps as few axes as possible. A
// contiguous inner axis of up to 16 bytes becomes part of the item.
//
// Kernels, first match:
//  1. No axis, or a single axis that is contiguous on both sides: one row.
//  2. The innermost axis is contiguous on both sides: a plane of rows.
//  3. The innermost axis is contiguous in the destination and repeats one source item: fill.
//  4. The innermost axis is contiguous in the destination and another one in the source: the two
//     form a plane, which is transposed. channels.cpp does so if one axis is short and packed,
//     staged_tiles.cpp if the plane outgrows the caches (see there), tiles.cpp otherwise.
//  5. The innermost axis is contiguous in the destination and steps by 2 or 4 items in the source:
//     pick.
//  6. Anything else: item by item.
//
// In 2 and 6, if the source runs along another axis than the destination, that axis becomes the
// outer one of the plane, so that the cache lines of both sides are used up. The staged tiles take
// a third axis, the next in destination order.
#include "kernels/strided_copy.hpp"

#include <algorithm>

#include "kernels/byteswap.hpp"
#include "kernels/copy_plane.hpp"
#include "kernels/row.hpp"

namespace zw {

namespace {

/// Values of StridedCopy::kernel.
enum Kernel : uint8_t { kRow, kRowPlane, kFill, kChannels, kTiles, kStaged, kPick, kItems };

bool isSwapWidth(uint32_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// True if the axis is without gaps on both sides for items of `bytes` bytes.
bool isContiguous(const CopyAxis& axis, size_t bytes) {
  return axis.srcStride == bytes && axis.dstStride == bytes;
}

/// Sorts by destination stride, outermost first. Insertion sort: axes are few and mostly sorted.
void sortAxes(StridedCopy& copy) {
  for (uint32_t a = 1; a < copy.rank; a++) {
    const CopyAxis axis = copy.axes[a];
    uint32_t at = a;
    for (; at > 0 && copy.axes[at - 1].dstStride < axis.dstStride; at--) {
      copy.axes[at] = copy.axes[at - 1];
    }
    copy.axes[at] = axis;
  }
}

/// Fuses each axis with its outer neighbour if that continues it on both sides.
void fuseAxes(StridedCopy& copy) {
  uint32_t kept = 0;
  for (uint32_t a = 0; a < copy.rank; a++) {
    const CopyAxis& inner = copy.axes[a];
    CopyAxis* outer = kept > 0 ? &copy.axes[kept - 1] : nullptr;
    if (outer && outer->srcStride == inner.srcStride * inner.length &&
        outer->dstStride == inner.dstStride * inner.length) {
      *outer = {outer->length * inner.length, inner.srcStride, inner.dstStride};
    } else {
      copy.axes[kept++] = inner;
    }
  }
  copy.rank = kept;
}

/// Makes a contiguous inner axis of up to 16 bytes part of the item.
void growItem(StridedCopy& copy) {
  if (copy.rank < 2) return;
  const CopyAxis& inner = copy.axes[copy.rank - 1];
  if (inner.length > 16 || !isContiguous(inner, copy.itemBytes)) return;
  const size_t bytes = inner.length * copy.itemBytes;
  if (bytes > 16) return;
  copy.itemBytes = static_cast<uint32_t>(bytes);
  copy.rank--;
}

/// Moves the axis with the smallest nonzero source stride next to the innermost of the first `rank`
/// axes, unless it is the innermost.
void moveSourceAxis(StridedCopy& copy, uint32_t rank) {
  if (rank < 2) return;
  CopyAxis* const inner = copy.axes + rank - 1;
  CopyAxis* fastest = inner;
  for (CopyAxis* axis = copy.axes; axis < inner; axis++) {
    if (axis->srcStride > 0 && axis->srcStride < fastest->srcStride) fastest = axis;
  }
  if (fastest != inner) std::rotate(fastest, fastest + 1, inner);
}

/// Bytes per row for kRow and kRowPlane.
size_t rowBytes(const StridedCopy& copy) {
  return copy.rank == 0 ? copy.itemBytes : copy.itemBytes * copy.axes[copy.rank - 1].length;
}

/// Number of axes, without the one that a plane of rows has inside its rows.
uint32_t planeRank(const StridedCopy& copy) {
  return copy.kernel == kRowPlane ? copy.rank - 1 : copy.rank;
}

CopyPlane makePlane(const StridedCopy& copy) {
  CopyPlane plane{{1, 0, 0}, {1, 0, 0}, copy.itemBytes, copy.swapBytes, {1, 0, 0}, nullptr};
  if (copy.kernel == kRowPlane) plane.itemBytes = rowBytes(copy);
  const uint32_t rank = planeRank(copy);
  if (rank > 0) plane.inner = copy.axes[rank - 1];
  if (rank > 1) plane.outer = copy.axes[rank - 2];
  if (copy.kernel == kStaged && rank > 2) plane.depth = copy.axes[rank - 3];
  return plane;
}

PlaneKernel planeKernel(uint8_t kernel, const CopyPlane& plane) {
  switch (kernel) {
    case kFill:
      return fillPlane;
    case kChannels:
      return chooseChannelKernel(plane);
    case kTiles:
      return chooseTileKernel(plane);
    case kStaged:
      return chooseStagedKernel(plane);
    case kPick:
      return choosePickKernel(plane);
    default:
      return chooseItemKernel(plane);
  }
}

/// Picks the first kernel that matches (see above). Moves axes so that those of the plane are last.
Kernel chooseKernel(StridedCopy& copy) {
  if (copy.rank == 0) return kRow;
  const CopyAxis inner = copy.axes[copy.rank - 1];
  if (isContiguous(inner, copy.itemBytes)) {
    if (copy.rank == 1) return kRow;
    moveSourceAxis(copy, copy.rank - 1);
    return kRowPlane;
  }
  const bool dstContiguous = inner.dstStride == copy.itemBytes;
  if (dstContiguous && inner.srcStride == 0) return kFill;
  moveSourceAxis(copy, copy.rank);
  const CopyPlane plane = makePlane(copy);
  if (dstContiguous && plane.outer.length > 1 && plane.outer.srcStride == copy.itemBytes) {
    if (chooseChannelKernel(plane)) return kChannels;
    if (chooseStagedKernel(plane)) return kStaged;
    if (chooseTileKernel(plane)) return kTiles;
    return kItems;
  }
  return choosePickKernel(plane) ? kPick : kItems;
}

/// Runs a kernel at each index of the axes outside its plane.
void runPlanes(std::span<const CopyAxis> outer, const CopyPlane& plane, PlaneKernel kernel,
               const uint8_t* src, uint8_t* dst) {
  size_t index[kMaxRank];
  std::fill_n(index, outer.size(), size_t{0});
  for (;;) {
    kernel(plane, src, dst);
    size_t a = outer.size();
    while (a > 0 && ++index[a - 1] == outer[a - 1].length) {
      a--;
      index[a] = 0;
      src -= (outer[a].length - 1) * outer[a].srcStride;
      dst -= (outer[a].length - 1) * outer[a].dstStride;
    }
    if (a == 0) return;
    src += outer[a - 1].srcStride;
    dst += outer[a - 1].dstStride;
  }
}

}  // namespace

Status prepareStridedCopy(std::span<const CopyAxis> axes, uint32_t itemBytes, uint32_t swapBytes,
                          StridedCopy& out) {
  if (axes.size() > kMaxRank || itemBytes == 0 || itemBytes > kMaxItemBytes ||
      !isSwapWidth(swapBytes) || itemBytes % swapBytes != 0) {
    return Code::BadParameters;
  }
  out.rank = 0;
  out.itemBytes = itemBytes;
  out.swapBytes = swapBytes;
  out.empty = false;
  out.kernel = kRow;
  for (const CopyAxis& axis : axes) {
    if (axis.length == 0) out.empty = true;
    if (axis.length > 1) out.axes[out.rank++] = axis;
  }
  if (out.empty) return {};
  sortAxes(out);
  fuseAxes(out);
  growItem(out);
  out.kernel = chooseKernel(out);
  return {};
}

void runStridedCopy(const StridedCopy& copy, const uint8_t* src, uint8_t* dst, Buffer* scratch) {
  if (copy.empty) return;
  if (copy.kernel == kRow) {
    const size_t bytes = rowBytes(copy);
    return swapCopy(dst, src, bytes / copy.swapBytes, copy.swapBytes);
  }
  CopyPlane plane = makePlane(copy);
  uint8_t kernel = copy.kernel;
  if (kernel == kStaged) {
    if (scratch && !scratch->reserve(kStagedBytes)) {
      plane.scratch = scratch->data() + (-reinterpret_cast<uintptr_t>(scratch->data()) & 63);
    } else {
      // The direct tiles read whole vectors, which may extend past the end of the source.
      kernel = kItems;
      plane.depth = {1, 0, 0};
    }
  }
  const uint32_t rank = planeRank(copy), inPlane = kernel == kStaged ? 3 : 2;
  runPlanes({copy.axes, rank > inPlane ? rank - inPlane : 0}, plane, planeKernel(kernel, plane),
            src, dst);
}

bool isPlainCopy(const StridedCopy& copy) {
  return copy.kernel == kRow && copy.swapBytes == 1 && !copy.empty;
}

}  // namespace zw
