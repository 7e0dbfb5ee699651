// Copies item by item: planes without a contiguous axis on one side, items of unusual sizes, and
// rows, where an item is a contiguous run.
//
// Speed: items of 1, 2, 4, 8 and 16 bytes (and 3, 6 and 12, for three channels) move through one or
// two registers, other rows of less than 16 bytes as two overlapping pieces, and longer ones
// through vectors. Nothing calls memcpy: for a length that the compiler does not know it becomes
// memory.copy, which is too slow for short rows. If source and destination run along different
// axes, the inner axis is cut into strips of one cache line of items, so that each line is used up
// before it leaves the cache.
//
// Safety: only the items themselves are read and written. (The pick kernels also read the bytes
// between the items of a row.)
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/byteswap.hpp"
#include "kernels/copy_plane.hpp"
#include "kernels/row.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::U8x16;

namespace {

/// Moves one item of N bytes unchanged.
template <int N>
struct Fixed {
  static constexpr bool kSmall = true;
  explicit Fixed(const CopyPlane&) {}
  ZW_INLINE void operator()(uint8_t* dst, const uint8_t* src) const { std::memcpy(dst, src, N); }
};

/// Moves one item of N bytes with the bytes of its components reversed.
template <int N>
struct FixedSwap {
  static constexpr bool kSmall = N <= 4;
  explicit FixedSwap(const CopyPlane& plane) : swap(plane.swapBytes) {}
  ZW_INLINE void operator()(uint8_t* dst, const uint8_t* src) const {
    simd::storeLow<N>(dst, swap(simd::loadLow<N>(src)));
  }
  Swap swap;
};

/// Moves one row, or an item of any size. Long ones are worth a call to memcpy, or to a function
/// with a constant swap.
template <class Change>
struct Row {
  static constexpr bool kSmall = false;
  explicit Row(const CopyPlane& plane)
      : change(plane.swapBytes), bytes(plane.itemBytes), swapBytes(plane.swapBytes) {}
  ZW_INLINE void operator()(uint8_t* dst, const uint8_t* src) const {
    if (bytes >= (std::is_same_v<Change, Keep> ? kMinMemcpy : 512)) {
      swapCopy(dst, src, bytes / swapBytes, swapBytes);
    } else {
      copyRow(dst, src, bytes, change);
    }
  }
  Change change;
  size_t bytes;
  uint32_t swapBytes;
};

/// Moves `count` items; small ones four per iteration, since loop overhead costs as much as an
/// item.
template <class Move>
ZW_INLINE void moveItems(const Move& move, size_t count, const uint8_t* src, size_t srcStride,
                         uint8_t* dst, size_t dstStride) {
  if constexpr (Move::kSmall) {
    for (; count >= 4; count -= 4) {
      ZW_UNROLL for (int i = 0; i < 4; i++, src += srcStride, dst += dstStride) move(dst, src);
    }
  }
  ZW_NO_UNROLL for (; count > 0; count--, src += srcStride, dst += dstStride) move(dst, src);
}

template <class Move>
void itemPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const Move move(plane);
  const CopyAxis outer = plane.outer, inner = plane.inner;
  const bool crosswise = outer.length > 1 && outer.srcStride < inner.srcStride;
  const size_t line = std::max<size_t>(1, 64 / plane.itemBytes);
  const size_t strip = crosswise ? line : inner.length;
  for (size_t i = 0; i < inner.length; i += strip) {
    const size_t count = std::min(strip, inner.length - i);
    const uint8_t* from = src + i * inner.srcStride;
    uint8_t* to = dst + i * inner.dstStride;
    for (size_t o = 0; o < outer.length; o++) {
      moveItems(move, count, from + o * outer.srcStride, inner.srcStride, to + o * outer.dstStride,
                inner.dstStride);
    }
  }
}

/// Gathers every K-th item of E bytes of a vector at its low end.
template <int E, int K>
struct PickMask {
  static constexpr int at(size_t i) {
    const int item = static_cast<int>(i) / E;
    return item < 16 / (E * K) ? item * E * K + static_cast<int>(i) % E : 0;
  }
};

template <int E, int K>
ZW_INLINE void pickRow(uint8_t* dst, const uint8_t* src, size_t count, const Swap& swap) {
  constexpr size_t kVector = 16 / E;
  // The last vector ends after the gap that follows its last item, so another item must follow.
  for (; count > kVector; count -= kVector, src += 16 * K, dst += 16) {
    U8x16 v[K];
    ZW_UNROLL for (int q = 0; q < K; q++) {
      v[q] = simd::swizzle(simd::load(src + 16 * q), simd::constant<PickMask<E, K>>());
    }
    if constexpr (K == 4) {
      v[0] = simd::zipLow<4>(v[0], v[1]);
      v[1] = simd::zipLow<4>(v[2], v[3]);
    }
    simd::store(dst, swap(simd::zipLow<8>(v[0], v[1])));
  }
  ZW_NO_UNROLL for (; count > 0; count--, src += E * K, dst += E) {
    simd::storeLow<E>(dst, swap(simd::loadLow<E>(src)));
  }
}

template <int E, int K>
void pickPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const Swap swap(plane.swapBytes);
  for (size_t o = 0; o < plane.outer.length; o++) {
    pickRow<E, K>(dst, src, plane.inner.length, swap);
    src += plane.outer.srcStride;
    dst += plane.outer.dstStride;
  }
}

/// Fills `bytes` bytes with a repeated vector; `bytes` is a multiple of its period.
void fillVectors(uint8_t* dst, U8x16 v, size_t bytes) {
  if (bytes < 16) {
    uint8_t pattern[16];
    simd::store(pattern, v);
    return copyShortRow(dst, pattern, bytes, Keep(1));
  }
  size_t at = 0;
  for (; bytes - at >= 64; at += 64) {
    ZW_UNROLL for (int q = 0; q < 64; q += 16) simd::store(dst + at + q, v);
  }
  for (; bytes - at >= 16; at += 16) simd::store(dst + at, v);
  simd::store(dst + bytes - 16, v);
}

/// An item of 1, 2, 4, 8 or 16 bytes repeated through a vector.
U8x16 splatItem(const uint8_t* item, size_t itemBytes) {
  switch (itemBytes) {
    case 1:
      return simd::splat<1>(item);
    case 2:
      return simd::splat<2>(item);
    case 4:
      return simd::splat<4>(item);
    case 8:
      return simd::splat<8>(item);
    default:
      return simd::splat<16>(item);
  }
}

void fillByVectors(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const Swap swap(plane.swapBytes);
  U8x16 v = swap(splatItem(src, plane.itemBytes));
  for (size_t o = 0; o < plane.outer.length; o++) {
    if (plane.outer.srcStride > 0) {
      v = swap(splatItem(src + o * plane.outer.srcStride, plane.itemBytes));
    }
    fillVectors(dst + o * plane.outer.dstStride, v, plane.inner.length * plane.itemBytes);
  }
}

/// Fills with items of other sizes: the filled part is copied after itself, doubling each time.
void fillByDoubling(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const size_t bytes = plane.inner.length * plane.itemBytes;
  for (size_t o = 0; o < plane.outer.length; o++) {
    swapCopy(dst, src, plane.itemBytes / plane.swapBytes, plane.swapBytes);
    for (size_t done = plane.itemBytes; done < bytes; done += std::min(done, bytes - done)) {
      copyBytes(dst + done, dst, std::min(done, bytes - done));
    }
    src += plane.outer.srcStride;
    dst += plane.outer.dstStride;
  }
}

}  // namespace

PlaneKernel chooseItemKernel(const CopyPlane& plane) {
  const bool keep = plane.swapBytes == 1;
  switch (plane.itemBytes) {
    case 1:
      return itemPlane<Fixed<1>>;
    case 2:
      return keep ? itemPlane<Fixed<2>> : itemPlane<FixedSwap<2>>;
    case 4:
      return keep ? itemPlane<Fixed<4>> : itemPlane<FixedSwap<4>>;
    case 8:
      return keep ? itemPlane<Fixed<8>> : itemPlane<FixedSwap<8>>;
    case 16:
      return keep ? itemPlane<Fixed<16>> : itemPlane<FixedSwap<16>>;
    case 3:
      return itemPlane<Fixed<3>>;
    case 6:
      if (keep) return itemPlane<Fixed<6>>;
      break;
    case 12:
      if (keep) return itemPlane<Fixed<12>>;
      break;
    default:
      break;
  }
  return keep ? itemPlane<Row<Keep>> : itemPlane<Row<Swap>>;
}

PlaneKernel choosePickKernel(const CopyPlane& plane) {
  const size_t item = plane.itemBytes, step = plane.inner.srcStride / item;
  if (plane.inner.dstStride != item || plane.inner.srcStride != step * item) return nullptr;
  if (item == 1 && step == 2) return pickPlane<1, 2>;
  if (item == 1 && step == 4) return pickPlane<1, 4>;
  if (item == 2 && step == 2) return pickPlane<2, 2>;
  if (item == 2 && step == 4) return pickPlane<2, 4>;
  if (item == 4 && step == 2) return pickPlane<4, 2>;
  return nullptr;
}

void fillPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const size_t item = plane.itemBytes;
  if (item <= 16 && std::has_single_bit(item)) {
    fillByVectors(plane, src, dst);
  } else {
    fillByDoubling(plane, src, dst);
  }
}

}  // namespace zw
