// Means of blocks.
//
// Pairs of narrow integers are the halves of lanes of twice their width, in which they are added
// and rounded. All other numbers of up to 32 bits go through double, which holds the sums of
// integers exactly.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/bytes.hpp"
#include "kernels/reduce.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::F32x4;
using simd::F64x2;
using simd::Lanes;
using simd::U8x16;

/// Adding and subtracting it rounds a double below 2^51 to an integer, ties to even.
constexpr double kRounding = 0x1.8p52;

/// Sums of the pairs in a vector of signed integers, in lanes of twice their width.
template <class Narrow, class Wide>
ZW_INLINE Lanes<Wide> pairSums(Lanes<Narrow> v) {
  constexpr int kBits = 8 * sizeof(Narrow);
  const auto pairs = (Lanes<Wide>)v;
  return ((pairs << kBits) >> kBits) + (pairs >> kBits);
}

/// Sums divided by 2^shift, ties to even.
template <class Wide>
ZW_INLINE Lanes<Wide> divided(Lanes<Wide> sums, int shift) {
  const auto half = static_cast<Wide>((1 << (shift - 1)) - 1);
  const Lanes<Wide> odd = simd::shiftRight<Wide>(sums, shift) & Wide{1};
  return simd::shiftRight<Wide>(sums + half + odd, shift);
}

/// Means of blocks of two along the row, in a power of two of rows that keeps sums within a wide
/// lane. Returns the number of blocks done.
template <class Narrow, class Wide>
size_t meanOfPairs(const ReduceRow& row, bool hasSign) {
  constexpr size_t kItems = 16 / sizeof(Narrow), kMaxRows = sizeof(Narrow) == 1 ? 64 : kMaxBlock;
  using Vector = Lanes<Narrow>;
  if (row.factor != 2 || !std::has_single_bit(row.rowCount) || row.rowCount > kMaxRows) return 0;
  // Subtracts an even number from unsigned integers, which keeps ties even; added to the means.
  const Narrow lowest = hasSign ? Narrow{0} : std::numeric_limits<Narrow>::min();
  const Vector flip = Vector{} + lowest;
  const int shift = std::countr_zero(row.rowCount) + 1;
  size_t i = 0;
  for (; 2 * (i + kItems) <= row.length; i += kItems) {
    Lanes<Wide> low = {}, high = {};
    ZW_NO_UNROLL
    for (size_t r = 0; r < row.rowCount; r++) {
      const uint8_t* p = row.rows[r] + 2 * i * sizeof(Narrow);
      low += pairSums<Narrow, Wide>((Vector)simd::load(p) ^ flip);
      high += pairSums<Narrow, Wide>((Vector)simd::load(p + 16) ^ flip);
    }
    const U8x16 means = simd::evenLanes<sizeof(Narrow)>((U8x16)divided<Wide>(low, shift),
                                                        (U8x16)divided<Wide>(high, shift));
    simd::store(row.out + i * sizeof(Narrow), means ^ (U8x16)flip);
  }
  return i;
}

double meanOfBlock(Number number, const ReduceRow& row, size_t first, size_t width, size_t part);

/// The same for float32. Adds a block's numbers one by one, as doubles, to -0, which changes none.
size_t meanOfFloatPairs(const ReduceRow& row) {
  if (row.factor != 2 || !std::has_single_bit(row.rowCount)) return 0;
  const double share = 0.5 / static_cast<double>(row.rowCount);  // exact
  F64x2 check = {};                                              // NaN if a sum is not finite
  size_t i = 0;
  for (; 2 * (i + 4) <= row.length; i += 4) {
    F64x2 low = {-0.0, -0.0}, high = low;
    ZW_NO_UNROLL
    for (size_t r = 0; r < row.rowCount; r++) {
      const uint8_t* p = row.rows[r] + 8 * i;
      const U8x16 a = simd::load(p), b = simd::load(p + 16);
      const U8x16 even = simd::evenLanes<4>(a, b), odd = simd::oddLanes<4>(a, b);
      low += simd::toDoubles((F32x4)even);
      high += simd::toDoubles((F32x4)simd::zipHigh<8>(even, even));
      low += simd::toDoubles((F32x4)odd);
      high += simd::toDoubles((F32x4)simd::zipHigh<8>(odd, odd));
    }
    check += (low - low) + (high - high);
    simd::store(row.out + 4 * i, (U8x16)simd::toFloats(low * share, high * share));
  }
  if (check[0] == 0 && check[1] == 0) return i;
  for (size_t k = 0; k < i; k++) {
    if (std::isfinite(load<float>(row.out + 4 * k))) continue;
    const double mean = meanOfBlock(Number::Float32, row, 2 * k, 1, 0);
    store(row.out + 4 * k, static_cast<float>(mean));
  }
  return i;
}

size_t meanOfPairs(const ReduceElement& element, const ReduceRow& row) {
  const bool hasSign = isSigned(element.number);
  switch (element.number) {
    case Number::Int8:
    case Number::Uint8:
      return meanOfPairs<int8_t, int16_t>(row, hasSign);
    case Number::Int16:
    case Number::Uint16:
      return meanOfPairs<int16_t, int32_t>(row, hasSign);
    case Number::Int32:
    case Number::Uint32:
      return meanOfPairs<int32_t, int64_t>(row, hasSign);
    case Number::Float32:
      return element.toOdd || element.itemBytes != 4 ? 0 : meanOfFloatPairs(row);
    default:
      return 0;
  }
}

/// Adds the numbers of each block to the block's sum, one by one.
void addBlocks(const double* numbers, size_t blocks, size_t factor, bool isFirst, double* sums) {
  size_t i = 0;
  if (factor == 2) {
    for (; i + 2 <= blocks; i += 2) {
      const auto* p = reinterpret_cast<const uint8_t*>(numbers + 2 * i);
      auto* out = reinterpret_cast<uint8_t*>(sums + i);
      const U8x16 a = simd::load(p), b = simd::load(p + 16);
      F64x2 sum = (F64x2)simd::evenLanes<8>(a, b);
      if (!isFirst) sum = (F64x2)simd::load(out) + sum;
      simd::store(out, (U8x16)(sum + (F64x2)simd::oddLanes<8>(a, b)));
    }
  }
  for (; i < blocks; i++) {
    const double* p = numbers + i * factor;
    double sum = isFirst ? p[0] : sums[i] + p[0];
    ZW_SCALAR_LOOP
    for (size_t k = 1; k < factor; k++) sum += p[k];
    sums[i] = sum;
  }
}

/// The sum of a block's numbers, each divided by `share`, without NaNs.
struct BlockSum {
  double sum = std::numeric_limits<double>::quiet_NaN();
  size_t count = 0;
  bool areFinite = true;

  void add(double value, double share) {
    if (std::isnan(value)) return;
    sum = count++ == 0 ? value / share : sum + value / share;
    areFinite &= std::isfinite(value);
  }
};

/// One of the numbers (`part`) of each element of one block, element by element.
BlockSum sumOfBlock(Number number, const ReduceRow& row, size_t first, size_t width, size_t part,
                    double share) {
  BlockSum sum;
  const size_t length = row.blockLength(first) * width;
  for (size_t r = 0; r < row.rowCount; r++) {
    const uint8_t* p = row.rows[r] + first * width * numberBytes(number);
    for (size_t at = 0; at < length; at += kNumberBlock) {
      double values[kNumberBlock];
      const size_t n = std::min(kNumberBlock, length - at);
      loadDoubles(number, p + at * numberBytes(number), n, values);
      ZW_SCALAR_LOOP
      for (size_t k = part; k < n; k += width) sum.add(values[k], share);
    }
  }
  return sum;
}

double meanOfBlock(Number number, const ReduceRow& row, size_t first, size_t width, size_t part) {
  const BlockSum all = sumOfBlock(number, row, first, width, part, 1);
  const auto count = static_cast<double>(std::max<size_t>(all.count, 1));
  const bool overflows = all.areFinite && all.count > 0 && !std::isfinite(all.sum);
  // The sum of finite numbers may exceed the range of double, but their mean does not.
  const double mean =
      overflows ? sumOfBlock(number, row, first, width, part, count).sum : all.sum / count;
  return std::isnan(mean) ? std::numeric_limits<double>::quiet_NaN() : mean;
}

double roundToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = bitCast<uint32_t>(nearest);
  if (nearest == value || !std::isfinite(nearest) || (bits & 1) != 0) return nearest;
  return bitCast<float>(std::fabs(nearest) < std::fabs(value) ? bits + 1 : bits - 1);
}

void storeMeans(const ReduceElement& element, double* means, size_t count, uint8_t* out) {
  if (!isFloat(element.number)) {
    ZW_SCALAR_LOOP
    for (size_t i = 0; i < count; i++) means[i] = means[i] + kRounding - kRounding;
  } else if (element.toOdd) {
    ZW_SCALAR_LOOP
    for (size_t i = 0; i < count; i++) means[i] = roundToOdd(means[i]);
  }
  storeDoubles(element.number, means, count, out);
}

/// Means of whole blocks of single numbers, of which at most kNumberBlock are loaded at a time.
void meanOfWholeBlocks(const ReduceElement& element, const ReduceRow& row, size_t first,
                       size_t blocks) {
  const uint32_t bytes = element.itemBytes;
  double numbers[kNumberBlock], means[kNumberBlock];
  for (size_t r = 0; r < row.rowCount; r++) {
    loadDoubles(element.number, row.rows[r] + first * row.factor * bytes, blocks * row.factor,
                numbers);
    addBlocks(numbers, blocks, row.factor, r == 0, means);
  }
  const auto size = static_cast<double>(row.rowCount * row.factor);
  ZW_SCALAR_LOOP
  for (size_t i = 0; i < blocks; i++) {
    means[i] = std::isfinite(means[i])
                   ? means[i] / size
                   : meanOfBlock(element.number, row, (first + i) * row.factor, 1, 0);
  }
  storeMeans(element, means, blocks, row.out + first * bytes);
}

/// Means of integers of 64 bits, by their halves: sums of kMaxBlock halves stay below 2^44.
template <class Int>
void meanOfWide(const ReduceRow& row) {
  using Half = std::conditional_t<std::is_signed_v<Int>, int32_t, uint32_t>;
  for (size_t i = 0; i * row.factor < row.length; i++) {
    const size_t first = i * row.factor, size = row.blockLength(first);
    int64_t lows = 0, highs = 0;
    for (size_t r = 0; r < row.rowCount; r++) {
      const uint8_t* p = row.rows[r] + 8 * first;
      ZW_SCALAR_LOOP
      for (size_t k = 0; k < size; k++, p += 8) {
        lows += load<uint32_t>(p);
        highs += load<Half>(p + 4);
      }
    }
    const auto count = static_cast<int64_t>(row.rowCount * size);
    const int64_t upper = highs / count - (highs % count < 0);  // rounded down
    const int64_t rest = ((highs - upper * count) << 32) + lows;
    int64_t lower = rest / count;
    const int64_t twice = 2 * (rest - lower * count);
    if (twice > count || (twice == count && lower % 2 != 0)) lower++;
    store(row.out + 8 * i, (static_cast<uint64_t>(upper) << 32) + static_cast<uint64_t>(lower));
  }
}

}  // namespace

void meanRow(const ReduceElement& element, const ReduceRow& row) {
  if (element.number == Number::Int64) return meanOfWide<int64_t>(row);
  if (element.number == Number::Uint64) return meanOfWide<uint64_t>(row);
  const size_t width = element.itemBytes / numberBytes(element.number);
  const size_t whole = row.length / row.factor;
  size_t i = meanOfPairs(element, row);
  if (width == 1 && row.factor <= kNumberBlock) {
    for (const size_t most = kNumberBlock / row.factor; i < whole;) {
      const size_t count = std::min(most, whole - i);
      meanOfWholeBlocks(element, row, i, count);
      i += count;
    }
  }
  for (; i * row.factor < row.length; i++) {
    double means[2];
    for (size_t part = 0; part < width; part++) {
      means[part] = meanOfBlock(element.number, row, i * row.factor, width, part);
    }
    storeMeans(element, means, width, row.out + i * element.itemBytes);
  }
}

}  // namespace zw
