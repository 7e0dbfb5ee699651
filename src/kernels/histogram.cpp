#include "kernels/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "kernels/compensated.hpp"

namespace zw {
namespace {

constexpr uint32_t kTableWords = 5;  // scale, offset, first, width, base

/// Bits of a float as an integer of the same order; -0 comes before +0.
template <class Bits>
Bits orderedBits(Bits bits) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  return bits & kSign ? ~bits : bits | kSign;
}

uint64_t keyOf(const ValueRule& rule, const ValueBlock& block, size_t i) {
  const bool isNarrow = keyBits(rule) == 32;
  if (!rule.isExact()) {
    if (isNarrow) return orderedBits(bitCast<uint32_t>(static_cast<float>(block.values[i])));
    return orderedBits(asBits(block.values[i]));
  }
  const uint64_t sign = isSigned(rule.number) ? uint64_t{1} << (isNarrow ? 31 : 63) : 0;
  const uint64_t key = block.integers[i] ^ sign;
  return isNarrow ? key & 0xffffffff : key;
}

void countKeys(const Histogram& request, const ValueBlock& block, size_t count, double* counts) {
  for (size_t i = 0; i < count; i++) {
    if (!block.isValid[i] || std::isnan(block.values[i])) continue;
    const uint64_t bin = (keyOf(request.rule, block, i) >> request.shift) - request.base;
    if (bin < request.bins) counts[bin]++;
  }
}

/// Finds the bin by a division, whose error of one bin at most is corrected by the edges.
void countLinear(const Histogram& request, const ValueBlock& block, size_t count, double* counts) {
  const auto bins = static_cast<double>(request.bins);
  const auto edge = [&](double i) { return request.first + i * request.width; };
  const double end = edge(bins);
  for (size_t i = 0; i < count; i++) {
    const double value = block.values[i];
    const bool isInside =
        value >= request.first && (value < end || (request.includesEnd && value == end));
    if (!block.isValid[i] || !isInside) continue;
    double bin = std::min(std::floor((value - request.first) / request.width), bins - 1);
    if (value < edge(bin)) {
      bin = std::max(bin - 1, 0.0);
    } else if (bin + 1 < bins && value >= edge(bin + 1)) {
      bin++;
    }
    counts[static_cast<size_t>(bin)]++;
  }
}

}  // namespace

uint32_t keyBits(const ValueRule& rule) {
  if (rule.isDecoded) return rule.isFloat32 ? 32 : 64;
  return numberBytes(rule.number) == 8 ? 64 : 32;
}

Status readHistogram(WordReader& words, ByteView tables, Histogram& out) {
  out = {};
  ValueRule& rule = out.rule;
  if (Status s = readValueRule(words, rule)) return s;
  const uint32_t kind = words.next(), end = words.next();
  out.bins = words.next();
  out.shift = words.next();
  out.count = words.next();
  const uint32_t missing = words.next();
  if (!words.ok() || !words.atEnd() || kind > 1 || end > 1) return Code::BadParameters;
  if (out.bins == 0 || out.bins > kMaxBins || missing > kMaxMissing) return Code::LimitExceeded;
  if (out.shift >= keyBits(rule) || tables.size() != 8 * (kTableWords + missing)) {
    return Code::BadParameters;
  }
  const auto* numbers = reinterpret_cast<const uint64_t*>(tables.data());
  out.kind = static_cast<Histogram::Kind>(kind);
  out.includesEnd = end == 1;
  rule.scale = asDouble(numbers[0]);
  rule.offset = asDouble(numbers[1]);
  out.first = asDouble(numbers[2]);
  out.width = asDouble(numbers[3]);
  out.base = numbers[4];
  rule.missing = {numbers + kTableWords, missing};
  const double last = out.first + static_cast<double>(out.bins) * out.width;
  const bool isRange = std::isfinite(out.first) && std::isfinite(last) && out.width > 0;
  return out.kind == Histogram::Kind::Keys || isRange ? Status{} : Code::BadParameters;
}

void runHistogram(const Histogram& request, const uint8_t* box, double* counts) {
  const uint32_t width = numberBytes(request.rule.number);
  ValueBlock block;
  for (size_t at = 0; at < request.count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, request.count - at);
    loadValues(request.rule, box + at * width, n, block);
    if (request.kind == Histogram::Kind::Keys) {
      countKeys(request, block, n, counts);
    } else {
      countLinear(request, block, n, counts);
    }
  }
}

}  // namespace zw
