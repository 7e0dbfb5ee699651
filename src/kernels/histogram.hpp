// Histograms: counts the values of a box by bins of equal width, or by ranges of ordered keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/accumulate.hpp"

namespace zw {

inline constexpr uint32_t kMaxBins = 1u << 20;

/// A checked request.
struct Histogram {
  enum class Kind : uint8_t {
    /// Bin i counts values from first + i * width up to first + (i + 1) * width, exclusive; the last
    /// one also first + bins * width if `includesEnd`. Other values are not counted.
    Linear,
    /// Bin i counts values for which (orderedKey >> shift) - base is i.
    Keys
  };
  ValueRule rule;
  Kind kind = Kind::Linear;
  bool includesEnd = false;
  uint32_t bins = 0;
  double first = 0;
  double width = 0;
  uint32_t shift = 0;
  uint64_t base = 0;
  size_t count = 0;  // elements
};

/// Bits of ordered keys: 32 for numbers of at most 32 bits (and values rounded to float32), else 64.
uint32_t keyBits(const ValueRule& rule);

/// Reads a request: [value rule, kind, 1 to include the end, bins, shift, number
/// of elements, number of missing values]. `tables` holds scale, offset, first, width, base (64-bit
/// integer), missing values.
Status readHistogram(WordReader& words, ByteView tables, Histogram& out);

/// Adds to `bins` counts, which are doubles. NaN and missing elements are not counted.
void runHistogram(const Histogram& request, const uint8_t* box, double* counts);

}  // namespace zw
