// Walks over a box row by row along its last axis, and over rows in blocks of values.
#include "kernels/accumulate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/accumulate_cell.hpp"
#include "kernels/accumulate_rows.hpp"

namespace zw {
namespace {

using simd::U8x16;

/// Where a row starts.
struct Place {
  size_t cell = 0;
  double position = 0;
  size_t joint[1 + kMaxWeights] = {};
};

/// Cells of a block's elements (kNoCell: none) and their weights.
struct Cells {
  uint32_t cells[kTile];
  double weights[kNumberBlock];
};

void loadBrainFloats(const uint8_t* in, size_t count, double* out) {
  for (size_t i = 0; i < count; i++) {
    out[i] = bitCast<float>(uint32_t{load<uint16_t>(in + 2 * i)} << 16);
  }
}

void findMissing(const ValueRule& rule, size_t count, ValueBlock& block) {
  std::fill(block.isValid, block.isValid + count, true);
  for (const uint64_t missing : rule.missing) {
    for (size_t i = 0; i < count; i++) {
      const bool isMissing = isFloat(rule.number) ? block.values[i] == asDouble(missing)
                                                  : block.integers[i] == missing;
      block.isValid[i] &= !isMissing;
    }
  }
}

}  // namespace

void loadValues(const ValueRule& rule, const uint8_t* in, size_t count, ValueBlock& out) {
  if (rule.isBrainFloat) {
    loadBrainFloats(in, count, out.values);
  } else {
    loadDoubles(rule.number, in, count, out.values);
  }
  if (!isFloat(rule.number)) loadIntegers(rule.number, in, count, out.integers);
  findMissing(rule, count, out);
  if (rule.isDecoded) {
    for (size_t i = 0; i < count; i++) {
      const double value = out.values[i] * rule.scale + rule.offset;
      out.values[i] = rule.isFloat32 ? static_cast<double>(static_cast<float>(value)) : value;
    }
  }
  if (rule.isExact()) return;
  for (size_t i = 0; i < count; i++) {
    if (!out.isValid[i]) out.values[i] = std::numeric_limits<double>::quiet_NaN();
    out.isValid[i] = !rule.skipsNaN || !std::isnan(out.values[i]);
  }
}

namespace {

/// Fields that rows and runs of numbers are added to at once.
constexpr uint32_t bit(Field field) {
  return 1u << static_cast<uint8_t>(field);
}
constexpr uint32_t kFast = bit(Field::Count) | bit(Field::Sum) | bit(Field::Min) | bit(Field::Max);
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
    if (request_.weightCount > 0 || !hasRowKernels(rule_) || !findRange()) return;
    row_.number = rule_.number;
    row_.skipsNaN = rule_.skipsNaN;
    row_.hasMissing = !rule_.missing.empty();
    row_.missing = row_.hasMissing ? rule_.missing[0] : 0;
    isRun_ = inner_.stride == 0 && !inner_.table && inner_.joint[0] == 0;
    for (uint32_t a = 0; !isRun_ && a + 1 < request_.rank; a++) {
      const CellAxis& axis = request_.axes[a];
      const bool isReduced = axis.stride == 0 && !axis.table && axis.joint[0] == 0;
      const bool isLonger = rows_ == request_.rank || axis.length > request_.axes[rows_].length;
      if (isReduced && axis.length >= kMinRows && isLonger) rows_ = a;
    }
    const bool isLong = inner_.length >= kMinRun;
    if (isLong && (isRun_ || rows_ < request_.rank)) fast_ = kFast;
    if (fast_ == 0) rows_ = request_.rank;
  }

  /// Finds the range of integers that decode to values of the sign of the offset, which are not much
  /// smaller than the product: the sum of these values is the scale times the sum of the integers, plus
  /// offsets, within 3 ulp. False if values are not decoded in float64.
  bool findRange() {
    constexpr double kFar = 0x1p40;
    const double scale = rule_.scale, offset = rule_.offset;
    row_.low = -(int64_t{1} << 40);
    row_.high = -row_.low;
    row_.isLimited = false;
    if (!rule_.isDecoded || (scale == 1 && offset == 0 && width_ <= 2)) return true;
    if (rule_.isFloat32 || !std::isfinite(scale) || !std::isfinite(offset) || scale == 0) return false;
    row_.isLimited = true;
    const double end = -offset / scale * (2.0 / 3);
    const bool isUpper = (offset < 0) == (scale < 0);
    if (isUpper) {
      row_.low = static_cast<int64_t>(std::ceil(std::clamp(end, -kFar, kFar)));
    } else {
      row_.high = static_cast<int64_t>(std::floor(std::clamp(end, -kFar, kFar)));
    }
    return true;
  }

  /// Adds the part of the box below an axis.
  void walk(uint32_t a, const Place& start, const uint8_t* in) {
    if (a == rows_) return walk(a + 1, start, in);
    const CellAxis& axis = request_.axes[a];
    if (a + 1 == request_.rank) {
      addLast(start, in);
      return;
    }
    for (size_t i = 0; i < axis.length; i++, in += strides_[a]) {
      Place place = start;
      if (move(axis, i, place)) walk(a + 1, place, in);
    }
  }

  /// Adds one row, or all rows along the axis of rows.
  void addLast(const Place& start, const uint8_t* in) {
    const uint32_t slow = kAll & ~fast_;
    if (fast_ != 0 && isRun_) addRun(start, in);
    if (rows_ == request_.rank) {
      if (hasAny(slow)) addRow(slow, start, in, 0, inner_.length);
      return;
    }
    const CellAxis& axis = request_.axes[rows_];
    addRows(start, in);
    for (size_t i = 0; hasAny(slow) && i < axis.length; i++) {
      Place place = start;
      move(axis, i, place);
      addRow(slow, place, in + i * strides_[rows_], 0, inner_.length);
    }
  }

  bool hasAny(uint32_t fields) const {
    for (uint32_t f = 0; f < kFields; f++) {
      if ((fields >> f & 1) && form_.has(static_cast<Field>(f))) return true;
    }
    return false;
  }

  // ---- Rows: the tiles of all rows along an axis.

  void addRows(const Place& start, const uint8_t* in) {
    const size_t count = request_.axes[rows_].length, most = kTileBytes / width_;
    for (size_t at = 0; at < inner_.length; at += most) {
      const size_t columns = std::min(most, inner_.length - at);
      findCells(start, at, columns);
      startTile(columns);
      for (size_t r = 0; r < count; r += kMaxRows) {
        const size_t n = std::min(kMaxRows, count - r);
        const Rows rows{in + at * width_ + r * strides_[rows_], strides_[rows_], n, columns * width_};
        addPiece(rows);
        addIntegers(columns, n, [&](size_t i) { return places_.cells[i]; }, [&] {
          for (size_t k = 0; k < n; k++) {
            addRow(bit(Field::Sum), start, rows.base + k * rows.step, at, columns);
          }
          findCells(start, at, columns);
        });
      }
      endTile(columns, [&](size_t i) { return places_.cells[i]; }, count);
    }
  }

  // ---- Runs: rows that belong to one cell, in vectors.

  void addRun(const Place& start, const uint8_t* in) {
    size_t cell = start.cell;
    if (request_.labels) {
      const uint32_t label = request_.labels[start.joint[0]];
      if (label == kNoCell) return;
      cell += label * request_.labelStride;
    }
    const auto cellOf = [cell](size_t) { return static_cast<uint32_t>(cell); };
    const size_t lanes = 16 / width_, whole = inner_.length / lanes, rest = inner_.length % lanes;
    const uint8_t* end = in + whole * 16;
    startTile(2 * lanes);
    for (size_t r = 0; r < whole; r += kMaxRows) {
      const size_t n = std::min(kMaxRows, whole - r);
      addPiece({in + r * 16, 16, n, 16});
      addIntegers(lanes, n, cellOf, [&] {
        addRow(bit(Field::Sum), start, in + r * 16, r * lanes, n * lanes);
      });
    }
    endTile(lanes, cellOf, whole);
    if (rest == 0) return;
    startTile(lanes);
    addPiece({end, 16, 1, rest * width_});
    addIntegers(rest, 1, cellOf, [&] {
      addRow(bit(Field::Sum), start, end, whole * lanes, rest);
    });
    endTile(rest, cellOf, 1);
  }

  // ---- Tiles.

  void startTile(size_t columns) {
    const size_t vectors = (columns * width_ + 15) / 16;
    if (isFloat(rule_.number)) {
      std::fill(tile_.missing, tile_.missing + vectors, U8x16{});
      std::fill(tile_.high, tile_.high + vectors * 16 / width_, 0);
      std::fill(tile_.low, tile_.low + vectors * 16 / width_, 0);
    } else {
      startIntegers(vectors);
      std::fill(skipped_, skipped_ + columns, 0);
    }
    for (const Field field : {Field::Min, Field::Max}) {
      if (form_.has(field)) bestOfRows(row_, isMinOfNumbers(field), {nullptr, 0, 0, 0}, bestOf(field));
    }
  }

  void startIntegers(size_t vectors) {
    for (auto* lanes : {tile_.even, tile_.odd, tile_.missing, tile_.outside}) {
      std::fill(lanes, lanes + vectors, U8x16{});
    }
  }

  U8x16* bestOf(Field field) { return field == Field::Min ? tile_.least : tile_.greatest; }

  void addPiece(const Rows& rows) {
    const bool isInteger = !isFloat(rule_.number);
    if (form_.has(Field::Sum)) {
      isInteger ? sumIntegerRows(row_, rows, tile_) : sumFloatRows(row_, rows, tile_);
    }
    if (isInteger ? row_.hasMissing && !form_.has(Field::Sum)
                  : rule_.skipsNaN && form_.has(Field::Count)) {
      countMissing(row_, rows, tile_);
    }
    for (const Field field : {Field::Min, Field::Max}) {
      if (form_.has(field)) bestOfRows(row_, isMinOfNumbers(field), rows, bestOf(field));
    }
  }

  /// Adds the sums of integers to cells, and starts new ones. If the sum of the integers cannot be
  /// decoded, calls addSlowly instead.
  template <class CellOf, class AddSlowly>
  void addIntegers(size_t columns, size_t rows, CellOf cellOf, AddSlowly addSlowly) {
    if (isFloat(rule_.number)) return;
    const size_t vectors = (columns * width_ + 15) / 16;
    uint32_t missing[kTile];
    if (row_.hasMissing) {
      loadMissing(columns, missing);
      for (size_t i = 0; i < columns; i++) skipped_[i] += missing[i];
    } else {
      std::fill(missing, missing + columns, 0);
    }
    if (form_.has(Field::Sum)) {
      if (isAnyOutside(columns)) {
        addSlowly();
      } else {
        const int64_t bias = isSigned(rule_.number) ? int64_t{1} << (8 * width_ - 1) : 0;
        forColumns(Field::Sum, columns, cellOf, [&](uint64_t* cell, size_t i) {
          const auto used = static_cast<int64_t>(rows - missing[i]);
          addInteger(cell, sumOfColumn(i) - bias * used, static_cast<double>(used));
        });
      }
    }
    startIntegers(vectors);
  }

  void loadMissing(size_t columns, uint32_t* out) const {
    const auto* lanes = reinterpret_cast<const uint8_t*>(tile_.missing);
    for (size_t i = 0; i < columns; i++) {
      out[i] = width_ == 1   ? lanes[i]
               : width_ == 2 ? load<uint16_t>(lanes + 2 * i)
                             : load<uint32_t>(lanes + width_ * i);
    }
  }

  bool isAnyOutside(size_t columns) const {
    const auto* lanes = reinterpret_cast<const uint8_t*>(tile_.outside);
    uint8_t any = 0;
    for (size_t i = 0; i < columns * width_; i++) any |= lanes[i];
    return any != 0;
  }

  int64_t sumOfColumn(size_t i) const {
    const auto* lanes = reinterpret_cast<const uint8_t*>(i % 2 == 0 ? tile_.even : tile_.odd);
    const uint8_t* p = lanes + i / 2 * 2 * width_;
    if (width_ == 1) return load<uint16_t>(p);
    return width_ == 2 ? load<uint32_t>(p) : load<int64_t>(p);
  }

  /// Adds the sum of `count` integers.
  void addInteger(uint64_t* cell, int64_t sum, double count) const {
    const auto bits = static_cast<uint64_t>(sum);
    if (!rule_.isDecoded) return addTo128(cell, form_.cells, bits, sum < 0 ? UINT64_MAX : 0);
    addToPair(cell, form_.cells, product(pairOf(bits, true), {rule_.scale, 0}));
    addToPair(cell, form_.cells, exactProduct(rule_.offset, count));
  }

  /// Adds the other fields of a tile of `rows` rows to cells.
  template <class CellOf>
  void endTile(size_t columns, CellOf cellOf, size_t rows) {
    if (isFloat(rule_.number)) {
      loadMissing(columns, skipped_);
      forColumns(Field::Sum, columns, cellOf, [&](uint64_t* cell, size_t i) {
        addToPair(cell, form_.cells, {tile_.high[i], tile_.low[i]});
      });
    }
    forColumns(Field::Count, columns, cellOf, [&](uint64_t* cell, size_t i) {
      addDouble(cell, static_cast<double>(rows) - skipped_[i]);
    });
    for (const Field field : {Field::Min, Field::Max}) {
      if (!form_.has(field)) continue;
      const auto* best = reinterpret_cast<const uint8_t*>(bestOf(field));
      double numbers[kTile];
      for (size_t at = 0; at < columns; at += kNumberBlock) {
        const size_t count = std::min(kNumberBlock, columns - at);
        loadDoubles(rule_.number, best + at * width_, count, numbers + at);
      }
      forColumns(field, columns, cellOf, [&](uint64_t* cell, size_t i) {
        const bool isAny = isFloat(rule_.number) || skipped_[i] < rows;
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
  template <class CellOf, class Add>
  void forColumns(Field field, size_t columns, CellOf cellOf, Add add) {
    if (!form_.has(field)) return;
    uint64_t* plane = form_.plane(state_, field);
    for (size_t i = 0; i < columns; i++) {
      const uint32_t cell = cellOf(i);
      if (cell != kNoCell) add(plane + cell, i);
    }
  }

  // ---- Single elements.

  /// False if the index belongs to no cell.
  static bool move(const CellAxis& axis, size_t i, Place& place) {
    if (axis.table && axis.table[i] == kNoCell) return false;
    place.cell += (axis.table ? axis.table[i] : i) * axis.stride;
    place.position += static_cast<double>(i) * axis.positionStride;
    for (uint32_t k = 0; k <= kMaxWeights; k++) place.joint[k] += i * axis.joint[k];
    return true;
  }

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

  /// Finds the cells and weights of elements of a row.
  void findCells(const Place& start, size_t at, size_t count) {
    for (size_t k = 0; k < count; k++) {
      Place place = start;
      bool isInside = move(inner_, at + k, place);
      if (isInside && request_.labels) {
        const uint32_t label = request_.labels[place.joint[0]];
        isInside = label != kNoCell;
        if (isInside) place.cell += label * request_.labelStride;
      }
      places_.cells[k] = isInside ? static_cast<uint32_t>(place.cell) : kNoCell;
      if (request_.weightCount == 0) continue;
      if (!isInside) continue;
      double weight = 1;
      for (uint32_t w = 0; w < request_.weightCount; w++) {
        weight *= request_.weights[w][place.joint[1 + w]];
      }
      places_.weights[k] = weight;
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

  static void addDouble(uint64_t* cell, double x) { *cell = asBits(asDouble(*cell) + x); }

  void addBlock(uint32_t fields, double position, double stride) {
    fields_ = fields;
    const size_t cells = form_.cells;
    const auto positionOf = [=](size_t k) { return position + static_cast<double>(k) * stride; };
    forCells(Field::Count, [&](uint64_t* cell, size_t) { addDouble(cell, 1); });
    forCells(Field::Nonzero, [&](uint64_t* cell, size_t k) {
      addDouble(cell, isNonzero(k) ? 1 : 0);
    });
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
  RowRule row_ = {};
  size_t count_ = 0;
  ValueBlock block_;
  Cells places_;
  Tile tile_;
  uint32_t skipped_[kTile] = {};  // missing elements of each column
};

}  // namespace

void runAccumulation(const Accumulation& request, const uint8_t* box, uint64_t* state) {
  Adder(request, state).addBox(box);
}

}  // namespace zw
