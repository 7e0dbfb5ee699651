// Fast kernels of accumulations: rows of numbers that belong to the same cells, or runs that belong to one
// cell.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/accumulate.hpp"
#include "kernels/compensated.hpp"

namespace zw {

/// Columns of rows that are accumulated at a time.
inline constexpr size_t kTile = 512;
/// Rows that are added at a time: they stay in the first-level cache for the next field, and sums of
/// integers fit into twice their bits.
inline constexpr size_t kMaxRows = 32;
/// Elements of a run that are added at a time: sums of 16 bits fit into 32.
inline constexpr size_t kMaxRun = 32767;

/// Accumulators of the columns of a tile.
struct Tile {
  double high[kTile];  // sums: pairs, or integers
  double low[kTile];
  int64_t integers[kTile];
  uint32_t skipped[kTile];  // number of missing elements
  uint32_t summed[kTile];   // number of elements that are in the sums already
  uint64_t least[kTile];    // minimum and maximum, as numbers of the box
  uint64_t greatest[kTile];
};

/// At most kMaxRows rows of at most kTile numbers, `step` bytes apart. (Minima, maxima and sums of floats
/// allow any number.)
struct Rows {
  const uint8_t* base;
  size_t step;
  size_t count;
  size_t columns;
};

/// Whether the kernels below support the rule's type and missing values.
bool hasRowKernels(const ValueRule& rule);

// Each adds to the first `columns` accumulators. Sums of floats only add whole vectors, and return the
// number of columns done.

void countSkipped(const ValueRule& rule, const Rows& rows, uint32_t* skipped);
size_t sumFloatRows(const ValueRule& rule, const Rows& rows, double* high, double* low);
void sumIntegerRows(const ValueRule& rule, const Rows& rows, int64_t* sums);
/// The accumulators are numbers of the box's type.
void startBest(const ValueRule& rule, bool isMin, size_t columns, void* best);
void bestOfRows(const ValueRule& rule, bool isMin, const Rows& rows, void* best);
/// Whether all integers that are not missing are from `low` to `high`.
bool areInside(const ValueRule& rule, const Rows& rows, int64_t low, int64_t high);

// The same for the numbers of one row, for one cell.

size_t countSkipped(const ValueRule& rule, const uint8_t* in, size_t count);
int64_t sumIntegers(const ValueRule& rule, const uint8_t* in, size_t count);
/// Writes a number of the box's type.
void bestOf(const ValueRule& rule, bool isMin, const uint8_t* in, size_t count, void* best);

}  // namespace zw
