// Adds single values to cells of a state. `cell` is the address of the cell's word in the first plane
// of a field, `cells` the distance to the second plane.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/accumulate.hpp"
#include "kernels/accumulate_rows.hpp"
#include "kernels/compensated.hpp"

namespace zw {

/// Where a row starts.
struct Place {
  size_t cell = 0;
  double position = 0;
  size_t joint[1 + kMaxWeights] = {};

  /// Moves along an axis. False if the index belongs to no cell.
  bool move(const CellAxis& axis, size_t i) {
    if (axis.table && axis.table[i] == kNoCell) return false;
    cell += (axis.table ? axis.table[i] : i) * axis.stride;
    position += static_cast<double>(i) * axis.positionStride;
    for (uint32_t k = 0; k <= kMaxWeights; k++) joint[k] += i * axis.joint[k];
    return true;
  }
};

/// Cells of a block's elements (kNoCell: none) and their weights.
struct Cells {
  uint32_t cells[kTile];
  double weights[kTile];
};

inline void addDouble(uint64_t* cell, double x) {
  *cell = asBits(asDouble(*cell) + x);
}

/// Adds up the columns of each cell.
template <class T>
void foldColumns(T* columns, size_t cells, uint32_t shift) {
  for (size_t i = 0; i < cells; i++) {
    T sum = 0;
    for (size_t k = 0; k < size_t{1} << shift; k++) sum += columns[(i << shift) + k];
    columns[i] = sum;
  }
}

inline void addToPair(uint64_t* cell, size_t cells, Pair value) {
  Pair sum{asDouble(cell[0]), asDouble(cell[cells])};
  addPair(sum, value);
  cell[0] = asBits(sum.high);
  cell[cells] = asBits(sum.low);
}

inline void addTo128(uint64_t* cell, size_t cells, uint64_t low, uint64_t high) {
  const uint64_t sum = cell[0] + low;
  cell[cells] += high + (sum < low);
  cell[0] = sum;
}

/// The value of Min or Max without elements.
inline uint64_t worstValue(const ValueRule& rule, bool isMin) {
  using Limits = std::numeric_limits<int64_t>;
  if (!rule.isWide()) return asBits(isMin ? HUGE_VAL : -HUGE_VAL);
  if (!isSigned(rule.number)) return isMin ? UINT64_MAX : 0;
  return static_cast<uint64_t>(isMin ? Limits::max() : Limits::min());
}

/// Calls `use` with isLess(a, b, isMin): whether value a replaces value b as the minimum (maximum).
/// NaN replaces every number.
template <class Use>
void withComparison(const ValueRule& rule, Use use) {
  if (!rule.isWide()) {
    use([](uint64_t a, uint64_t b, bool isMin) {
      const double x = asDouble(a), y = asDouble(b);
      return (isMin ? x < y : x > y) || (std::isnan(x) && !std::isnan(y));
    });
  } else if (isSigned(rule.number)) {
    use([](uint64_t a, uint64_t b, bool isMin) {
      return isMin ? static_cast<int64_t>(a) < static_cast<int64_t>(b)
                   : static_cast<int64_t>(a) > static_cast<int64_t>(b);
    });
  } else {
    use([](uint64_t a, uint64_t b, bool isMin) { return isMin ? a < b : a > b; });
  }
}

/// Updates ArgMin or ArgMax. Of equal values, the one with the lowest position stays.
template <class IsLess>
void setArg(uint64_t* cell, size_t cells, uint64_t value, double position, bool isMin,
            IsLess isLess) {
  const double old = asDouble(cell[cells]);
  const bool isBetter = isLess(value, cell[0], isMin);
  if (old >= 0 && !isBetter && (isLess(cell[0], value, isMin) || position >= old)) return;
  cell[0] = value;
  cell[cells] = asBits(position);
}

/// Updates First or Last.
inline void setEnd(uint64_t* cell, size_t cells, uint64_t value, double position, bool isFirst) {
  const double old = asDouble(cell[cells]);
  if (old >= 0 && (isFirst ? position >= old : position <= old)) return;
  cell[0] = value;
  cell[cells] = asBits(position);
}

}  // namespace zw
