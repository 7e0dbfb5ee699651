// The materialise kernel: one pass that copies elements from one strided layout to another and does
// byte swap, axis permutation, cropping, striding and placement on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "base/limits.hpp"
#include "base/status.hpp"

namespace zw {

/// One axis of a strided copy. Strides are in bytes and may be in any relation to each other; a
/// source stride of 0 repeats the same element (that is how fill values are written).
struct CopyAxis {
  size_t length;
  size_t srcStride;
  size_t dstStride;
};

/// A strided copy made ready: axes of length 1 dropped, the others fused where both sides allow and
/// sorted by destination stride (outermost first), kernel chosen. Made once, run for every chunk.
struct StridedCopy {
  CopyAxis axes[kMaxRank];
  uint32_t rank = 0;
  uint32_t itemBytes = 0;
  uint32_t swapBytes = 1;  // bytes of the components to reverse; 1 = none
  bool empty = false;      // some axis has length 0
  uint8_t kernel = 0;      // private to strided_copy.cpp
};

/// Prepares a copy of elements of `itemBytes` bytes over `axes` (outermost first on the destination
/// side, though any order works; at most kMaxRank). `swapBytes` is 1, 2, 4, 8 or 16 and divides
/// itemBytes. The destination elements must be distinct, i.e. no two index tuples write to the same
/// place. Fails with BadParameters for a rank, item size or swap width out of range; nothing else
/// is checked here: the caller guarantees that every element lies inside its buffers.
Status prepareStridedCopy(std::span<const CopyAxis> axes, uint32_t itemBytes, uint32_t swapBytes,
                          StridedCopy& out);

/// Copies from `src` (address of the element at index 0,0,…) to `dst` (likewise). The two buffers
/// must not overlap. Touches no byte outside the elements named by the axes, on either side.
/// `scratch` grows to kStagedBytes if the copy goes through a buffer (staged_tiles.cpp); other
/// copies leave it alone. Fails only with OutOfMemory, before anything is copied.
Status runStridedCopy(const StridedCopy& copy, const uint8_t* src, uint8_t* dst, Buffer& scratch);

/// True where the copy is one contiguous run on both sides without a byte swap (a memcpy of
/// `itemBytes * length` bytes), so that a caller may pass the source on instead.
bool isPlainCopy(const StridedCopy& copy);

}  // namespace zw
