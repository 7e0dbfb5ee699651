// The strided copy: one pass that copies elements from one layout to another, combining byte swap,
// axis permutation, cropping, striding and placement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "base/limits.hpp"
#include "base/status.hpp"

namespace zw {

/// One axis of a strided copy. Strides are in bytes and may have any values. A source stride of 0
/// repeats one element, which is how fill values are written.
struct CopyAxis {
  size_t length;
  size_t srcStride;
  size_t dstStride;
};

/// A prepared strided copy: axes of length 1 dropped, the others sorted by destination stride
/// (outermost first) and fused where both sides allow, and a kernel chosen.
struct StridedCopy {
  CopyAxis axes[kMaxRank];
  uint32_t rank = 0;
  uint32_t itemBytes = 0;
  uint32_t swapBytes = 1;  // width of the components whose bytes are reversed; 1 = none
  bool empty = false;      // some axis has length 0
  uint8_t kernel = 0;      // private to strided_copy.cpp
};

/// Prepares a copy of elements of `itemBytes` bytes over `axes` (any order, at most kMaxRank).
/// `swapBytes` is 1, 2, 4, 8 or 16 and divides itemBytes. No two index tuples may write to the same
/// destination. Fails with BadParameters if a rank, item size or swap width is out of range.
/// Nothing else is checked: the caller guarantees that every element lies inside its buffers.
Status prepareStridedCopy(std::span<const CopyAxis> axes, uint32_t itemBytes, uint32_t swapBytes,
                          StridedCopy& out);

/// Copies from `src` to `dst`, the addresses of the elements at index 0,0,…. The buffers must not
/// overlap. Only bytes of elements that the axes select are read or written. Transposes that
/// outgrow the caches (staged_tiles.cpp) grow `scratch`; if it is null, or out of memory, they are
/// slower.
void runStridedCopy(const StridedCopy& copy, const uint8_t* src, uint8_t* dst, Buffer* scratch);

/// True if the copy is a single memcpy, so that the caller may use the source instead of copying.
bool isPlainCopy(const StridedCopy& copy);

}  // namespace zw
