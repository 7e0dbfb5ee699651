// Most loops are written for the compiler's vectoriser: columns are independent, and four rows are added
// at a time, so that accumulators are loaded and stored once for four numbers.
#include "kernels/accumulate_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::F32x4;
using simd::F64x2;
using simd::U32x4;
using simd::U64x2;
using simd::U8x16;

/// Calls `use` with a number of the rule's type.
template <class Use>
auto withNumber(Number number, Use use) {
  switch (number) {
    case Number::Int8:
      return use(int8_t{});
    case Number::Int16:
      return use(int16_t{});
    case Number::Int32:
      return use(int32_t{});
    case Number::Uint16:
      return use(uint16_t{});
    case Number::Uint32:
      return use(uint32_t{});
    case Number::Float32:
      return use(float{});
    case Number::Float64:
      return use(double{});
    default:
      return use(uint8_t{});
  }
}

/// Replaces accumulators by add(accumulator, number) for each row.
template <class T, class A, class Add>
ZW_INLINE void addRows(const Rows& rows, A* __restrict out, Add add) {
  size_t r = 0;
  for (; r + 4 <= rows.count; r += 4) {
    const T* a = reinterpret_cast<const T*>(rows.base + r * rows.step);
    const T* b = reinterpret_cast<const T*>(rows.base + (r + 1) * rows.step);
    const T* c = reinterpret_cast<const T*>(rows.base + (r + 2) * rows.step);
    const T* d = reinterpret_cast<const T*>(rows.base + (r + 3) * rows.step);
    for (size_t i = 0; i < rows.columns; i++) {
      out[i] = add(add(add(add(out[i], a[i]), b[i]), c[i]), d[i]);
    }
  }
  for (; r < rows.count; r++) {
    const T* a = reinterpret_cast<const T*>(rows.base + r * rows.step);
    for (size_t i = 0; i < rows.columns; i++) out[i] = add(out[i], a[i]);
  }
}

/// Calls `use` with the missing value of integers, and whether there is one.
template <class T, class Use>
auto withMissing(const ValueRule& rule, Use use) {
  if (rule.missing.empty()) return use(T{}, std::false_type{});
  return use(static_cast<T>(rule.missing[0]), std::true_type{});
}

template <size_t bytes>
using Unsigned = std::conditional_t<
    bytes == 1, uint8_t, std::conditional_t<bytes == 2, uint16_t, uint32_t>>;

ZW_INLINE bool anyTrue(U32x4 v) {
  const auto halves = (U64x2)v;
  return (halves[0] | halves[1]) != 0;
}

struct Lanes2 {
  F64x2 high;
  F64x2 low;

  ZW_INLINE void add(F64x2 x) {
    const F64x2 sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
};

ZW_INLINE F64x2 loadDoubles2(const double* p) {
  return (F64x2)simd::load(reinterpret_cast<const uint8_t*>(p));
}
ZW_INLINE void storeDoubles2(double* p, F64x2 v) {
  simd::store(reinterpret_cast<uint8_t*>(p), (U8x16)v);
}

template <bool skips>
ZW_INLINE F64x2 masked(F64x2 x) {
  if constexpr (skips) return (F64x2)((U64x2)x & (U64x2)(x == x));
  return x;
}

/// Rows that are added at a time.
constexpr size_t kGroup = 8;

template <bool skips, size_t fixed>
ZW_INLINE void addDoubles(const uint8_t* p, size_t step, size_t count, Lanes2& sum) {
  const size_t n = fixed ? fixed : count;
  for (size_t k = 0; k < n; k++, p += step) sum.add(masked<skips>((F64x2)simd::load(p)));
}

template <bool skips>
size_t sumOfDoubles(const Rows& rows, double* high, double* low) {
  size_t i = 0;
  for (size_t r = 0; r < rows.count; r += kGroup) {
    const size_t count = std::min(kGroup, rows.count - r);
    for (i = 0; i + 2 <= rows.columns; i += 2) {
      const uint8_t* p = rows.base + r * rows.step + 8 * i;
      Lanes2 sum{loadDoubles2(high + i), loadDoubles2(low + i)};
      if (count == kGroup) {
        addDoubles<skips, kGroup>(p, rows.step, count, sum);
      } else {
        addDoubles<skips, 0>(p, rows.step, count, sum);
      }
      storeDoubles2(high + i, sum.high);
      storeDoubles2(low + i, sum.low);
    }
  }
  return i;
}

ZW_INLINE F64x2 upperDoubles(U8x16 v) {
  return simd::toDoubles((F32x4)simd::zipHigh<8>(v, v));
}

template <bool skips>
ZW_INLINE U8x16 maskedFloats(U8x16 v) {
  if constexpr (skips) return v & (U8x16)((F32x4)v == (F32x4)v);
  return v;
}

/// Sums of up to 8 floats per lane as doubles. These are exact if the exponents of the numbers differ by at
/// most 26: all partial sums are then multiples of the lowest bit below 2^53 times that bit. False if
/// not, or if a number is not finite.
template <bool skips, size_t fixed>
ZW_INLINE bool sumExactly(const uint8_t* p, size_t step, size_t count, F64x2& a, F64x2& b) {
  constexpr uint32_t kSize = 0x7fffffff, kInfinity = 0x7f800000;
  U32x4 top = {}, low = ~U32x4{};
  a = b = F64x2{};
  const size_t n = fixed ? fixed : count;
  for (size_t k = 0; k < n; k++, p += step) {
    const U8x16 v = maskedFloats<skips>(simd::load(p));
    const U32x4 size = (U32x4)v & kSize, below = size - 1;  // 0 is above all others
    top = top > size ? top : size;
    low = low < below ? low : below;
    if constexpr (skips) {
      a += simd::toDoubles((F32x4)v);
      b += upperDoubles(v);
    } else {  // loads are cheaper than shuffles
      a += simd::toDoubles((F32x4)simd::loadLow<8>(p));
      b += simd::toDoubles((F32x4)simd::loadLow<8>(p + 8));
    }
  }
  using simd::I32x4;
  const I32x4 range = (I32x4)(top >> 23) - (I32x4)(low >> 23);
  return !anyTrue((U32x4)(range > 26) | (U32x4)(top >= kInfinity));
}

template <bool skips>
ZW_NOINLINE void sumOneByOne(const uint8_t* p, size_t step, size_t count, Lanes2& a, Lanes2& b) {
  for (size_t k = 0; k < count; k++, p += step) {
    const U8x16 v = maskedFloats<skips>(simd::load(p));
    a.add(simd::toDoubles((F32x4)v));
    b.add(upperDoubles(v));
  }
}

template <bool skips>
size_t sumOfFloats(const Rows& rows, double* high, double* low) {
  size_t i = 0;
  for (size_t r = 0; r < rows.count; r += kGroup) {
    const size_t count = std::min(kGroup, rows.count - r);
    const uint8_t* base = rows.base + r * rows.step;
    for (i = 0; i + 4 <= rows.columns; i += 4) {
      const uint8_t* p = base + 4 * i;
      F64x2 a, b;
      bool isExact = count == kGroup ? sumExactly<false, kGroup>(p, rows.step, count, a, b)
                                     : sumExactly<false, 0>(p, rows.step, count, a, b);
      if (skips && !isExact) isExact = sumExactly<true, 0>(p, rows.step, count, a, b);
      Lanes2 sumA{loadDoubles2(high + i), loadDoubles2(low + i)};
      Lanes2 sumB{loadDoubles2(high + i + 2), loadDoubles2(low + i + 2)};
      if (isExact) {
        sumA.add(a);
        sumB.add(b);
      } else {
        sumOneByOne<skips>(p, rows.step, count, sumA, sumB);
      }
      storeDoubles2(high + i, sumA.high);
      storeDoubles2(low + i, sumA.low);
      storeDoubles2(high + i + 2, sumB.high);
      storeDoubles2(low + i + 2, sumB.low);
    }
  }
  return i;
}

/// The lesser (greater) number of each lane; a if b is NaN.
template <bool isMin, class T>
ZW_INLINE simd::Lanes<T> better(simd::Lanes<T> a, const T* b) {
  const auto v = (simd::Lanes<T>)simd::load(reinterpret_cast<const uint8_t*>(b));
  return isMin ? simd::lesser<T>(a, v) : simd::greater<T>(a, v);
}

template <bool isMin, class T>
void bestFloats(const Rows& rows, T* __restrict out) {
  constexpr size_t kLanes = 16 / sizeof(T);
  const auto at = [&](size_t r) { return reinterpret_cast<const T*>(rows.base + r * rows.step); };
  const size_t whole = rows.columns / kLanes * kLanes;
  for (size_t r = 0; r < rows.count; r += 4) {
    // Repeats the last row.
    const size_t last = rows.count - 1;
    const T *a = at(r), *b = at(std::min(r + 1, last)), *c = at(std::min(r + 2, last)),
            *d = at(std::min(r + 3, last));
    for (size_t i = 0; i < whole; i += kLanes) {
      auto* to = reinterpret_cast<uint8_t*>(out + i);
      auto v = better<isMin, T>((simd::Lanes<T>)simd::load(to), a + i);
      v = better<isMin, T>(v, b + i);
      v = better<isMin, T>(v, c + i);
      v = better<isMin, T>(v, d + i);
      simd::store(to, (U8x16)v);
    }
    for (size_t i = whole; i < rows.columns; i++) {
      for (const T x : {a[i], b[i], c[i], d[i]}) {
        if (isMin ? x < out[i] : x > out[i]) out[i] = x;
      }
    }
  }
}

template <class T>
void bestFloats(bool isMin, const Rows& rows, T* out) {
  if (isMin) {
    bestFloats<true>(rows, out);
  } else {
    bestFloats<false>(rows, out);
  }
}

}  // namespace

bool hasRowKernels(const ValueRule& rule) {
  if (rule.number == Number::Float16 || rule.number == Number::Int64 ||
      rule.number == Number::Uint64) {
    return false;
  }
  if (isFloat(rule.number)) return rule.missing.empty() && !rule.isDecoded;
  return rule.missing.size() <= 1 && (!rule.isDecoded || rule.skipsNaN || rule.missing.empty());
}

void countSkipped(const ValueRule& rule, const Rows& rows, uint32_t* skipped) {
  withNumber(rule.number, [&](auto number) {
    using T = decltype(number);
    using Count = Unsigned<sizeof(T) == 8 ? 4 : sizeof(T)>;
    Count counts[kTile] = {};
    if constexpr (std::is_floating_point_v<T>) {
      addRows<T>(rows, counts, [](Count n, T x) { return static_cast<Count>(n + (x != x)); });
    } else {
      const T missing = static_cast<T>(rule.missing[0]);
      addRows<T>(rows, counts, [=](Count n, T x) { return static_cast<Count>(n + (x == missing)); });
    }
    for (size_t i = 0; i < rows.columns; i++) skipped[i] += counts[i];
  });
}

size_t sumFloatRows(const ValueRule& rule, const Rows& rows, double* high, double* low) {
  if (rule.number == Number::Float32) {
    return rule.skipsNaN ? sumOfFloats<true>(rows, high, low) : sumOfFloats<false>(rows, high, low);
  }
  return rule.skipsNaN ? sumOfDoubles<true>(rows, high, low) : sumOfDoubles<false>(rows, high, low);
}

void sumIntegerRows(const ValueRule& rule, const Rows& rows, int64_t* sums) {
  withNumber(rule.number, [&](auto number) {
    using T = decltype(number);
    if constexpr (!std::is_floating_point_v<T>) {
      withMissing<T>(rule, [&](T missing, auto has) {
        using Sum = std::conditional_t<
            sizeof(T) == 4, int64_t,
            std::conditional_t<sizeof(T) == 2, int32_t,
                               std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>>>;
        Sum narrow[kTile] = {};
        addRows<T>(rows, narrow, [missing](Sum sum, T x) {
          if constexpr (decltype(has)::value) x = x == missing ? T{0} : x;
          return static_cast<Sum>(sum + x);
        });
        for (size_t i = 0; i < rows.columns; i++) sums[i] += narrow[i];
      });
    }
  });
}

void startBest(const ValueRule& rule, bool isMin, size_t columns, void* best) {
  withNumber(rule.number, [&](auto number) {
    using T = decltype(number);
    using Limits = std::numeric_limits<T>;
    T* out = static_cast<T*>(best);
    T worst = isMin ? Limits::max() : Limits::min();
    if constexpr (std::is_floating_point_v<T>) worst = isMin ? Limits::infinity() : -Limits::infinity();
    std::fill(out, out + columns, worst);
  });
}

void bestOfRows(const ValueRule& rule, bool isMin, const Rows& rows, void* best) {
  withNumber(rule.number, [&](auto number) {
    using T = decltype(number);
    T* out = static_cast<T*>(best);
    const auto run = [&](auto isBetter) {
      if constexpr (std::is_floating_point_v<T>) {
        if (rule.skipsNaN) {
          bestFloats(isMin, rows, out);
        } else {
          addRows<T>(rows, out, [=](T y, T x) { return isBetter(x, y) || x != x ? x : y; });
        }
      } else {
        withMissing<T>(rule, [&](T missing, auto has) {
          addRows<T>(rows, out, [=](T y, T x) {
            if constexpr (decltype(has)::value) return isBetter(x, y) && x != missing ? x : y;
            return isBetter(x, y) ? x : y;
          });
        });
      }
    };
    if (isMin) {
      run([](T x, T y) { return x < y; });
    } else {
      run([](T x, T y) { return x > y; });
    }
  });
}

bool areInside(const ValueRule& rule, const Rows& rows, int64_t low, int64_t high) {
  return withNumber(rule.number, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_floating_point_v<T>) {
      return false;
    } else {
      using Limits = std::numeric_limits<T>;
      const auto clamped = [](int64_t x) {
        return static_cast<T>(std::clamp<int64_t>(x, Limits::min(), Limits::max()));
      };
      if (low > high || low > Limits::max() || high < Limits::min()) return false;
      using U = Unsigned<sizeof(T)>;
      const T min = clamped(low);
      const U range = static_cast<U>(clamped(high) - min);
      return withMissing<T>(rule, [&](T missing, auto has) {
        U outside[kTile] = {};
        addRows<T>(rows, outside, [=](U found, T x) {
          bool is = static_cast<U>(x - min) > range;
          if constexpr (decltype(has)::value) is &= x != missing;
          return static_cast<U>(found | (is ? 1 : 0));
        });
        U any = 0;
        for (size_t i = 0; i < rows.columns; i++) any |= outside[i];
        return any == 0;
      });
    }
  });
}

size_t countSkipped(const ValueRule& rule, const uint8_t* in, size_t count) {
  return withNumber(rule.number, [&](auto number) {
    using T = decltype(number);
    const T* a = reinterpret_cast<const T*>(in);
    uint32_t n = 0;
    if constexpr (std::is_floating_point_v<T>) {
      for (size_t i = 0; i < count; i++) n += a[i] != a[i];
    } else {
      const T missing = static_cast<T>(rule.missing[0]);
      for (size_t i = 0; i < count; i++) n += a[i] == missing;
    }
    return size_t{n};
  });
}

int64_t sumIntegers(const ValueRule& rule, const uint8_t* in, size_t count) {
  return withNumber(rule.number, [&](auto number) -> int64_t {
    using T = decltype(number);
    if constexpr (std::is_floating_point_v<T>) {
      return 0;
    } else {
      const T* a = reinterpret_cast<const T*>(in);
      using Sum = std::conditional_t<sizeof(T) == 4, int64_t, int32_t>;
      return withMissing<T>(rule, [&](T missing, auto has) {
        Sum sum = 0;
        for (size_t i = 0; i < count; i++) {
          if constexpr (decltype(has)::value) {
            sum += a[i] == missing ? T{0} : a[i];
          } else {
            sum += a[i];
          }
        }
        return int64_t{sum};
      });
    }
  });
}

void bestOf(const ValueRule& rule, bool isMin, const uint8_t* in, size_t count, void* best) {
  withNumber(rule.number, [&](auto number) {
    using T = decltype(number);
    T one;
    startBest(rule, isMin, 1, &one);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr size_t kLanes = 64 / sizeof(T);
      T lanes[kLanes];
      startBest(rule, isMin, kLanes, lanes);
      const size_t done = count / kLanes * kLanes;
      bestOfRows(rule, isMin, {in, 64, count / kLanes, kLanes}, lanes);
      bestOfRows(rule, isMin, {in + done * sizeof(T), 0, 1, count - done}, lanes);
      for (const T x : lanes) {
        if ((isMin ? x < one : x > one) || x != x) one = x;
      }
    } else {
      const T* a = reinterpret_cast<const T*>(in);
      withMissing<T>(rule, [&](T missing, auto has) {
        const T worst = one;
        const auto find = [&](auto choose) {
          for (size_t i = 0; i < count; i++) {
            T x = a[i];
            if constexpr (decltype(has)::value) x = x == missing ? worst : x;
            one = choose(one, x);
          }
        };
        if (isMin) {
          find([](T x, T y) { return std::min(x, y); });
        } else {
          find([](T x, T y) { return std::max(x, y); });
        }
      });
    }
    *static_cast<T*>(best) = one;
  });
}

}  // namespace zw
