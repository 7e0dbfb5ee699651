// ChunkView: the layout of a chunk's elements in the input of the array→bytes codec. transpose
// permutes it and bytes sets its byte order; no data moves until the final strided copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/limits.hpp"

namespace zw {

struct ChunkView {
  uint32_t rank = 0;
  uint32_t itemBytes = 1;
  uint32_t swapBytes = 1;  // width of components in non-native byte order; 1 = none
  std::array<uint32_t, kMaxRank> shape{};
  std::array<size_t, kMaxRank> stride{};  // bytes
};

/// Sets the shape and strides of an array in C order without gaps.
inline void makeContiguous(ChunkView& view, uint32_t rank, const uint32_t* shape,
                           uint32_t itemBytes) {
  view.rank = rank;
  view.itemBytes = itemBytes;
  size_t stride = itemBytes;
  for (uint32_t axis = rank; axis-- > 0;) {
    view.shape[axis] = shape[axis];
    view.stride[axis] = stride;
    stride *= shape[axis];  // cannot overflow: Plan checked the product
  }
}

}  // namespace zw
