// ChunkView: how the elements of a decoded chunk lie in the bytes that the array→bytes codec read.
// transpose permutes it, bytes sets the byte order; nothing moves until the one materialise pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/limits.hpp"

namespace zw {

struct ChunkView {
  uint32_t rank = 0;
  uint32_t itemBytes = 1;
  uint32_t swapBytes = 1;  // width of the components stored in the other byte order; 1 = none
  std::array<uint32_t, kMaxRank> shape{};
  std::array<size_t, kMaxRank> stride{};  // bytes
};

/// Sets shape and strides of a C-order, gapless array.
inline void makeContiguous(ChunkView& view, uint32_t rank, const uint32_t* shape,
                           uint32_t itemBytes) {
  view.rank = rank;
  view.itemBytes = itemBytes;
  size_t stride = itemBytes;
  for (uint32_t axis = rank; axis-- > 0;) {
    view.shape[axis] = shape[axis];
    view.stride[axis] = stride;
    stride *= shape[axis];  // cannot overflow: the product was checked when the plan was made
  }
}

}  // namespace zw
