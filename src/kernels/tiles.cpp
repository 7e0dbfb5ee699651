// Transposes in register tiles, in blocks of cache lines.
//
// The outer axis of the plane is contiguous in the source: its items form a source row, and source
// rows follow one another along the inner axis. The inner axis is contiguous in the destination:
// its items form a destination row.
//
// A plane is cut into blocks that are 64 bytes wide on both sides: one cache line of each of 64 / E
// source rows becomes one cache line of each of 64 / E destination rows, for items of E bytes.
// Inside a block, 16 bytes by 16 / E rows are transposed in registers by zips. Blocks are processed
// in strips along the shorter axis, so that lines which a strip uses only in part (rows need not be
// aligned) are still cached when the next strip needs them.
//
// This takes the fewest instructions. But the lines of a block are visited several times, and
// neighbouring blocks share lines and pages, so all of these must stay in the caches. If they do
// not, staged_tiles.cpp takes over. It always does for items of 1 byte, whose 16 × 16 tiles need
// more registers than exist.
//
// Byte order is reversed by one shuffle as vectors are loaded, which is mostly hidden by memory
// latency.
//
// Safety: blocks, and tiles at the edges, lie inside the plane. If the plane is not a multiple of a
// tile, the last tile ends with the plane and overlaps the one before, which is harmless since
// source and destination do not overlap. Planes narrower than a tile use smaller tiles.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "kernels/copy_plane.hpp"
#include "kernels/row.hpp"
#include "kernels/zips.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::load;
using simd::store;
using simd::U8x16;

namespace {

/// A row of blocks: the address of the first, the step to the next, and the strides of the rows
/// inside.
struct Strip {
  const uint8_t* src;
  uint8_t* dst;
  size_t count;
  size_t srcStep;
  size_t dstStep;
  size_t srcStride;
  size_t dstStride;
  uint32_t swapBytes;
};

using StripKernel = void (*)(Strip strip);

/// Copies a strip tile by tile, four tiles per group of destination rows.
template <int E, class Change>
ZW_NOINLINE void directStrip(Strip strip) {
  constexpr int kTile = 16 / E;
  const Change change(strip.swapBytes);
  const size_t srcStride = strip.srcStride, dstStride = strip.dstStride;
  for (; strip.count > 0; strip.count--) {
    uint8_t* out = strip.dst;
    for (int column = 0; column < 64; column += 16) {
      uint8_t* row[kTile];
      ZW_UNROLL for (int i = 0; i < kTile; i++, out += dstStride) row[i] = out;
      const uint8_t* in = strip.src + column;
      ZW_UNROLL for (int q = 0; q < 64; q += 16) {
        U8x16 v[kTile];
        ZW_UNROLL for (int i = 0; i < kTile; i++, in += srcStride) v[i] = change(load(in));
        join<kTile, E>(v);
        ZW_UNROLL for (int i = 0; i < kTile; i++) store(row[i] + q, v[i]);
      }
    }
    strip.src += strip.srcStep;
    strip.dst += strip.dstStep;
  }
}

/// A tile of 16 / E rows of 16 bytes.
template <int E, int Bytes, class Change>
requires(Bytes == 16) ZW_INLINE void tile(const uint8_t* src, size_t srcStride, uint8_t* dst,
                                          size_t dstStride, const Change& change) {
  constexpr int kTile = 16 / E;
  U8x16 v[kTile];
  ZW_UNROLL for (int i = 0; i < kTile; i++, src += srcStride) v[i] = change(load(src));
  join<kTile, E>(v);
  ZW_UNROLL for (int i = 0; i < kTile; i++, dst += dstStride) store(dst, v[i]);
}

/// A tile of 8 / E rows of 8 bytes or 4 / E rows of 4 bytes. Rows are zipped in pairs from the low
/// halves, so each vector holds several destination rows.
template <int E, int Bytes, class Change>
requires(Bytes < 16) ZW_INLINE void tile(const uint8_t* src, size_t srcStride, uint8_t* dst,
                                         size_t dstStride, const Change& change) {
  constexpr int kTile = Bytes / E, kPairs = kTile / 2;
  U8x16 v[kPairs];
  ZW_UNROLL for (int h = 0; h < kPairs; h++, src += 2 * srcStride) {
    const U8x16 a = change(simd::loadLow<Bytes>(src));
    v[h] = simd::zipLow<E>(a, change(simd::loadLow<Bytes>(src + srcStride)));
  }
  if constexpr (Bytes == 8) {
    join<kPairs, 2 * E>(v);
    ZW_UNROLL for (int h = 0; h < kPairs; h++, dst += 2 * dstStride) {
      simd::storeLane<8, 0>(dst, v[h]);
      simd::storeLane<8, 1>(dst + dstStride, v[h]);
    }
  } else {
    if constexpr (kPairs == 2) v[0] = simd::zipLow<2 * E>(v[0], v[1]);
    simd::storeLane<4, 0>(dst, v[0]);
    simd::storeLane<4, 1>(dst + dstStride, v[0]);
    if constexpr (kPairs == 2) {
      simd::storeLane<4, 2>(dst + 2 * dstStride, v[0]);
      simd::storeLane<4, 3>(dst + 3 * dstStride, v[0]);
    }
  }
}

/// Copies a plane, or the edge of one, tile by tile. Swizzles even if no bytes are swapped: two
/// more instructions cost less than twice the code.
template <int E, int Bytes>
ZW_NOINLINE void tilePlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  constexpr size_t kTile = Bytes / E;
  using Change = std::conditional_t<E == 1, Keep, Swap>;
  const Change change(plane.swapBytes);
  const size_t rows = plane.inner.length, columns = plane.outer.length;
  const size_t srcStride = plane.inner.srcStride, dstStride = plane.outer.dstStride;
  for (size_t row = 0; row < rows; row += kTile) {
    const size_t r = std::min(row, rows - kTile);
    for (size_t column = 0; column < columns; column += kTile) {
      const size_t c = std::min(column, columns - kTile);
      tile<E, Bytes>(src + r * srcStride + c * E, srcStride, dst + c * dstStride + r * E, dstStride,
                     change);
    }
  }
}

StripKernel chooseStrip(const CopyPlane& plane) {
  const uint32_t swap = plane.swapBytes;
  switch (plane.itemBytes) {
    case 2:
      return swap == 1 ? directStrip<2, Keep> : directStrip<2, SwapBy<2>>;
    case 4:
      if (swap == 1) return directStrip<4, Keep>;
      return swap == 4 ? directStrip<4, SwapBy<4>> : directStrip<4, Swap>;
    case 8:
      if (swap == 1) return directStrip<8, Keep>;
      if (swap == 4) return directStrip<8, SwapBy<4>>;  // complex64
      return swap == 8 ? directStrip<8, SwapBy<8>> : directStrip<8, Swap>;
    default:
      if (swap == 1) return directStrip<16, Keep>;
      return swap == 8 ? directStrip<16, SwapBy<8>> : directStrip<16, Swap>;  // complex128
  }
}

/// The kernel of 16-byte tiles, for items of 2 bytes and more.
PlaneKernel wholeTiles(size_t itemBytes) {
  switch (itemBytes) {
    case 2:
      return tilePlane<2, 16>;
    case 4:
      return tilePlane<4, 16>;
    case 8:
      return tilePlane<8, 16>;
    default:
      return tilePlane<16, 16>;
  }
}

/// Copies `rows` × `columns` blocks of `block` × `block` items, in strips along the shorter side.
void copyBlocks(const CopyPlane& plane, size_t rows, size_t columns, size_t block,
                const uint8_t* src, uint8_t* dst) {
  const StripKernel strip = chooseStrip(plane);
  const size_t srcStride = plane.inner.srcStride, dstStride = plane.outer.dstStride;
  const size_t srcStep = block * srcStride, dstStep = block * dstStride;
  if (columns <= 4 * rows) {
    for (; rows > 0; rows--, src += srcStep, dst += 64) {
      strip({src, dst, columns, 64, dstStep, srcStride, dstStride, plane.swapBytes});
    }
  } else {
    for (; columns > 0; columns--, src += 64, dst += dstStep) {
      strip({src, dst, rows, srcStep, 64, srcStride, dstStride, plane.swapBytes});
    }
  }
}

/// Copies a plane of at least one 16-byte tile: blocks first, then the right and the bottom edge.
void blockPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const size_t item = plane.itemBytes, log2 = static_cast<size_t>(std::countr_zero(item));
  const size_t block = size_t{64} >> log2, tile = size_t{16} >> log2;
  const size_t rows = plane.inner.length & ~(block - 1);
  const size_t columns = plane.outer.length & ~(block - 1);
  const PlaneKernel tiles = wholeTiles(item);
  if (rows > 0 && columns > 0)
    copyBlocks(plane, (rows << log2) / 64, (columns << log2) / 64, block, src, dst);
  if (columns < plane.outer.length) {
    const size_t c = std::min(columns, plane.outer.length - tile);
    CopyPlane edge = plane;
    edge.outer.length -= c;
    tiles(edge, src + c * item, dst + c * plane.outer.dstStride);
  }
  if (rows < plane.inner.length && columns > 0) {
    const size_t r = std::min(rows, plane.inner.length - tile);
    CopyPlane edge = plane;
    edge.inner.length -= r;
    edge.outer.length = columns;
    tiles(edge, src + r * plane.inner.srcStride, dst + r * item);
  }
}

/// The kernel of 4- or 8-byte tiles for planes that are too narrow for 16 bytes, or null.
PlaneKernel narrowTiles(size_t itemBytes, size_t side) {
  const size_t bytes = side * itemBytes;
  switch (itemBytes) {
    case 1:
      return bytes >= 8 ? tilePlane<1, 8> : bytes >= 4 ? tilePlane<1, 4> : nullptr;
    case 2:
      return bytes >= 8 ? tilePlane<2, 8> : bytes >= 4 ? tilePlane<2, 4> : nullptr;
    case 4:
      return bytes >= 8 ? tilePlane<4, 8> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

PlaneKernel chooseTileKernel(const CopyPlane& plane) {
  const size_t item = plane.itemBytes;
  const size_t side = std::min(plane.outer.length, plane.inner.length);
  if (item > 16 || !std::has_single_bit(item)) return nullptr;
  return side * item >= 16 ? blockPlane : narrowTiles(item, side);
}

}  // namespace zw
