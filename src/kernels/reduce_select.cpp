// Reductions that select one of a block's elements: the greatest, or the most frequent.
#include <cstring>
#include <limits>

#include "base/bytes.hpp"
#include "kernels/reduce.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::Lanes;
using simd::U8x16;

/// Orders of numbers: signed keys of the same width that compare like them, one by one or in
/// vectors. The least key stands for NaN. Integers without sign have their upper half below zero.
template <class T>
struct IntegerOrder {
  using Key = T;
  T flip;
  template <class V>
  ZW_INLINE V toKeys(V v) const {
    return static_cast<V>(v ^ flip);
  }
  template <class V>
  ZW_INLINE V fromKeys(V v) const {
    return static_cast<V>(v ^ flip);
  }
};

template <class T>
IntegerOrder<T> integers(bool hasSign) {
  return {hasSign ? T{0} : std::numeric_limits<T>::min()};
}

/// Floats by their bits: negative ones are ordered backwards. -0 is less than +0.
template <class T, T infinity>
struct FloatOrder {
  using Key = T;
  static constexpr T kLeast = std::numeric_limits<T>::min(), kSize = std::numeric_limits<T>::max();
  static constexpr T kNaN = static_cast<T>(infinity | ((infinity & -infinity) >> 1));

  template <class V>
  static ZW_INLINE V reversed(V v) {
    return static_cast<V>(v ^ ((v >> (8 * sizeof(T) - 1)) & kSize));
  }
  template <class V>
  ZW_INLINE V toKeys(V v) const {
    return static_cast<V>((v & kSize) > infinity ? V{} + kLeast : reversed(v));
  }
  template <class V>
  ZW_INLINE V fromKeys(V keys) const {
    return static_cast<V>(keys == kLeast ? V{} + kNaN : reversed(keys));
  }
};

/// Maxima of blocks of two along the row. Returns the number of blocks done.
template <class Order>
size_t maxOfPairs(Order order, const ReduceRow& row) {
  using Key = typename Order::Key;
  using Vector = Lanes<Key>;
  constexpr size_t kItems = 16 / sizeof(Key);
  if (row.factor != 2 || kItems == 2) return 0;  // pairs of 64 bits gain nothing
  size_t i = 0;
  for (; 2 * (i + kItems) <= row.length; i += kItems) {
    Vector best = Vector{} + std::numeric_limits<Key>::min();
    ZW_NO_UNROLL
    for (size_t r = 0; r < row.rowCount; r++) {
      const uint8_t* p = row.rows[r] + 2 * i * sizeof(Key);
      const Vector a = order.toKeys((Vector)simd::load(p));
      const Vector b = order.toKeys((Vector)simd::load(p + 16));
      const auto even = (Vector)simd::evenLanes<sizeof(Key)>((U8x16)a, (U8x16)b);
      const auto odd = (Vector)simd::oddLanes<sizeof(Key)>((U8x16)a, (U8x16)b);
      best = even > best ? even : best;
      best = odd > best ? odd : best;
    }
    simd::store(row.out + i * sizeof(Key), (U8x16)order.fromKeys(best));
  }
  return i;
}

template <class Order>
void maxOfBlocks(Order order, const ReduceRow& row) {
  using Key = typename Order::Key;
  for (size_t i = maxOfPairs(order, row); i * row.factor < row.length; i++) {
    const size_t first = i * row.factor, size = row.blockLength(first);
    Key best = std::numeric_limits<Key>::min();
    for (size_t r = 0; r < row.rowCount; r++) {
      const uint8_t* p = row.rows[r] + first * sizeof(Key);
      ZW_SCALAR_LOOP
      for (size_t k = 0; k < size; k++) {
        const Key key = order.toKeys(load<Key>(p + k * sizeof(Key)));
        if (key > best) best = key;
      }
    }
    store(row.out + i * sizeof(Key), order.fromKeys(best));
  }
}

/// Modes of blocks of 2 x 2. Returns the number of blocks done.
template <class Item>
size_t modeOfPairs(const ReduceRow& row) {
  using Vector = Lanes<Item>;
  constexpr size_t kItems = 16 / sizeof(Item);
  if (row.factor != 2 || row.rowCount != 2) return 0;
  size_t i = 0;
  for (; 2 * (i + kItems) <= row.length; i += kItems) {
    const uint8_t *p = row.rows[0] + 2 * i * sizeof(Item), *q = row.rows[1] + 2 * i * sizeof(Item);
    const U8x16 first = simd::load(p), second = simd::load(p + 16);
    const U8x16 third = simd::load(q), fourth = simd::load(q + 16);
    const auto a = (Vector)simd::evenLanes<sizeof(Item)>(first, second);
    const auto b = (Vector)simd::oddLanes<sizeof(Item)>(first, second);
    const auto c = (Vector)simd::evenLanes<sizeof(Item)>(third, fourth);
    const auto d = (Vector)simd::oddLanes<sizeof(Item)>(third, fourth);
    // If the first element occurs twice, no other is more frequent.
    const auto isFirst = (a == b) | (a == c) | (a == d);
    const auto isSecond = (b == c) | (b == d);
    const Vector other = isSecond ? b : c == d ? c : a;
    simd::store(row.out + i * sizeof(Item), (U8x16)(isFirst ? a : other));
  }
  return i;
}

/// The most frequent of several items, compared by `isSame`; of several the first.
template <class Same>
const uint8_t* mostFrequent(const uint8_t* const* items, size_t count, Same isSame) {
  const uint8_t* best = items[0];
  size_t most = 0;
  // Items found later have too few left to be more frequent.
  for (size_t i = 0; i + most < count; i++) {
    size_t found = 1;
    ZW_SCALAR_LOOP
    for (size_t k = i + 1; k < count; k++) found += isSame(items[i], items[k]);
    if (found <= most) continue;
    best = items[i];
    most = found;
  }
  return best;
}

template <class Same>
void modeOfBlocks(const ReduceRow& row, size_t i, size_t bytes, Same isSame) {
  const uint8_t* items[kMaxBlock];
  for (; i * row.factor < row.length; i++) {
    const size_t first = i * row.factor, size = row.blockLength(first);
    size_t count = 0;
    bool isUniform = true;  // the usual case for labels
    for (size_t r = 0; r < row.rowCount; r++) {
      ZW_SCALAR_LOOP
      for (size_t k = 0; k < size; k++) {
        items[count] = row.rows[r] + (first + k) * bytes;
        isUniform = isUniform && isSame(items[0], items[count]);
        count++;
      }
    }
    const uint8_t* best = isUniform ? items[0] : mostFrequent(items, count, isSame);
    std::memcpy(row.out + i * bytes, best, bytes);
  }
}

template <class Item>
void modeOfItems(const ReduceRow& row) {
  const auto isSame = [](const uint8_t* a, const uint8_t* b) {
    return load<Item>(a) == load<Item>(b);
  };
  modeOfBlocks(row, modeOfPairs<Item>(row), sizeof(Item), isSame);
}

}  // namespace

void maxRow(const ReduceElement& element, const ReduceRow& row) {
  const bool hasSign = isSigned(element.number);
  switch (element.number) {
    case Number::Int16:
    case Number::Uint16:
      return maxOfBlocks(integers<int16_t>(hasSign), row);
    case Number::Int32:
    case Number::Uint32:
      return maxOfBlocks(integers<int32_t>(hasSign), row);
    case Number::Int64:
    case Number::Uint64:
      return maxOfBlocks(integers<int64_t>(hasSign), row);
    case Number::Float16:
      return maxOfBlocks(FloatOrder<int16_t, 0x7c00>{}, row);
    case Number::Float32:
      return maxOfBlocks(FloatOrder<int32_t, 0x7f800000>{}, row);
    case Number::Float64:
      return maxOfBlocks(FloatOrder<int64_t, 0x7ff0000000000000>{}, row);
    default:
      return maxOfBlocks(integers<int8_t>(hasSign), row);
  }
}

void modeRow(const ReduceElement& element, const ReduceRow& row) {
  const size_t bytes = element.itemBytes;
  if (bytes == 1) return modeOfItems<uint8_t>(row);
  if (bytes == 2) return modeOfItems<uint16_t>(row);
  if (bytes == 4) return modeOfItems<uint32_t>(row);
  if (bytes == 8) return modeOfItems<uint64_t>(row);
  modeOfBlocks(row, 0, bytes, [bytes](const uint8_t* a, const uint8_t* b) {
    return std::memcmp(a, b, bytes) == 0;
  });
}

}  // namespace zw
