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
// blocks are staged where more than 4 lines of one side of a block would share a set (4, for the
// other side needs room as well), and for items of one byte always: their 16 by 16 tiles need more
// registers than there are. Items of 16 bytes are never staged, as blocks have four rows only.
//
// Byte order is reversed by one shuffle as the vectors are loaded, which memory mostly hides.
//
// Safe because: blocks, and at the edges tiles, lie inside the plane; where the plane is no
// multiple of a tile the last tile ends with the plane and overlaps the one before, which is
// harmless since source and destination do not overlap. A plane narrower than a tile takes smaller
// tiles.
#include <algorithm>
#include <numeric>

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

/// A plane, or the edge of one, tile by tile.
template <int E, int Bytes, class Change>
ZW_NOINLINE void tilePlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  constexpr size_t kTile = Bytes / E;
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

/// The whole blocks of a plane, in strips.
template <int E>
void blocks(void (*strip)(Strip), const CopyPlane& plane, size_t rows, size_t columns,
            const uint8_t* src, uint8_t* dst) {
  constexpr size_t kBlock = 64 / E;
  const size_t srcStride = plane.inner.srcStride, dstStride = plane.outer.dstStride;
  const size_t srcStep = kBlock * srcStride, dstStep = kBlock * dstStride;
  if (columns <= 4 * rows) {
    for (size_t row = 0; row < rows; row += kBlock, src += srcStep, dst += 64) {
      strip({src, dst, columns / kBlock, 64, dstStep, srcStride, dstStride, plane.swapBytes});
    }
  } else {
    for (size_t column = 0; column < columns; column += kBlock, src += 64, dst += dstStep) {
      strip({src, dst, rows / kBlock, srcStep, 64, srcStride, dstStride, plane.swapBytes});
    }
  }
}

/// A plane of at least one tile of 16 bytes: blocks, then what they leave at the right and below.
template <int E, void (*kStrip)(Strip), class EdgeChange>
void blockPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  constexpr size_t kBlock = 64 / E, kTile = 16 / E;
  const size_t rows = plane.inner.length / kBlock * kBlock;
  const size_t columns = plane.outer.length / kBlock * kBlock;
  if (rows > 0 && columns > 0) blocks<E>(kStrip, plane, rows, columns, src, dst);
  if (columns < plane.outer.length) {
    const size_t c = std::min(columns, plane.outer.length - kTile);
    CopyPlane edge = plane;
    edge.outer.length -= c;
    tilePlane<E, 16, EdgeChange>(edge, src + c * E, dst + c * plane.outer.dstStride);
  }
  if (rows < plane.inner.length && columns > 0) {
    const size_t r = std::min(rows, plane.inner.length - kTile);
    CopyPlane edge = plane;
    edge.inner.length -= r;
    edge.outer.length = columns;
    tilePlane<E, 16, EdgeChange>(edge, src + r * plane.inner.srcStride, dst + r * E);
  }
}

/// Whether more than 4 of the lines that a block has on one side share a set of the cache.
bool collide(size_t stride, uint32_t itemBytes) {
  const size_t lines = 64 / itemBytes, sets = 4096 / std::gcd(stride, size_t{4096});
  return lines > 4 * sets;
}

/// The kernel for items of E bytes. `Change` is built into blocks, `EdgeChange` does for the rest.
template <int E, class Change, class EdgeChange>
PlaneKernel choose(const CopyPlane& plane) {
  const size_t side = std::min(plane.outer.length, plane.inner.length) * E;
  if constexpr (E <= 2) {
    if (side < 4) return nullptr;
    if (side < 8) return tilePlane<E, 4, EdgeChange>;
  }
  if constexpr (E <= 4) {
    if (side < 16) return tilePlane<E, 8, EdgeChange>;
  }
  if constexpr (E == 1) {
    return blockPlane<E, stagedByteStrip, Keep>;
  } else {
    if constexpr (E <= 8) {
      if (collide(plane.inner.srcStride, E) || collide(plane.outer.dstStride, E)) {
        return blockPlane<E, stagedStrip<E, Change>, EdgeChange>;
      }
    }
    return blockPlane<E, directStrip<E, Change>, EdgeChange>;
  }
}

}  // namespace

PlaneKernel chooseTileKernel(const CopyPlane& plane) {
  if (plane.outer.length < 2 || plane.inner.length < 2) return nullptr;
  const bool keep = plane.swapBytes == 1;
  switch (plane.itemBytes) {
    case 1:
      return choose<1, Keep, Keep>(plane);
    case 2:
      return keep ? choose<2, Keep, Keep>(plane) : choose<2, SwapBy<2>, Swap>(plane);
    case 4:
      if (plane.swapBytes == 4) return choose<4, SwapBy<4>, Swap>(plane);
      return keep ? choose<4, Keep, Keep>(plane) : choose<4, Swap, Swap>(plane);
    case 8:
      if (plane.swapBytes == 8) return choose<8, SwapBy<8>, Swap>(plane);
      if (plane.swapBytes == 4) return choose<8, SwapBy<4>, Swap>(plane);  // complex64
      return keep ? choose<8, Keep, Keep>(plane) : choose<8, Swap, Swap>(plane);
    case 16:
      if (plane.swapBytes == 8) return choose<16, SwapBy<8>, Swap>(plane);  // complex128
      return keep ? choose<16, Keep, Keep>(plane) : choose<16, Swap, Swap>(plane);
    default:
      return nullptr;
  }
}

}  // namespace zw
