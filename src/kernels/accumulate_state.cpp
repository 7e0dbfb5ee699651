// States of accumulators: their form, the empty state, and merging.
#include <limits>

#include "base/checked.hpp"
#include "kernels/accumulate.hpp"
#include "kernels/accumulate_cell.hpp"

namespace zw {
namespace {

constexpr uint8_t kPlanes[kFields] = {1, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1};
constexpr uint32_t kBrainFloat = 12;

}  // namespace

bool StateForm::hasPositions() const {
  return has(Field::ArgMin) || has(Field::ArgMax) || has(Field::First) || has(Field::Last);
}

Status readValueRule(WordReader& words, ValueRule& out) {
  const uint32_t number = words.next(), flags = words.next();
  if (!words.ok() || number > kBrainFloat || flags > 7) return Code::BadParameters;
  out.isBrainFloat = number == kBrainFloat;
  out.number = out.isBrainFloat ? Number::Float16 : static_cast<Number>(number);
  out.isDecoded = flags & 1;
  out.isFloat32 = flags & 2;
  out.skipsNaN = flags & 4;
  return {};
}

Status readStateForm(WordReader& words, StateForm& out) {
  out = {};
  if (Status s = readValueRule(words, out.rule)) return s;
  const uint32_t isWeighted = words.next();
  out.cells = words.next();
  const uint32_t count = words.next();
  if (!words.ok() || isWeighted > 1 || out.cells == 0) return Code::BadParameters;
  out.isWeighted = isWeighted == 1;
  for (uint8_t& plane : out.first) plane = StateForm::kNoPlane;
  for (const uint32_t field : words.take(count)) {
    if (field >= kFields || out.first[field] != StateForm::kNoPlane) return Code::BadParameters;
    out.first[field] = static_cast<uint8_t>(out.planes);
    out.planes += kPlanes[field];
  }
  if (!words.ok() || (out.has(Field::Weight) && !out.isWeighted)) return Code::BadParameters;
  if (out.bytes() > SIZE_MAX) return Code::LimitExceeded;
  return {};
}

void clearState(const StateForm& form, uint64_t* state) {
  const size_t cells = form.cells;
  std::fill(state, state + form.planes * cells, 0);
  const auto setValue = [&](Field field, bool isMin) {
    if (!form.has(field)) return;
    uint64_t* plane = form.plane(state, field);
    std::fill(plane, plane + cells, worstValue(form.rule, isMin));
  };
  setValue(Field::Min, true);
  setValue(Field::Max, false);
  setValue(Field::ArgMin, true);
  setValue(Field::ArgMax, false);
  for (const Field field : {Field::ArgMin, Field::ArgMax, Field::First, Field::Last}) {
    if (!form.has(field)) continue;
    uint64_t* positions = form.plane(state, field) + cells;
    std::fill(positions, positions + cells, asBits(-1));
  }
}

void mergeStates(const StateForm& form, const uint64_t* from, uint64_t* into) {
  const size_t cells = form.cells;
  const auto forCells = [&](Field field, auto merge) {
    if (!form.has(field)) return;
    uint64_t* plane = form.plane(into, field);
    const uint64_t* other = from + (plane - into);
    for (size_t i = 0; i < cells; i++) merge(plane + i, other + i);
  };
  const auto add = [](uint64_t* a, const uint64_t* b) { addDouble(a, asDouble(*b)); };
  const auto addPairs = [&](uint64_t* a, const uint64_t* b) {
    addToPair(a, cells, {asDouble(b[0]), asDouble(b[cells])});
  };
  forCells(Field::Count, add);
  forCells(Field::Nonzero, add);
  forCells(Field::Weight, addPairs);
  forCells(Field::Squares, addPairs);
  if (form.sumsIntegers()) {
    forCells(Field::Sum,
             [&](uint64_t* a, const uint64_t* b) { addTo128(a, cells, b[0], b[cells]); });
  } else {
    forCells(Field::Sum, addPairs);
  }
  withComparison(form.rule, [&](auto isLess) {
    forCells(Field::Min, [&](uint64_t* a, const uint64_t* b) {
      if (isLess(*b, *a, true)) *a = *b;
    });
    forCells(Field::Max, [&](uint64_t* a, const uint64_t* b) {
      if (isLess(*b, *a, false)) *a = *b;
    });
    const auto mergeArg = [&](bool isMin) {
      return [=](uint64_t* a, const uint64_t* b) {
        const double position = asDouble(b[cells]);
        if (position >= 0) setArg(a, cells, b[0], position, isMin, isLess);
      };
    };
    forCells(Field::ArgMin, mergeArg(true));
    forCells(Field::ArgMax, mergeArg(false));
  });
  const auto mergeEnd = [&](bool isFirst) {
    return [=](uint64_t* a, const uint64_t* b) {
      const double position = asDouble(b[cells]);
      if (position >= 0) setEnd(a, cells, b[0], position, isFirst);
    };
  };
  forCells(Field::First, mergeEnd(true));
  forCells(Field::Last, mergeEnd(false));
}

}  // namespace zw
