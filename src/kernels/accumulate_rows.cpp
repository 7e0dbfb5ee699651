// Each kernel adds eight rows to one vector of columns at a time: accumulators are loaded and stored once for
// eight vectors, and eight cache lines of rows whose distance is a power of two fit into one set of the
// cache. Types are few, to save size: integers of both signs share a kernel, which inverts the sign bit, and
// maxima are minima of inverted numbers.
#include "kernels/accumulate_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace zw {
namespace {

using simd::F32x4;
using simd::F64x2;
using simd::I32x4;
using simd::Lanes;
using simd::U32x4;
using simd::U64x2;
using simd::U8x16;

constexpr size_t kGroup = 8;

template <size_t count, class Kernel>
ZW_NOINLINE void addVectors(const Kernel& kernel, const uint8_t* p, const Rows& rows, size_t first,
                            size_t end) {
  const size_t step = rows.step, columnStep = rows.columnStep;
  for (size_t i = first; i < end; i++, p += columnStep) kernel.template add<count>(p, step, i);
}

/// Passes all vectors of rows to a kernel, in groups. The last bytes of rows are copied to whole vectors.
template <class Kernel>
void addRows(const Kernel& kernel, const Rows& rows) {
  const size_t whole = rows.bytes / 16, rest = rows.bytes % 16;
  for (size_t r = 0; r < rows.count;) {
    const uint8_t* p = rows.base + r * rows.step;
    const size_t count = rows.count - r >= kGroup ? kGroup : 1;
    const auto add = count == kGroup ? addVectors<kGroup, Kernel> : addVectors<1, Kernel>;
    add(kernel, p, rows, 0, whole);
    if (rest > 0) {
      uint8_t copy[16 * kGroup] = {};
      for (size_t k = 0; k < count; k++) {
        std::memcpy(copy + 16 * k, p + k * rows.step + 16 * whole, rest);
      }
      add(kernel, copy, {copy, 16, count, 16, 16}, whole, whole + 1);
    }
    r += count;
  }
}

template <class T>
ZW_INLINE Lanes<T> loadLanes(const uint8_t* p) {
  return (Lanes<T>)simd::load(p);
}
template <class T>
ZW_INLINE Lanes<T> allLanes(T x) {
  if constexpr (std::is_floating_point_v<T>) {  // 0 + -0 is not -0
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    return (Lanes<T>)(Lanes<Bits>{} + bitCast<Bits>(x));
  } else {
    return Lanes<T>{} + x;
  }
}

/// Calls `use` with an unsigned integer of the type's size.
template <class Use>
void withUnsigned(Number number, Use use) {
  switch (numberBytes(number)) {
    case 1:
      return use(uint8_t{});
    case 2:
      return use(uint16_t{});
    default:
      return use(uint32_t{});
  }
}

template <class T>
constexpr T signOf(Number number) {
  return isSigned(number) ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
}

/// Sums in lanes of twice the size. `checks`: with missing values and a limit.
template <class T, class Wide, bool checks>
struct IntegerSum {
  explicit IntegerSum(const RowRule& rule, Tile& to) : tile(to) {
    const T sign = signOf<T>(rule.number);
    flip = allLanes(static_cast<T>(rule.isInverted ? ~sign : sign));
    enabled = allLanes(static_cast<T>(rule.hasMissing ? ~T{0} : T{0}));
    missing = allLanes(static_cast<T>(rule.missing));
    lower = (Lanes<Wide>)simd::opaque((U8x16)allLanes(Wide{std::numeric_limits<T>::max()}));
  }

  template <size_t count>
  ZW_INLINE void add(const uint8_t* p, size_t step, size_t i) const {
    constexpr int kBits = 8 * sizeof(T);
    auto even = (Lanes<Wide>)tile.even[i], odd = (Lanes<Wide>)tile.odd[i];
    auto skipped = (Lanes<T>)tile.missing[i], top = (Lanes<T>)tile.top[i];
    ZW_UNROLL
    for (size_t k = 0; k < count; k++, p += step) {
      Lanes<T> v = loadLanes<T>(p);
      if constexpr (checks) {
        const auto is = (Lanes<T>)(v == missing) & enabled;
        skipped -= is;
        v = (v ^ flip) & ~is;
        top = top > v ? top : v;
      } else {
        v ^= flip;
      }
      even += (Lanes<Wide>)v & lower;
      odd += (Lanes<Wide>)v >> kBits;
    }
    tile.even[i] = (U8x16)even;
    tile.odd[i] = (U8x16)odd;
    if constexpr (checks) {
      tile.missing[i] = (U8x16)skipped;
      tile.top[i] = (U8x16)top;
    }
  }

  Tile& tile;
  Lanes<T> flip, enabled, missing;
  Lanes<Wide> lower;
};

/// T: floats count NaN, integers a missing value.
template <class T>
struct MissingCount {
  template <size_t count>
  ZW_INLINE void add(const uint8_t* p, size_t step, size_t i) const {
    using Count = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    using C = std::conditional_t<std::is_floating_point_v<T>, Count, T>;
    auto skipped = (Lanes<C>)tile.missing[i];
    ZW_UNROLL
    for (size_t k = 0; k < count; k++, p += step) {
      const Lanes<T> v = loadLanes<T>(p);
      if constexpr (std::is_floating_point_v<T>) {
        skipped -= (Lanes<C>)(v != v);
      } else {
        skipped -= (Lanes<C>)(v == missing);
      }
    }
    tile.missing[i] = (U8x16)skipped;
  }

  Tile& tile;
  Lanes<T> missing = {};
};

/// Minima of signed lanes, after inverting bits.
template <class T, bool checks>
struct IntegerBest {
  template <size_t count>
  ZW_INLINE void add(const uint8_t* p, size_t step, size_t i) const {
    auto least = (Lanes<T>)best[i] ^ flip;
    ZW_UNROLL
    for (size_t k = 0; k < count; k++, p += step) {
      Lanes<T> v = loadLanes<T>(p) ^ flip;
      if constexpr (checks) {
        const auto is = (Lanes<T>)(v == missing);
        v = (v & ~is) | (is & std::numeric_limits<T>::max());
      }
      least = least < v ? least : v;
    }
    best[i] = (U8x16)(least ^ flip);
  }

  U8x16* best;
  Lanes<T> flip, missing;
};

/// `missing`: counts of NaN; of doubles as 64 bits.
template <class T, bool skips>
struct FloatBest {
  template <size_t count>
  ZW_INLINE void add(const uint8_t* p, size_t step, size_t i) const {
    using Count = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    auto least = (Lanes<T>)(best[i] ^ flip);
    auto skipped = (Lanes<Count>)missing[i];
    ZW_UNROLL
    for (size_t k = 0; k < count; k++, p += step) {
      const auto v = (Lanes<T>)(simd::load(p) ^ flip);
      if constexpr (skips) skipped -= (Lanes<Count>)(v != v);
      least = skips ? simd::lesser<T>(least, v) : simd::lesserOrNaN<T>(least, v);
    }
    best[i] = (U8x16)least ^ flip;
    if constexpr (skips) missing[i] = (U8x16)skipped;
  }

  U8x16* best;
  U8x16 flip;
  U8x16* missing;
};

struct PairLanes {
  F64x2 high;
  F64x2 low;

  PairLanes(const Tile& tile, size_t i)
      : high((F64x2)simd::load(reinterpret_cast<const uint8_t*>(tile.high + 2 * i))),
        low((F64x2)simd::load(reinterpret_cast<const uint8_t*>(tile.low + 2 * i))) {}
  ZW_INLINE void add(F64x2 x) {
    const F64x2 sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  ZW_INLINE void store(Tile& tile, size_t i) const {
    simd::store(reinterpret_cast<uint8_t*>(tile.high + 2 * i), (U8x16)high);
    simd::store(reinterpret_cast<uint8_t*>(tile.low + 2 * i), (U8x16)low);
  }
};

template <bool skips>
struct DoubleSum {
  template <size_t count>
  ZW_INLINE void add(const uint8_t* p, size_t step, size_t i) const {
    PairLanes sum(tile, i);
    auto skipped = (U64x2)tile.missing[i];
    ZW_UNROLL
    for (size_t k = 0; k < count; k++, p += step) {
      auto x = loadLanes<double>(p);
      if constexpr (skips) {
        const auto isNaN = (U64x2)(x != x);
        skipped -= isNaN;
        x = (F64x2)((U64x2)x & ~isNaN);
      }
      sum.add(x);
    }
    sum.store(tile, i);
    if constexpr (skips) tile.missing[i] = (U8x16)skipped;
  }

  Tile& tile;
};

/// The two floats at p as doubles. The compiler would make a shuffle of the load of the upper ones, which
/// is slow.
ZW_INLINE F64x2 doublesAt(const uint8_t* p) {
  asm("" : "+r"(p));
  return simd::toDoubles((F32x4)simd::loadLow<8>(p));
}

/// Adds eight floats per lane as doubles, which is exact if their exponents differ by at most 26: all
/// partial sums are then multiples of the lowest bit, and below 2^53 times that bit. Other floats are
/// added one by one.
template <bool skips>
struct FloatSum {
  template <size_t count>
  ZW_INLINE void add(const uint8_t* p, size_t step, size_t i) const {
    U32x4 top = {}, low = ~U32x4{};
    F64x2 a = {}, b = {};
    const uint8_t* q = p;
    ZW_UNROLL
    for (size_t k = 0; k < count; k++, q += step) {
      const U32x4 size = (U32x4)simd::load(q) & sizeBits,
                  below = size - 1;  // 0 is above all others
      top = top > size ? top : size;
      low = low < below ? low : below;
      a += doublesAt(q);
      b += doublesAt(q + 8);
    }
    const I32x4 range = (I32x4)(top >> 23) - (I32x4)(low >> 23);
    const auto bad = (U64x2)((U32x4)(range > 26) | (U32x4)(top >= infinity));
    if ((bad[0] | bad[1]) != 0) return addOneByOne(p, step, count, i);
    PairLanes first(tile, 2 * i), second(tile, 2 * i + 1);
    first.add(a);
    second.add(b);
    first.store(tile, 2 * i);
    second.store(tile, 2 * i + 1);
  }

  ZW_NOINLINE void addOneByOne(const uint8_t* p, size_t step, size_t count, size_t i) const {
    PairLanes first(tile, 2 * i), second(tile, 2 * i + 1);
    auto skipped = (U32x4)tile.missing[i];
    for (size_t k = 0; k < count; k++, p += step) {
      const auto v = (F32x4)simd::load(p);
      if constexpr (skips) skipped -= (U32x4)(v != v);
      const auto mask = [](F64x2 x) { return skips ? (F64x2)((U64x2)x & (U64x2)(x == x)) : x; };
      first.add(mask(doublesAt(p)));
      second.add(mask(doublesAt(p + 8)));
    }
    first.store(tile, 2 * i);
    second.store(tile, 2 * i + 1);
    tile.missing[i] = (U8x16)skipped;
  }

  Tile& tile;
  U32x4 sizeBits = (U32x4)simd::opaque((U8x16)allLanes(uint32_t{0x7fffffff}));
  U32x4 infinity = (U32x4)simd::opaque((U8x16)allLanes(uint32_t{0x7f800000}));
};

/// Beyond all integers of 32 bits.
constexpr int64_t kFar = int64_t{1} << 40;

/// Limits integers to those that decode to values of the sign of the offset, at least half as large as
/// the product: the sum of these values is the scale times the sum of the integers, plus offsets, within
/// 3 ulp.
bool limitRange(const ValueRule& rule, RowRule& out) {
  const double scale = rule.scale, offset = rule.offset;
  if (rule.isFloat32 || !std::isfinite(scale) || !std::isfinite(offset) || scale == 0) return false;
  constexpr auto kEnd = static_cast<double>(kFar);
  const double end = std::clamp(-offset / scale * (2.0 / 3), -kEnd, kEnd);
  out.isInverted = (offset < 0) == (scale < 0);
  out.limit = static_cast<int64_t>(out.isInverted ? std::ceil(end) : std::floor(end));
  out.isLimited = true;
  return true;
}

bool isSupported(const ValueRule& rule) {
  const Number number = rule.number;
  if (number == Number::Float16 || number == Number::Int64 || number == Number::Uint64) {
    return false;
  }
  if (isFloat(number)) return rule.missing.empty() && !rule.isDecoded;
  return rule.missing.size() <= 1 && (!rule.isDecoded || rule.skipsNaN || rule.missing.empty());
}

/// Whether a number of the type, extended to 64 bits, can be equal.
bool isOfType(uint64_t bits, Number number) {
  const uint32_t shift = 64 - 8 * numberBytes(number);
  const uint64_t upper = bits << shift;
  return bits == (isSigned(number) ? static_cast<uint64_t>(static_cast<int64_t>(upper) >> shift)
                                   : upper >> shift);
}

}  // namespace

bool makeRowRule(const ValueRule& rule, RowRule& out) {
  if (!isSupported(rule)) return false;
  out = {};
  out.number = rule.number;
  out.skipsNaN = rule.skipsNaN;
  out.missing = rule.missing.empty() ? 0 : rule.missing[0];
  out.hasMissing = !rule.missing.empty() && isOfType(out.missing, rule.number);
  // Small integers without scale and offset do not change.
  const bool changes = rule.scale != 1 || rule.offset != 0 || numberBytes(rule.number) > 2;
  return !rule.isDecoded || !changes || limitRange(rule, out);
}

void sumIntegerRows(const RowRule& rule, const Rows& rows, Tile& tile) {
  withUnsigned(rule.number, [&](auto number) {
    using T = decltype(number);
    using Wide = std::conditional_t<sizeof(T) == 1, uint16_t,
                                    std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>>;
    if (rule.hasMissing || rule.isLimited) {
      addRows(IntegerSum<T, Wide, true>(rule, tile), rows);
    } else {
      addRows(IntegerSum<T, Wide, false>(rule, tile), rows);
    }
  });
}

void sumFloatRows(const RowRule& rule, const Rows& rows, Tile& tile) {
  if (rule.number == Number::Float64) {
    rule.skipsNaN ? addRows(DoubleSum<true>{tile}, rows) : addRows(DoubleSum<false>{tile}, rows);
  } else {
    rule.skipsNaN ? addRows(FloatSum<true>{tile}, rows) : addRows(FloatSum<false>{tile}, rows);
  }
}

void countMissing(const RowRule& rule, const Rows& rows, Tile& tile) {
  if (rule.number == Number::Float32) return addRows(MissingCount<float>{tile}, rows);
  if (rule.number == Number::Float64) return addRows(MissingCount<double>{tile}, rows);
  withUnsigned(rule.number, [&](auto number) {
    using T = decltype(number);
    addRows(MissingCount<T>{tile, allLanes(static_cast<T>(rule.missing))}, rows);
  });
}

namespace {

template <class T>
void bestOfFloats(bool skips, bool isMin, const Rows& rows, U8x16* best, U8x16* missing) {
  const auto flip = (U8x16)allLanes<T>(isMin ? T{0} : T{-0.0});
  if (rows.count == 0) {
    const T worst =
        isMin ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    std::fill(best, best + (rows.bytes + 15) / 16, (U8x16)allLanes<T>(worst));
  } else if (skips) {
    addRows(FloatBest<T, true>{best, flip, missing}, rows);
  } else {
    addRows(FloatBest<T, false>{best, flip, missing}, rows);
  }
}

template <class U>
void bestOfIntegers(const RowRule& rule, bool isMin, const Rows& rows, U8x16* best) {
  using T = std::make_signed_t<U>;
  const U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  const U order = isSigned(rule.number) ? U{0} : sign;  // as signed numbers
  const auto flip = static_cast<T>(isMin ? order : static_cast<U>(~order));
  if (rows.count == 0) {
    const T worst = static_cast<T>(std::numeric_limits<T>::max() ^ flip);
    std::fill(best, best + (rows.bytes + 15) / 16, (U8x16)allLanes<T>(worst));
    return;
  }
  const auto missing = static_cast<T>(static_cast<T>(rule.missing) ^ flip);
  if (rule.hasMissing) {
    addRows(IntegerBest<T, true>{best, allLanes<T>(flip), allLanes<T>(missing)}, rows);
  } else {
    addRows(IntegerBest<T, false>{best, allLanes<T>(flip), allLanes<T>(missing)}, rows);
  }
}

}  // namespace

void bestOfRows(const RowRule& rule, bool isMin, const Rows& rows, U8x16* best, U8x16* missing) {
  if (rule.number == Number::Float32) {
    return bestOfFloats<float>(rule.skipsNaN, isMin, rows, best, missing);
  }
  if (rule.number == Number::Float64) {
    return bestOfFloats<double>(rule.skipsNaN, isMin, rows, best, missing);
  }
  withUnsigned(rule.number,
               [&](auto number) { bestOfIntegers<decltype(number)>(rule, isMin, rows, best); });
}

}  // namespace zw
