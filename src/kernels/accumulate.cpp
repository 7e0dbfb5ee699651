// Walks over a box row by row along its last axis, and over rows in blocks of values.
#include "kernels/accumulate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/accumulate_cell.hpp"

namespace zw {
namespace {

/// Where a row starts.
struct Place {
  size_t cell = 0;
  double position = 0;
  size_t joint[1 + kMaxWeights] = {};
};

/// Cells of a block's elements (kNoCell: none) and their weights.
struct Cells {
  uint32_t cells[kNumberBlock];
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

class Adder {
 public:
  Adder(const Accumulation& request, uint64_t* state)
      : request_(request), form_(request.form), state_(state) {}

  void addBox(const uint8_t* box) {
    Place start;
    start.position = request_.position;
    walk(0, start, box);
  }

 private:
  /// Adds the part of the box below an axis; moves `in` to its end.
  void walk(uint32_t a, const Place& start, const uint8_t*& in) {
    const CellAxis& axis = request_.axes[a];
    if (a + 1 == request_.rank) {
      addRow(axis, start, in);
      in += axis.length * numberBytes(form_.rule.number);
      return;
    }
    for (size_t i = 0; i < axis.length; i++) {
      Place place = start;
      if (!move(axis, i, place)) {
        in += bytesBelow(a);
        continue;
      }
      walk(a + 1, place, in);
    }
  }

  /// False if the index belongs to no cell.
  static bool move(const CellAxis& axis, size_t i, Place& place) {
    if (axis.table && axis.table[i] == kNoCell) return false;
    place.cell += (axis.table ? axis.table[i] : i) * axis.stride;
    place.position += static_cast<double>(i) * axis.positionStride;
    for (uint32_t k = 0; k <= kMaxWeights; k++) place.joint[k] += i * axis.joint[k];
    return true;
  }

  size_t bytesBelow(uint32_t a) const {
    size_t bytes = numberBytes(form_.rule.number);
    for (uint32_t b = a + 1; b < request_.rank; b++) bytes *= request_.axes[b].length;
    return bytes;
  }

  void addRow(const CellAxis& axis, const Place& start, const uint8_t* in) {
    for (size_t at = 0; at < axis.length; at += kNumberBlock) {
      count_ = std::min(kNumberBlock, axis.length - at);
      loadValues(form_.rule, in + at * numberBytes(form_.rule.number), count_, block_);
      findCells(axis, start, at);
      addBlock(start.position + static_cast<double>(at) * axis.positionStride, axis.positionStride);
    }
  }

  void findCells(const CellAxis& axis, const Place& start, size_t at) {
    for (size_t k = 0; k < count_; k++) {
      const size_t i = at + k;
      Place place = start;
      bool isInside = block_.isValid[k] && move(axis, i, place);
      if (isInside && request_.labels) {
        const uint32_t label = request_.labels[place.joint[0]];
        isInside = label != kNoCell;
        if (isInside) place.cell += label * request_.labelStride;
      }
      places_.cells[k] = isInside ? static_cast<uint32_t>(place.cell) : kNoCell;
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
    if (!form_.has(field)) return;
    uint64_t* plane = form_.plane(state_, field);
    for (size_t k = 0; k < count_; k++) {
      if (places_.cells[k] != kNoCell) add(plane + places_.cells[k], k);
    }
  }

  void addBlock(double position, double stride) {
    const size_t cells = form_.cells;
    const auto positionOf = [=](size_t k) { return position + static_cast<double>(k) * stride; };
    const auto addDouble = [](uint64_t* cell, double x) { *cell = asBits(asDouble(*cell) + x); };
    forCells(Field::Count, [&](uint64_t* cell, size_t) { addDouble(cell, 1); });
    forCells(Field::Nonzero, [&](uint64_t* cell, size_t k) {
      addDouble(cell, isNonzero(k) ? 1 : 0);
    });
    forCells(Field::Weight, [&](uint64_t* cell, size_t k) {
      addToPair(cell, cells, {places_.weights[k], 0});
    });
    forCells(Field::Sum, [&](uint64_t* cell, size_t k) {
      if (form_.sumsIntegers()) return addInteger(cell, block_.integers[k]);
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

  void addInteger(uint64_t* cell, uint64_t bits) const {
    const bool isNegative = isSigned(form_.rule.number) && static_cast<int64_t>(bits) < 0;
    addTo128(cell, form_.cells, bits, isNegative ? UINT64_MAX : 0);
  }

  const Accumulation& request_;
  const StateForm& form_;
  uint64_t* state_;
  size_t count_ = 0;
  ValueBlock block_;
  Cells places_;
};

}  // namespace

void runAccumulation(const Accumulation& request, const uint8_t* box, uint64_t* state) {
  Adder(request, state).addBox(box);
}

}  // namespace zw
