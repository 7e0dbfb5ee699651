// The result is computed row by row along the last axis, each row from the rows of the box that
// contain its blocks. The kernels therefore process long runs for any number of axes.
#include "kernels/reduce.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace zw {
namespace {

bool isValid(Reduction method, const ReduceElement& element) {
  const uint32_t width = numberBytes(element.number), bytes = element.itemBytes;
  if (method == Reduction::Mode) return bytes >= 1 && bytes <= kMaxItemBytes;
  if (element.number == Number::Bool) return false;  // passed as Uint8
  if (element.toOdd && element.number != Number::Float32) return false;
  return bytes == width ||
         (method == Reduction::Mean && isFloat(element.number) && bytes == 2 * width);
}

/// Appends an axis, fusing it with the one before if neither is divided.
void addAxis(BlockReduction& out, ReduceAxis axis) {
  const bool isWhole = out.rank > 0 && axis.factor == 1 && out.axes[out.rank - 1].factor == 1;
  if (isWhole) {
    out.axes[out.rank - 1].length *= axis.length;
  } else {
    out.axes[out.rank++] = axis;
  }
}

/// The rows of the box that contain the blocks of one row of the result.
class RowFinder {
 public:
  RowFinder(const BlockReduction& reduction, const uint8_t* src)
      : axes_(reduction.axes), outer_(reduction.rank - 1), src_(src) {
    size_t stride = reduction.element.itemBytes * axes_[outer_].length;
    for (uint32_t a = outer_; a-- > 0;) {
      strides_[a] = stride;
      stride *= axes_[a].length;
    }
    find();
  }

  const uint8_t* const* rows() const { return rows_; }
  size_t count() const { return count_; }

  /// Moves to the next row of the result; false after the last one.
  bool next() {
    uint32_t a = outer_;
    for (; a-- > 0;) {
      first_[a] += std::min(axes_[a].factor, axes_[a].length - first_[a]);
      if (first_[a] < axes_[a].length) {
        find();
        return true;
      }
      first_[a] = 0;
    }
    return false;
  }

 private:
  /// Lists the rows in C order. Each axis replaces every row by the rows of a block, starting with
  /// the last one: no row is overwritten before it is read.
  void find() {
    const uint8_t* start = src_;
    for (uint32_t a = 0; a < outer_; a++) start += first_[a] * strides_[a];
    rows_[0] = start;
    count_ = 1;
    for (uint32_t a = 0; a < outer_; a++) {
      const size_t size = std::min(axes_[a].factor, axes_[a].length - first_[a]);
      for (size_t i = count_; i-- > 0;) {
        const uint8_t* row = rows_[i];
        for (size_t k = size; k-- > 0;) rows_[i * size + k] = row + k * strides_[a];
      }
      count_ *= size;
    }
  }

  const ReduceAxis* axes_;
  uint32_t outer_;  // axes before the last one
  const uint8_t* src_;
  size_t strides_[kMaxRank];
  size_t first_[kMaxRank] = {};  // first element of the blocks along each axis
  const uint8_t* rows_[kMaxBlock];
  size_t count_;
};

}  // namespace

Status prepareReduction(Reduction method, ReduceElement element, std::span<const ReduceAxis> axes,
                        BlockReduction& out) {
  if (axes.empty() || axes.size() > kMaxRank || !isValid(method, element)) {
    return Code::BadParameters;
  }
  out = {};
  out.method = method;
  out.element = element;
  uint64_t source = element.itemBytes, result = element.itemBytes, block = 1;
  for (const ReduceAxis& axis : axes) {
    if (axis.length == 0 || axis.factor == 0) return Code::BadParameters;
    if (!checkedMul(source, axis.length, source)) return Code::LimitExceeded;
    result *= ceilDiv(axis.length, axis.factor);  // at most `source`
    if (!checkedMul(block, std::min(axis.length, axis.factor), block) || block > kMaxBlock) {
      return Code::LimitExceeded;
    }
    addAxis(out, axis);
  }
  if (source > SIZE_MAX) return Code::LimitExceeded;
  out.sourceBytes = static_cast<size_t>(source);
  out.resultBytes = static_cast<size_t>(result);
  return {};
}

void runReduction(const BlockReduction& reduction, const uint8_t* src, uint8_t* dst) {
  const ReduceAxis& last = reduction.axes[reduction.rank - 1];
  const size_t rowBytes =
      static_cast<size_t>(ceilDiv(last.length, last.factor)) * reduction.element.itemBytes;
  const auto kernel = reduction.method == Reduction::Mean  ? meanRow
                      : reduction.method == Reduction::Max ? maxRow
                                                           : modeRow;
  RowFinder finder(reduction, src);
  do {
    kernel(reduction.element, {finder.rows(), finder.count(), last.length, last.factor, dst});
    dst += rowBytes;
  } while (finder.next());
}

}  // namespace zw
