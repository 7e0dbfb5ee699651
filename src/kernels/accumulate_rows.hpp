// Fast kernels of accumulations: rows of numbers that belong to the same cells. Runs of numbers that belong to one cell
// are passed as rows that have a vector of each run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/accumulate.hpp"
#include "kernels/compensated.hpp"
#include "simd/u8x16.hpp"

namespace zw {

/// Bytes of rows that are accumulated at a time, as vectors.
inline constexpr size_t kTileBytes = 1024;
inline constexpr size_t kTileVectors = kTileBytes / 16;
/// Maximum number of columns; of floats, kTileBytes / 4.
inline constexpr size_t kTile = kTileBytes;
/// Maximum number of rows of integers, whose sums have twice their bits, and counts of missing ones the same
/// bits.
inline constexpr size_t kMaxRows = 255;

/// Rows of at most kTileBytes bytes, `step` bytes apart. Their vectors are `columnStep` bytes apart: 16, unless all
/// of them are whole.
struct Rows {
  const uint8_t* base;
  size_t step;
  size_t count;
  size_t bytes;
  size_t columnStep;
};

/// Accumulators of the columns of a tile.
struct Tile {
  using Vectors = simd::U8x16[kTileVectors];
  Vectors even, odd;  // sums of the integers at even and odd columns
  Vectors missing;    // counts of missing integers, or NaN
  Vectors top;        // greatest integers
  Vectors least, greatest;
  double high[kTileBytes / 4];  // sums of floats
  double low[kTileBytes / 4];
};

/// The parameters of the kernels.
struct RowRule {
  Number number;
  bool skipsNaN;
  bool hasMissing;
  uint64_t missing;
  /// Only sums of integers up to the limit can be decoded; from the limit on, if all bits are inverted.
  bool isLimited;
  bool isInverted;
  int64_t limit;
};

/// Prepares the parameters; false if the kernels do not support the rule.
bool makeRowRule(const ValueRule& rule, RowRule& out);

// Each adds rows to accumulators of the tile. Integers are unsigned there: those of signed types have the
// sign bit inverted, and all bits are inverted on demand.

/// Sums integers (even, odd), counts missing ones and finds the greatest ones.
void sumIntegerRows(const RowRule& rule, const Rows& rows, Tile& tile);
/// Sums floats (high, low), and counts NaN that are skipped.
void sumFloatRows(const RowRule& rule, const Rows& rows, Tile& tile);
/// Counts missing integers, or NaN, in lanes of the numbers' size.
void countMissing(const RowRule& rule, const Rows& rows, Tile& tile);
/// Minima or maxima; of floats, counts NaN that are skipped. Starts a tile if there are no rows.
void bestOfRows(const RowRule& rule, bool isMin, const Rows& rows, simd::U8x16* best,
                simd::U8x16* missing);

/// The greatest unsigned integer of vectors that hold `columns` of them.
template <class T>
int64_t greatestOf(const simd::U8x16* vectors, size_t columns) {
  simd::Lanes<T> top = {};
  for (size_t i = 0; i < (columns * sizeof(T) + 15) / 16; i++) {
    const auto v = (simd::Lanes<T>)vectors[i];
    top = top > v ? top : v;
  }
  T result = 0;
  for (size_t i = 0; i < 16 / sizeof(T); i++) result = std::max(result, T{top[i]});
  return static_cast<int64_t>(result);
}

}  // namespace zw
