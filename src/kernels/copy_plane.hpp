// What the kernels of the strided copy have in common: they copy planes, the two innermost axes of
// a copy, and strided_copy.cpp loops over the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/strided_copy.hpp"

namespace zw {

/// Two axes, the item that lies at each of their crossings, and the size of the components whose
/// bytes are to be reversed (1 = none). Unless a kernel says otherwise, any strides. Only the
/// staged tiles have a depth, a third axis; for others it is one item long and looped over outside.
struct CopyPlane {
  CopyAxis outer;
  CopyAxis inner;
  size_t itemBytes;
  uint32_t swapBytes;
  CopyAxis depth;
  uint8_t* scratch;  // kStagedBytes for the staged tiles; null for other kernels
};

/// Scratch memory of the staged tiles: a box of 256 KiB, gaps between its records, and alignment.
inline constexpr size_t kStagedBytes = (size_t{256 + 32} << 10) + 64;

/// Copies one plane between buffers that do not overlap.
using PlaneKernel = void (*)(const CopyPlane& plane, const uint8_t* src, uint8_t* dst);

/// tiles.cpp: outer is contiguous in the source, inner in the destination. Transposes; nullptr
/// where the item has no size of 1, 2, 4, 8 or 16 bytes or an axis is shorter than a tile.
PlaneKernel chooseTileKernel(const CopyPlane& plane);

/// staged_tiles.cpp: the same planes, one after another along depth, by way of a buffer. nullptr
/// where tiles that go straight through are as good, or the plane is narrower than 16 bytes.
PlaneKernel chooseStagedKernel(const CopyPlane& plane);

/// channels.cpp: the same, but one axis has a few items only, which lie packed: channels next to
/// each other on one side and in planes on the other. nullptr where that is not so.
PlaneKernel chooseChannelKernel(const CopyPlane& plane);

/// items.cpp: one item after the other, or row after row.
PlaneKernel chooseItemKernel(const CopyPlane& plane);

/// items.cpp: inner is contiguous in the destination and every second or fourth item in the source;
/// nullptr for other planes.
PlaneKernel choosePickKernel(const CopyPlane& plane);

/// items.cpp: inner is contiguous in the destination and repeats one item of the source.
void fillPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst);

}  // namespace zw
