// Loads elements as values: decoded, with missing ones marked.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/accumulate.hpp"
#include "kernels/compensated.hpp"

namespace zw {
namespace {

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

}  // namespace zw
