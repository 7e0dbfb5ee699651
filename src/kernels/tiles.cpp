// Transposes in register tiles, in blocks of cache lines.
//
// Here the plane's outer axis is contiguous in the source: its items form a source row, and source
// rows follow one another along the inner axis. The inner axis is contiguous in the destination:
// its items form a destination row.
//
// A plane is cut into blocks that are 64 bytes wide on both sides: 64 / E source rows of a cache
// line each become 64 / E destination rows of a cache line each. Inside, 16 bytes by 16 / E rows
// are transposed in registers by zips. Blocks follow one another in strips along the shorter axis,
// so that what a strip leaves half used of a line (rows need not be aligned) is still cached when
// the next strip comes.
//
// There are two ways through a block:
//  - direct: tile after tile from source to destination. Fewest instructions; but the lines of a
//    block are visited several times, so they must stay in the first-level cache meanwhile.
//  - staged: each source line is read once, as a whole, a few rows at a time; their items are
//  joined
//    to records of several source rows and put into a buffer. From there, records are joined to
//    whole destination lines, two rows at a time. It costs one more store and load per vector, but
//    nothing has to stay anywhere, and stores that fill a line in one go are merged.
//
// Which one: caches choose the set of a line by its address modulo 4096 (64 sets of 64 bytes, 8 or
// more ways). Rows whose distance has a large power of two in it share few sets: of 16 rows that
// are 4096 bytes apart each throws another one out, and direct tiles become four times slower. So
// blocks are staged where more than 8 source lines or more than 4 destination lines of a block
// would share a set (lines that are written wait longer), and for items of one byte always: their
// 16 by 16 tiles need more registers than there are. Items of 16 bytes are never staged: blocks
// have four rows.
//
// Byte order is reversed by one shuffle as the vectors are loaded, which memory mostly hides.
//
// Safe because: blocks, and at the edges tiles, lie inside the plane; where the plane is no
// multiple of a tile the last tile ends with the plane and overlaps the one before, which is
// harmless since source and destination do not overlap. A plane narrower than a tile takes smaller
// tiles.
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

/// A run of blocks: where the first one is, how far it is to the next one, and the distances of the
/// rows inside.
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

/// Tile by tile, four tiles to each run of destination rows.
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

/// Reads the lines of a block as groups of Rows rows; a group is 64 / E records of Rows * E bytes.
template <int E, int Rows, class Change>
ZW_INLINE void stageBlock(uint8_t* records, const uint8_t* src, size_t srcStride,
                          const Change& change) {
  for (int r = 0; r < 64 / E; r += Rows, records += 64 * Rows) {
    const uint8_t* row[Rows];
    ZW_UNROLL for (int i = 0; i < Rows; i++, src += srcStride) row[i] = src;
    ZW_UNROLL for (int q = 0; q < 64; q += 16) {
      U8x16 v[Rows];
      ZW_UNROLL for (int i = 0; i < Rows; i++) v[i] = change(load(row[i] + q));
      join<Rows, E>(v);
      ZW_UNROLL for (int i = 0; i < Rows; i++) store(records + q * Rows + 16 * i, v[i]);
    }
  }
}

/// Writes two destination rows of a line each from eight groups of records of 8 bytes. The first
/// row's vectors are stored as soon as they are known, for there are not registers for all.
ZW_INLINE void writeRows(uint8_t* dst, size_t dstStride, const uint8_t* records, size_t group) {
  U8x16 second[4];
  ZW_UNROLL for (int g = 0; g < 4; g++, records += 2 * group) {
    const U8x16 a = load(records), b = load(records + group);
    store(dst + 16 * g, simd::zipLow<8>(a, b));
    second[g] = simd::zipHigh<8>(a, b);
  }
  dst += dstStride;
  ZW_UNROLL for (int g = 0; g < 4; g++) store(dst + 16 * g, second[g]);
}

template <int E, class Change>
ZW_NOINLINE void stagedStrip(Strip strip) {
  constexpr int kGroup = 512 / E;
  const Change change(strip.swapBytes);
  alignas(64) uint8_t records[8 * kGroup];
  for (; strip.count > 0; strip.count--) {
    stageBlock<E, 8 / E>(records, strip.src, strip.srcStride, change);
    uint8_t* out = strip.dst;
    for (int at = 0; at < kGroup; at += 16, out += 2 * strip.dstStride) {
      writeRows(out, strip.dstStride, records + at, kGroup);
    }
    strip.src += strip.srcStep;
    strip.dst += strip.dstStep;
  }
}

/// Writes two of the four destination rows that 16 groups of records of 4 bytes hold.
template <bool High>
ZW_INLINE void writeByteRows(uint8_t* dst, size_t dstStride, const uint8_t* records) {
  U8x16 second[4];
  ZW_UNROLL for (int g = 0; g < 4; g++, records += 4 * 256) {
    const U8x16 a = load(records), b = load(records + 256);
    const U8x16 c = load(records + 2 * 256), d = load(records + 3 * 256);
    const U8x16 ab = High ? simd::zipHigh<4>(a, b) : simd::zipLow<4>(a, b);
    const U8x16 cd = High ? simd::zipHigh<4>(c, d) : simd::zipLow<4>(c, d);
    store(dst + 16 * g, simd::zipLow<8>(ab, cd));
    second[g] = simd::zipHigh<8>(ab, cd);
  }
  dst += dstStride;
  ZW_UNROLL for (int g = 0; g < 4; g++) store(dst + 16 * g, second[g]);
}

/// stagedStrip for single bytes, four rows at a time: eight would be too many lines and registers.
ZW_NOINLINE void stagedByteStrip(Strip strip) {
  alignas(64) uint8_t records[64 * 64];
  for (; strip.count > 0; strip.count--) {
    stageBlock<1, 4>(records, strip.src, strip.srcStride, Keep(1));
    uint8_t* out = strip.dst;
    for (int at = 0; at < 256; at += 16, out += 4 * strip.dstStride) {
      writeByteRows<false>(out, strip.dstStride, records + at);
      writeByteRows<true>(out + 2 * strip.dstStride, strip.dstStride, records + at);
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

/// A tile of 8 / E rows of 8 bytes or 4 / E rows of 4 bytes. Joining rows two by two from the low
/// halves fills vectors of several destination rows each.
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

/// A plane, or the edge of one, tile by tile. Swizzles whether bytes are swapped or not: twice the
/// code would be dearer than two instructions more.
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

/// Whether more than `most` of the lines that a block has on one side share a set of the cache: the
/// largest power of two in the stride tells how many sets there are.
bool collide(size_t stride, size_t itemBytes, size_t most) {
  const size_t step = std::min<size_t>(stride & (~stride + 1), 4096);
  return 64 * step > most * 4096 * itemBytes;
}

/// Where memory is slow anyway, one staged kernel does for all swaps.
template <int E>
StripKernel stagedKernel(uint32_t swapBytes) {
  return swapBytes == 1 ? stagedStrip<E, Keep> : stagedStrip<E, Swap>;
}

StripKernel chooseStrip(const CopyPlane& plane) {
  const uint32_t swap = plane.swapBytes;
  const bool staged = collide(plane.inner.srcStride, plane.itemBytes, 8) ||
                      collide(plane.outer.dstStride, plane.itemBytes, 4);
  switch (plane.itemBytes) {
    case 1:
      return stagedByteStrip;
    case 2:
      if (staged) return stagedKernel<2>(swap);
      return swap == 1 ? directStrip<2, Keep> : directStrip<2, SwapBy<2>>;
    case 4:
      if (staged) return stagedKernel<4>(swap);
      if (swap == 1) return directStrip<4, Keep>;
      return swap == 4 ? directStrip<4, SwapBy<4>> : directStrip<4, Swap>;
    case 8:
      if (staged) return stagedKernel<8>(swap);
      if (swap == 1) return directStrip<8, Keep>;
      if (swap == 4) return directStrip<8, SwapBy<4>>;  // complex64
      return swap == 8 ? directStrip<8, SwapBy<8>> : directStrip<8, Swap>;
    default:
      if (swap == 1) return directStrip<16, Keep>;
      return swap == 8 ? directStrip<16, SwapBy<8>> : directStrip<16, Swap>;  // complex128
  }
}

/// Tiles of 16 bytes.
PlaneKernel wholeTiles(size_t itemBytes) {
  switch (itemBytes) {
    case 1:
      return tilePlane<1, 16>;
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

/// `rows` by `columns` blocks of `block` by `block` items, in strips along the shorter side.
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

/// A plane of at least one tile of 16 bytes: blocks, then what they leave at the right and below.
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

/// Tiles of 4 or 8 bytes for planes too narrow for more, else nullptr.
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
