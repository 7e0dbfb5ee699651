// Block reductions: each block of a box becomes one element, as in the levels of image pyramids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/limits.hpp"
#include "base/status.hpp"
#include "kernels/numbers.hpp"

namespace zw {

enum class Reduction : uint8_t {
  /// Integers: exact, rounded to nearest, ties to even. Floats: the sum in C order as double, divided
  /// and rounded once, without NaNs. Complex numbers: real and imaginary parts separately.
  Mean,
  /// The greatest number, without NaNs; +0 is greater than -0.
  Max,
  /// The most frequent element, compared by its bytes; of several the first in C order.
  Mode
};

/// One axis of a box, divided into blocks of `factor` elements; the last block may be smaller.
struct ReduceAxis {
  size_t length;
  size_t factor;
};

/// Elements of the box and of the result.
struct ReduceElement {
  Number number = Number::Uint8;  // not used by Mode
  /// Rounds means to odd: a double that is not a float32 becomes the neighbouring float32 whose last
  /// bit is 1. Rounding that to a type with fewer bits equals rounding the double directly.
  bool toOdd = false;
  /// Mean: one number, or two for complex numbers; Max: one number; Mode: up to kMaxItemBytes.
  uint32_t itemBytes = 0;
};

/// Maximum number of elements of a block.
inline constexpr size_t kMaxBlock = 4096;

/// A checked reduction. Neighbouring axes of factor 1 are fused.
struct BlockReduction {
  Reduction method = Reduction::Mean;
  ReduceElement element;
  ReduceAxis axes[kMaxRank];
  uint32_t rank = 0;
  size_t sourceBytes = 0;
  size_t resultBytes = 0;
};

/// Prepares the reduction of a box in C order, of 1 to kMaxRank axes without empty ones. Fails with
/// BadParameters for other ranks, lengths, factors and elements; with LimitExceeded for larger
/// blocks, or if the box exceeds the address space.
Status prepareReduction(Reduction method, ReduceElement element, std::span<const ReduceAxis> axes,
                        BlockReduction& out);

/// Reduces `sourceBytes` bytes to `resultBytes` bytes; a NaN in the result is the default NaN. The
/// buffers need no alignment and must not overlap.
void runReduction(const BlockReduction& reduction, const uint8_t* src, uint8_t* dst);

/// One row of the result. Its blocks lie side by side in `rowCount` rows of the box.
struct ReduceRow {
  const uint8_t* const* rows;  // in C order
  size_t rowCount;
  size_t length;  // elements of each row
  size_t factor;
  uint8_t* out;

  /// Number of elements along the row of the block that starts at an element.
  size_t blockLength(size_t first) const {
    return length - first < factor ? length - first : factor;
  }
};

// The kernels of runReduction, by method.

void meanRow(const ReduceElement& element, const ReduceRow& row);
void maxRow(const ReduceElement& element, const ReduceRow& row);
void modeRow(const ReduceElement& element, const ReduceRow& row);

}  // namespace zw
