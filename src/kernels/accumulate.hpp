// Accumulators of reductions: adds the elements of a box to the cells of a state, whichever axes are
// reduced, kept or grouped.
//
// A state consists of planes of 64-bit words, one word per cell, field by field:
//   Count, Nonzero            double
//   Weight, Squares           high part, low part of a sum of doubles
//   Sum                       the same; of integers without weights: low half, high half (128 bits)
//   Min, Max                  double; of exact 64-bit integers: the integer
//   ArgMin, ArgMax, First, Last   a value as in Min, and its position as a double (-1: none)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/limits.hpp"
#include "base/status.hpp"
#include "base/word_reader.hpp"
#include "kernels/numbers.hpp"

namespace zw {

enum class Field : uint8_t {
  Count,
  Weight,
  Sum,
  Squares,
  Min,
  Max,
  ArgMin,
  ArgMax,
  First,
  Last,
  Nonzero
};
inline constexpr uint32_t kFields = 11;
inline constexpr uint32_t kMaxMissing = 64;
inline constexpr uint32_t kMaxWeights = 4;
/// A cell number in tables: the element belongs to no cell.
inline constexpr uint32_t kNoCell = 0xffffffff;

/// Maps elements to values.
struct ValueRule {
  Number number = Number::Uint8;
  bool isBrainFloat = false;  // bfloat16; `number` is then Float16
  bool isDecoded = false;     // value = element * scale + offset, as double
  bool isFloat32 = false;     // rounded to float32 afterwards
  /// NaN and missing elements do not count. Otherwise, missing elements are NaN (of exact integers,
  /// they never count).
  bool skipsNaN = false;
  double scale = 1;
  double offset = 0;
  /// Missing elements: doubles, or integers extended to 64 bits.
  std::span<const uint64_t> missing;

  /// Whether values are integers.
  bool isExact() const { return !isFloat(number) && !isDecoded; }
  bool isWide() const { return isExact() && numberBytes(number) == 8; }
};

/// Values of neighbouring elements.
struct ValueBlock {
  double values[kNumberBlock];
  uint64_t integers[kNumberBlock];  // of integers: before decoding, extended to 64 bits
  bool isValid[kNumberBlock];       // false: missing
};

/// Loads up to kNumberBlock elements.
void loadValues(const ValueRule& rule, const uint8_t* in, size_t count, ValueBlock& out);

/// Planes of a state.
struct StateForm {
  ValueRule rule;
  bool isWeighted = false;
  size_t cells = 0;
  uint32_t planes = 0;
  uint8_t first[kFields];  // first plane of each field; kNoPlane if absent

  static constexpr uint8_t kNoPlane = 0xff;
  bool has(Field field) const { return first[static_cast<uint8_t>(field)] != kNoPlane; }
  bool hasPositions() const;
  /// Whether sums are 128-bit integers.
  bool sumsIntegers() const { return rule.isExact() && !isWeighted; }
  uint64_t* plane(uint64_t* state, Field field) const {
    return state + first[static_cast<uint8_t>(field)] * cells;
  }
  uint64_t bytes() const { return uint64_t{8} * planes * cells; }
};

/// One axis of a box. An index contributes index * stride, or table[index] * stride, to the number of
/// the cell.
struct CellAxis {
  size_t length = 0;
  size_t stride = 0;  // 0: reduced
  const uint32_t* table = nullptr;
  double positionStride = 0;
  /// Strides in the labels and in each table of weights.
  size_t joint[1 + kMaxWeights] = {};
};

/// A checked request. Neighbouring axes are fused where possible.
struct Accumulation {
  StateForm form;
  CellAxis axes[kMaxRank];
  uint32_t rank = 0;
  const uint32_t* labels = nullptr;  // further cell numbers, by several axes
  size_t labelStride = 0;
  const double* weights[kMaxWeights] = {};
  uint32_t weightCount = 0;
  double position = 0;  // of the first element
  size_t boxBytes = 0;
};

/// Reads the number (12: bfloat16) and flags (1: decoded, 2: rounded to float32, 4: skips NaN).
Status readValueRule(WordReader& words, ValueRule& out);

/// Reads the form of a state: [value rule, 1 if weighted, cells, number of fields, fields…].
Status readStateForm(WordReader& words, StateForm& out);

/// Reads a request: the form of the state, then [number of axes, (length, kind (0: kept, 1: reduced,
/// 2: table), stride)…, number of missing values, labels (number of axes or 0, axes…, stride),
/// number of weights, (number of axes, axes…)…]. `tables` holds, each padded to 8 bytes: scale, offset,
/// position, the stride of positions of each axis; missing values; tables of cells of the axes; labels;
/// weights. It must be aligned to 8 bytes and outlive the request. Every word is checked: cells are in
/// the state.
Status readAccumulation(WordReader& words, ByteView tables, Accumulation& out);

/// Sets a state to that of no elements.
void clearState(const StateForm& form, uint64_t* state);

/// Adds a box of `boxBytes` bytes, in C order and the byte order of the host.
void runAccumulation(const Accumulation& request, const uint8_t* box, uint64_t* state);

/// Adds the elements of another state.
void mergeStates(const StateForm& form, const uint64_t* from, uint64_t* into);

}  // namespace zw
