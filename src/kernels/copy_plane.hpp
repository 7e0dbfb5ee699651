// Interface of the strided copy's kernels. Each copies a plane, the two innermost axes of a copy;
// strided_copy.cpp loops over the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/strided_copy.hpp"

namespace zw {

/// Two axes, the size of the items at their crossings, and the width of the components whose bytes
/// are reversed (1 = none). Strides may have any values unless a kernel restricts them. `depth` is
/// a third axis for the staged tiles; for other kernels its length is 1.
struct CopyPlane {
  CopyAxis outer;
  CopyAxis inner;
  size_t itemBytes;
  uint32_t swapBytes;
  CopyAxis depth;
  uint8_t* scratch;  // a buffer for the staged tiles, at the start of a cache line
};

/// Scratch memory of the staged tiles: a box of 256 KiB, gaps between its records, and alignment to
/// cache lines.
inline constexpr size_t kStagedBytes = (size_t{256 + 32} << 10) + 64;

/// Copies a plane between buffers that do not overlap.
using PlaneKernel = void (*)(const CopyPlane& plane, const uint8_t* src, uint8_t* dst);

// Each function below returns null if its kernels do not apply to the plane.

/// tiles.cpp: transposes planes whose outer axis is contiguous in the source and whose inner axis
/// is contiguous in the destination. Items of 1, 2, 4, 8 or 16 bytes; no axis may be shorter than a
/// tile.
PlaneKernel chooseTileKernel(const CopyPlane& plane);

/// staged_tiles.cpp: the same planes, and all of them along `depth`, through `scratch`. Not if
/// direct tiles are as fast, nor if the plane is narrower than 16 bytes.
PlaneKernel chooseStagedKernel(const CopyPlane& plane);

/// channels.cpp: the same planes, if one axis is short and packed: channels that are interleaved on
/// one side and planar on the other.
PlaneKernel chooseChannelKernel(const CopyPlane& plane);

/// items.cpp: copies any plane item by item, or row by row.
PlaneKernel chooseItemKernel(const CopyPlane& plane);

/// items.cpp: the inner axis is contiguous in the destination and takes every second or fourth item
/// of the source.
PlaneKernel choosePickKernel(const CopyPlane& plane);

/// items.cpp: the inner axis is contiguous in the destination and repeats one item of the source.
void fillPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst);

}  // namespace zw
