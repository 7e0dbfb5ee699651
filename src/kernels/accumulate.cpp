// Walks over a box row by row along its last axis, and over rows in blocks of values.
#include "kernels/accumulate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/accumulate_cell.hpp"
#include "kernels/accumulate_rows.hpp"

namespace zw {
namespace {

using simd::U8x16;

/// Fields that rows and runs of numbers are added to at once.
constexpr uint32_t bit(Field field) {
  return 1u << static_cast<uint8_t>(field);
}
constexpr uint32_t kFast =
    bit(Field::Count) | bit(Field::Weight) | bit(Field::Sum) | bit(Field::Min) | bit(Field::Max);
constexpr uint32_t kAll = (1u << kFields) - 1;

class Adder {
 public:
  Adder(const Accumulation& request, uint64_t* state)
      : request_(request),
        form_(request.form),
        rule_(request.form.rule),
        inner_(request.axes[request.rank - 1]),
        width_(numberBytes(request.form.rule.number)),
        state_(state) {
    size_t bytes = width_;
    for (uint32_t a = request.rank; a-- > 0;) {
      strides_[a] = bytes;
      bytes *= request.axes[a].length;
    }
    choosePath();
    isAnySlow_ = hasAny(kAll & ~fast_);
  }

  void addBox(const uint8_t* box) {
    Place start;
    start.position = request_.position;
    walk(0, start, box);
  }

 private:
  /// Chooses the fields that the fast kernels add, and the axis along which rows share their cells.
  void choosePath() {
    rows_ = request_.rank;
    if (!makeRowRule(rule_, row_)) return;
    isRun_ = isPlain(inner_);
    size_t longest = kMinRows - 1;
    for (uint32_t a = 0; !isRun_ && a + 1 < request_.rank; a++) {
      const CellAxis& axis = request_.axes[a];
      if (!isPlain(axis) && (!axis.table || isJoint(axis))) continue;
      const size_t length = axis.table ? kMinRows : axis.length;
      if (length <= longest) continue;
      rows_ = a;
      longest = length;
    }
    const bool isLong = inner_.length >= kMinRun;
    if (isLong && (isRun_ || rows_ < request_.rank)) fast_ = kFast;
    // The variance needs a sum of the same values as that of the squares: rounded ones.
    if (row_.isLimited && form_.has(Field::Squares)) fast_ &= ~bit(Field::Sum);
    if (!hasAny(fast_)) fast_ = 0;
    if (fast_ == 0) rows_ = request_.rank;
  }

  /// Whether elements along an axis belong to one cell and have one weight.
  static bool isPlain(const CellAxis& axis) {
    return axis.stride == 0 && !axis.table && !isJoint(axis);
  }
  static bool isJoint(const CellAxis& axis) {
    return std::any_of(std::begin(axis.joint), std::end(axis.joint),
                       [](size_t stride) { return stride != 0; });
  }

  /// Adds the part of the box below an axis.
  void walk(uint32_t a, const Place& start, const uint8_t* in) {
    if (a == rows_) return walk(a + 1, start, in);
    if (fast_ != 0 && isRun_ && a + 2 >= request_.rank) return addRuns(a, start, in);
    const CellAxis& axis = request_.axes[a];
    if (a + 1 == request_.rank) {
      addLast(start, in);
      return;
    }
    for (size_t i = 0; i < axis.length; i++, in += strides_[a]) {
      Place place = start;
      if (place.move(axis, i)) walk(a + 1, place, in);
    }
  }

  /// Adds one row, or all rows along the axis of rows.
  void addLast(const Place& start, const uint8_t* in) {
    const uint32_t slow = kAll & ~fast_;
    if (rows_ == request_.rank) {
      if (isAnySlow_) addRow(slow, start, in, 0, inner_.length);
      return;
    }
    const CellAxis& axis = request_.axes[rows_];
    const size_t step = strides_[rows_];
    for (size_t i = 0; i < axis.length;) {
      const size_t first = i++;
      Place place = start;
      const bool isUsed = place.move(axis, first);
      // Neighbours of the same cells.
      while (i < axis.length && (!axis.table || axis.table[i] == axis.table[first])) i++;
      if (isUsed) addRows(place, in + first * step, i - first);
    }
    for (size_t i = 0; isAnySlow_ && i < axis.length; i++) {
      Place place = start;
      if (place.move(axis, i)) addRow(slow, place, in + i * step, 0, inner_.length);
    }
  }

  bool isFast(Field field) const { return form_.has(field) && (fast_ & bit(field)) != 0; }

  bool hasAny(uint32_t fields) const {
    for (uint32_t f = 0; f < kFields; f++) {
      if ((fields >> f & 1) && form_.has(static_cast<Field>(f))) return true;
    }
    return false;
  }

  // ---- Rows: the tiles of all rows along an axis.

  void addRows(const Place& start, const uint8_t* in, size_t count) {
    const size_t most = kTileBytes / width_, step = strides_[rows_];
    for (size_t at = 0; at < inner_.length; at += most) {
      const size_t columns = std::min(most, inner_.length - at);
      const uint8_t* base = in + at * width_;
      startTile(columns);
      addPieces({base, step, count, columns * width_, 16});
      findCells(start, at, columns);
      endTile(columns, count, 0);
      if (!isOutside_) continue;
      for (size_t r = 0; r < count; r++) {
        addRow(bit(Field::Sum), start, base + r * step, at, columns);
      }
    }
  }

  // ---- Runs: rows that belong to one cell, in vectors. A tile has a vector for each run.

  /// Adds the runs along the axis before the last one, or the only run.
  void addRuns(uint32_t a, const Place& start, const uint8_t* in) {
    static constexpr CellAxis kOne = {1};
    const bool isOne = a + 1 == request_.rank;
    const CellAxis& axis = isOne ? kOne : request_.axes[a];
    const size_t step = isOne ? 0 : strides_[a], lanes = 16 / width_;
    for (size_t at = 0; at < axis.length; at += kTileVectors) {
      const size_t count = std::min(kTileVectors, axis.length - at);
      const uint8_t* base = in + at * step;
      startTile(count * lanes);
      addPieces({base, 16, inner_.length / lanes, 16 * count, step});
      for (size_t i = 0; i < count; i++) {
        Place place = start;
        places_.cells[i] = place.move(axis, at + i) ? cellOf(place) : kNoCell;
        if (places_.cells[i] != kNoCell) places_.weights[i] = weightOf(place);
      }
      endTile(count * lanes, inner_.length / lanes, static_cast<uint32_t>(std::countr_zero(lanes)));
      for (size_t i = 0; i < count; i++) {
        Place place = start;
        if (place.move(axis, at + i)) addRestOfRun(place, base + i * step);
      }
    }
  }

  /// Adds single elements of a run, where the kernels do not.
  void addRestOfRun(const Place& start, const uint8_t* in) {
    const size_t rest = inner_.length % (16 / width_), whole = inner_.length - rest;
    if (isOutside_) addRow(bit(Field::Sum), start, in, 0, whole);
    if (rest > 0) addRow(fast_, start, in + whole * width_, whole, rest);
    if (isAnySlow_) addRow(kAll & ~fast_, start, in, 0, inner_.length);
  }

  // ---- Tiles.

  void startTile(size_t columns) {
    isOutside_ = false;
    const size_t vectors = (columns * width_ + 15) / 16;
    if (isFloat(rule_.number)) {
      std::fill(tile_.missing, tile_.missing + vectors, U8x16{});
      std::fill(tile_.high, tile_.high + vectors * 16 / width_, 0);
      std::fill(tile_.low, tile_.low + vectors * 16 / width_, 0);
    } else {
      std::fill(sums_, sums_ + columns, 0);
      std::fill(skipped_, skipped_ + columns, 0);
    }
    for (const Field field : {Field::Min, Field::Max}) {
      if (!isFast(field)) continue;
      bestOfRows(row_, isMinOfNumbers(field), {nullptr, 0, 0, 16 * vectors, 16}, bestOf(field),
                 nullptr);
    }
  }

  void startIntegers(size_t vectors) {
    for (auto* lanes : {tile_.even, tile_.odd, tile_.missing, tile_.top}) {
      std::fill(lanes, lanes + vectors, U8x16{});
    }
  }

  U8x16* bestOf(Field field) { return field == Field::Min ? tile_.least : tile_.greatest; }

  void addPieces(const Rows& rows) {
    for (size_t r = 0; r < rows.count; r += kMaxRows) {
      const size_t n = std::min(kMaxRows, rows.count - r);
      if (!isFloat(rule_.number)) startIntegers((rows.bytes + 15) / 16);
      addPiece({rows.base + r * rows.step, rows.step, n, rows.bytes, rows.columnStep});
      if (!isFloat(rule_.number)) endIntegers(rows.bytes / width_, n);
    }
  }

  void addPiece(const Rows& rows) {
    const bool isInteger = !isFloat(rule_.number);
    const bool isCounted = isFast(Field::Count) || isFast(Field::Weight);
    bool counts = isInteger ? row_.hasMissing : rule_.skipsNaN && isCounted;
    if (isFast(Field::Sum)) {
      isInteger ? sumIntegerRows(row_, rows, tile_) : sumFloatRows(row_, rows, tile_);
      counts = false;
    }
    U8x16 unused[kTileVectors];
    for (const Field field : {Field::Min, Field::Max}) {
      if (!isFast(field)) continue;
      const bool isCounter = counts && !isInteger;
      bestOfRows(row_, isMinOfNumbers(field), rows, bestOf(field),
                 isCounter ? tile_.missing : unused);
      if (isCounter) counts = false;
    }
    if (counts) countMissing(row_, rows, tile_);
  }

  /// Adds the sums of integers in at most kMaxRows rows to those of the tile.
  void endIntegers(size_t columns, size_t rows) {
    if (!isFast(Field::Sum) && !row_.hasMissing) return;
    if (width_ == 1) return addSums<uint8_t, uint16_t>(columns, rows);
    if (width_ == 2) return addSums<uint16_t, uint32_t>(columns, rows);
    addSums<uint32_t, uint64_t>(columns, rows);
  }

  template <class T, class Wide>
  void addSums(size_t columns, size_t rows) {
    const auto* missing = reinterpret_cast<const T*>(tile_.missing);
    const auto* even = reinterpret_cast<const Wide*>(tile_.even);
    const auto* odd = reinterpret_cast<const Wide*>(tile_.odd);
    const int64_t sign = row_.isInverted ? -1 : 1;
    const int64_t least = isSigned(rule_.number) ? -(int64_t{1} << (8 * width_ - 1)) : 0;
    const int64_t first = row_.isInverted ? std::numeric_limits<T>::max() + least : least;
    ZW_SCALAR_LOOP
    for (size_t i = 0; i < columns; i++) {
      const Wide sum = i % 2 == 0 ? even[i / 2] : odd[i / 2];
      skipped_[i] += missing[i];
      sums_[i] +=
          sign * static_cast<int64_t>(sum) + first * static_cast<int64_t>(rows - missing[i]);
    }
    if (isFast(Field::Sum) && row_.isLimited) {
      isOutside_ |= greatestOf<T>(tile_.top, columns) > sign * (row_.limit - first);
    }
  }

  void loadMissing(size_t columns, uint32_t* out) const {
    const auto* lanes = reinterpret_cast<const uint8_t*>(tile_.missing);
    for (size_t i = 0; i < columns; i++) out[i] = load<uint32_t>(lanes + width_ * i);
  }

  /// Returns the sum of `count` integers.
  Pair decodedSum(int64_t sum, double count) const {
    const Pair all = pairOf(static_cast<uint64_t>(sum), true);
    if (!rule_.isDecoded) return all;
    Pair decoded = product(all, {rule_.scale, 0});
    addPair(decoded, exactProduct(rule_.offset, count));
    return decoded;
  }

  /// Adds a tile of `rows` rows to cells, each of 1 << shift columns; sums of integers that cannot be decoded
  /// are left out.
  void endTile(size_t columns, size_t rows, uint32_t shift) {
    if (isFloat(rule_.number)) {
      loadMissing(columns, skipped_);
      forColumns(Field::Sum, columns, shift, [&](uint64_t* cell, size_t i) {
        addToPair(cell, form_.cells, weighted({tile_.high[i], tile_.low[i]}, i >> shift));
      });
    }
    const size_t count = columns >> shift, used = rows << shift;
    if (shift > 0) {
      foldColumns(skipped_, count, shift);
      foldColumns(sums_, count, shift);
    }
    if (!isFloat(rule_.number) && !isOutside_) {
      forColumns(Field::Sum, count, 0, [&](uint64_t* cell, size_t i) {
        if (form_.sumsIntegers()) {
          return addTo128(cell, form_.cells, static_cast<uint64_t>(sums_[i]),
                          sums_[i] < 0 ? UINT64_MAX : 0);
        }
        const Pair sum = decodedSum(sums_[i], static_cast<double>(used - skipped_[i]));
        addToPair(cell, form_.cells, weighted(sum, i));
      });
    }
    forColumns(Field::Weight, count, 0, [&](uint64_t* cell, size_t i) {
      const auto n = static_cast<double>(used - skipped_[i]);
      addToPair(cell, form_.cells, exactProduct(places_.weights[i], n));
    });
    forColumns(Field::Count, count, 0, [&](uint64_t* cell, size_t i) {
      addDouble(cell, static_cast<double>(used - skipped_[i]));
    });
    for (const Field field : {Field::Min, Field::Max}) {
      if (!isFast(field)) continue;
      const auto* best = reinterpret_cast<const uint8_t*>(bestOf(field));
      double numbers[kTile];
      for (size_t at = 0; at < columns; at += kNumberBlock) {
        const size_t n = std::min(kNumberBlock, columns - at);
        loadDoubles(rule_.number, best + at * width_, n, numbers + at);
      }
      forColumns(field, columns, shift, [&](uint64_t* cell, size_t i) {
        const bool isAny = isFloat(rule_.number) || skipped_[i >> shift] < used;
        if (isAny) addBest(field, cell, numbers[i]);
      });
    }
  }

  bool isMinOfNumbers(Field field) const {
    return (field == Field::Min) != (rule_.isDecoded && rule_.scale < 0);
  }

  /// Updates Min or Max by a number that is not decoded yet.
  void addBest(Field field, uint64_t* cell, double x) const {
    if (rule_.isDecoded) x = x * rule_.scale + rule_.offset;
    const double old = asDouble(*cell);
    const bool isBetter = field == Field::Min ? x < old : x > old;
    if (isBetter || (std::isnan(x) && !std::isnan(old))) *cell = asBits(x);
  }

  /// Calls add(cell, column) for the columns that belong to a cell.
  template <class Add>
  void forColumns(Field field, size_t columns, uint32_t shift, Add add) {
    if (!isFast(field)) return;
    uint64_t* plane = form_.plane(state_, field);
    for (size_t i = 0; i < columns; i++) {
      const uint32_t cell = places_.cells[i >> shift];
      if (cell != kNoCell) add(plane + cell, i);
    }
  }

  // ---- Single elements.

  /// Adds some elements of a row, which start at index `first`, to some fields.
  void addRow(uint32_t fields, const Place& start, const uint8_t* in, size_t first, size_t count) {
    for (size_t at = 0; at < count; at += kNumberBlock) {
      count_ = std::min(kNumberBlock, count - at);
      loadValues(rule_, in + at * width_, count_, block_);
      findCells(start, first + at, count_);
      for (size_t k = 0; k < count_; k++) {
        if (!block_.isValid[k]) places_.cells[k] = kNoCell;
      }
      const double index = static_cast<double>(first + at);
      addBlock(fields, start.position + index * inner_.positionStride, inner_.positionStride);
    }
  }

  uint32_t cellOf(const Place& place) const {
    if (!request_.labels) return static_cast<uint32_t>(place.cell);
    const uint32_t label = request_.labels[place.joint[0]];
    return label == kNoCell ? kNoCell
                            : static_cast<uint32_t>(place.cell + label * request_.labelStride);
  }

  double weightOf(const Place& place) const {
    double weight = 1;
    for (uint32_t w = 0; w < request_.weightCount; w++) {
      weight *= request_.weights[w][place.joint[1 + w]];
    }
    return weight;
  }

  /// Finds the cells and weights of elements of a row.
  void findCells(const Place& start, size_t at, size_t count) {
    if (!inner_.table && !request_.labels && request_.weightCount == 0) {
      for (size_t k = 0; k < count; k++) {
        places_.cells[k] = static_cast<uint32_t>(start.cell + (at + k) * inner_.stride);
      }
      return;
    }
    for (size_t k = 0; k < count; k++) {
      Place place = start;
      places_.cells[k] = place.move(inner_, at + k) ? cellOf(place) : kNoCell;
      if (request_.weightCount == 0 || places_.cells[k] == kNoCell) continue;
      places_.weights[k] = weightOf(place);
    }
  }

  template <class Add>
  void forCells(Field field, Add add) {
    if (!form_.has(field) || !(fields_ & bit(field))) return;
    uint64_t* plane = form_.plane(state_, field);
    for (size_t k = 0; k < count_; k++) {
      if (places_.cells[k] != kNoCell) add(plane + places_.cells[k], k);
    }
  }

  void addBlock(uint32_t fields, double position, double stride) {
    fields_ = fields;
    const size_t cells = form_.cells;
    const auto positionOf = [=](size_t k) { return position + static_cast<double>(k) * stride; };
    forCells(Field::Count, [&](uint64_t* cell, size_t) { addDouble(cell, 1); });
    forCells(Field::Nonzero,
             [&](uint64_t* cell, size_t k) { addDouble(cell, isNonzero(k) ? 1 : 0); });
    forCells(Field::Weight, [&](uint64_t* cell, size_t k) {
      addToPair(cell, cells, {places_.weights[k], 0});
    });
    forCells(Field::Sum, [&](uint64_t* cell, size_t k) {
      if (form_.sumsIntegers()) return addElement(cell, block_.integers[k]);
      addToPair(cell, cells, weighted(valueOf(k), k));
    });
    forCells(Field::Squares, [&](uint64_t* cell, size_t k) {
      addToPair(cell, cells, weighted(product(valueOf(k), valueOf(k)), k));
    });
    withComparison(form_.rule, [&](auto isLess) {
      forCells(Field::Min, [&](uint64_t* cell, size_t k) {
        if (isLess(bitsOf(k), *cell, true)) *cell = bitsOf(k);
      });
      forCells(Field::Max, [&](uint64_t* cell, size_t k) {
        if (isLess(bitsOf(k), *cell, false)) *cell = bitsOf(k);
      });
      forCells(Field::ArgMin, [&](uint64_t* cell, size_t k) {
        setArg(cell, cells, bitsOf(k), positionOf(k), true, isLess);
      });
      forCells(Field::ArgMax, [&](uint64_t* cell, size_t k) {
        setArg(cell, cells, bitsOf(k), positionOf(k), false, isLess);
      });
    });
    forCells(Field::First, [&](uint64_t* cell, size_t k) {
      setEnd(cell, cells, bitsOf(k), positionOf(k), true);
    });
    forCells(Field::Last, [&](uint64_t* cell, size_t k) {
      setEnd(cell, cells, bitsOf(k), positionOf(k), false);
    });
  }

  bool isNonzero(size_t k) const {
    return form_.rule.isExact() ? block_.integers[k] != 0 : block_.values[k] != 0;
  }

  /// A value as in Min.
  uint64_t bitsOf(size_t k) const {
    return form_.rule.isWide() ? block_.integers[k] : asBits(block_.values[k]);
  }

  Pair valueOf(size_t k) const {
    if (form_.rule.isWide()) return pairOf(block_.integers[k], isSigned(form_.rule.number));
    return {block_.values[k], 0};
  }

  Pair weighted(Pair value, size_t k) const {
    return request_.weightCount > 0 ? product(value, {places_.weights[k], 0}) : value;
  }

  void addElement(uint64_t* cell, uint64_t bits) const {
    const bool isNegative = isSigned(form_.rule.number) && static_cast<int64_t>(bits) < 0;
    addTo128(cell, form_.cells, bits, isNegative ? UINT64_MAX : 0);
  }

  static constexpr size_t kMinRows = 4;  // fewer rows are added one by one
  static constexpr size_t kMinRun = 32;

  const Accumulation& request_;
  const StateForm& form_;
  const ValueRule& rule_;
  const CellAxis& inner_;
  const size_t width_;
  uint64_t* state_;
  size_t strides_[kMaxRank];
  uint32_t rows_;  // axis of rows; the rank if there is none
  uint32_t fast_ = 0;
  uint32_t fields_ = 0;
  bool isRun_ = false;
  bool isAnySlow_ = false;
  RowRule row_ = {};
  size_t count_ = 0;
  ValueBlock block_;
  Cells places_;
  Tile tile_;
  uint32_t skipped_[kTile] = {};  // missing elements of each column
  int64_t sums_[kTile];           // of the integers of each column
  bool isOutside_ = false;        // the sums of integers cannot be decoded
};

}  // namespace

void runAccumulation(const Accumulation& request, const uint8_t* box, uint64_t* state) {
  Adder(request, state).addBox(box);
}

}  // namespace zw
