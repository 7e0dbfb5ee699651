// Transposes through a buffer.
//
// As in tiles.cpp, the outer axis of the plane is contiguous in the source: its items form a source
// row, and source rows follow one another along the inner axis. The inner axis is contiguous in the
// destination: its items form a destination row. A third axis, `depth`, is the one of the remaining
// axes along which destination rows lie closest to each other.
//
// The cost of such a copy is memory access, not shuffling, since the two sides cannot both be
// walked in order. Direct tiles read and write single cache lines that are a row apart. Each line
// needs its own address translation, and nothing can be prefetched. If the row stride is a multiple
// of a large power of two, the lines also share a few cache sets and evict one another before they
// are used up: reversing the axes of 128 × 128 × 128 items of 4 bytes ran at a ninth of the speed
// of a copy.
//
// So the plane is cut into boxes with long rows on both sides, and enough depth that the runs of
// neighbouring rows join to (parts of) pages. A box passes through a buffer that stays in the
// second-level cache, in two steps:
//  - Read: 16 / E source rows at a time, for items of E bytes, are transposed in registers into one
//    16-byte record per column (16 / E items of a destination row).
//  - Write: destination rows are assembled from the records of their column. Records are copied
//    whole, so any number of rows and columns works: the last record overlaps the one before.
// Both steps visit the rows of a box in memory order: depth is the innermost loop if it continues
// the rows, and the outermost if it separates planes. In the buffer the records of one column are
// an odd number of cache lines apart, so they never share a set.
//
// Sizes: rows of a box have up to kRowBytes, since hardware prefetching only starts after a few
// lines of a page. Depth is as large as the buffer allows, which on most machines fits in a part of
// the second-level cache. Rows of 512 bytes were up to a third slower; doubling the buffer gained
// nothing.
//
// Choice: direct tiles (tiles.cpp) move each byte once instead of twice. They are up to twice as
// fast while both sides stay in the caches, and several times slower otherwise. So the buffer is
// used if one side of a plane spans more than kCachedBytes or its lines collide in the first-level
// cache, and always for items of 1 byte, whose direct tiles are slow in registers too. Items of 16
// bytes never use it: four of them fill a line, and direct tiles are as fast.
//
// Byte order is reversed by one shuffle as vectors are loaded, which is hidden by memory latency.
//
// Safety: boxes lie inside the plane and tiles inside boxes. If a side is not a multiple of a tile,
// the last tile ends with the side and overlaps the one before, which is harmless since source and
// destination do not overlap. chooseBox explains why the records of a box fit in the buffer.
#include <algorithm>
#include <bit>

#include "kernels/copy_plane.hpp"
#include "kernels/row.hpp"
#include "kernels/zips.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::load;
using simd::store;
using simd::U8x16;

namespace {

/// Maximum size of a box (exceeded only by a single level with gaps), and of its rows on either
/// side.
constexpr size_t kBoxBytes = size_t{256} << 10;
constexpr size_t kRowBytes = 1024;

/// Span of one side of a plane that stays in the caches: a part of a second-level cache.
constexpr size_t kCachedBytes = size_t{128} << 10;

static_assert(kBoxBytes + 28 * kRowBytes + 64 <= kStagedBytes);

/// A part of a plane and the layout of its records in the buffer: the records of 16 / E rows,
/// column by column, form a group, and the groups of all rows form a level.
struct Box {
  size_t rows;
  size_t columns;
  size_t depth;
  size_t groupStep;
  size_t levelStep;
};

/// Calls work(i, level) for each i below `count` and each level below `depth`.
template <class Work>
ZW_INLINE void visit(size_t count, size_t depth, bool depthFirst, const Work& work) {
  size_t i = 0, level = 0;
  for (;;) {
    work(i, level);
    if (depthFirst) {
      if (++level < depth) continue;
      level = 0;
      if (++i == count) return;
    } else {
      if (++i < count) continue;
      i = 0;
      if (++level == depth) return;
    }
  }
}

/// Transposes 16 bytes of each of 16 / E rows into 16 / E records.
template <int E, class Change>
requires(E > 1) ZW_INLINE
    void stageTile(uint8_t* records, const uint8_t* src, size_t stride, const Change& change) {
  constexpr int kTile = 16 / E;
  U8x16 v[kTile];
  ZW_UNROLL for (int i = 0; i < kTile; i++, src += stride) v[i] = change(load(src));
  join<kTile, E>(v);
  ZW_UNROLL for (int i = 0; i < kTile; i++) store(records + 16 * i, v[i]);
}

/// The same for items of 1 byte, in two halves: 16 vectors do not fit in the registers.
template <int E, class Change>
requires(E == 1) ZW_INLINE
    void stageTile(uint8_t* records, const uint8_t* src, size_t stride, const Change&) {
  ZW_NO_UNROLL for (int half = 0; half < 16; half += 8) {
    const uint8_t* in = src + half;
    U8x16 v[8];
    ZW_UNROLL for (int i = 0; i < 8; i++, in += 2 * stride) {
      v[i] = simd::zipLow<1>(simd::loadLow<8>(in), simd::loadLow<8>(in + stride));
    }
    join<8, 2>(v);
    ZW_UNROLL for (int i = 0; i < 8; i++) store(records + 16 * (half + i), v[i]);
  }
}

/// Writes the records of `columns` columns of 16 / E rows.
template <int E, class Change>
ZW_INLINE void stageRows(uint8_t* records, const uint8_t* src, size_t stride, size_t columns,
                         const Change& change) {
  constexpr size_t kTile = 16 / E, kLine = E < 4 ? kTile : 64 / E;
  size_t c = 0;
  for (; columns - c >= kLine; c += kLine, src += E * kLine, records += 16 * kLine) {
    ZW_UNROLL for (size_t q = 0; q < kLine; q += kTile) {
      stageTile<E>(records + 16 * q, src + E * q, stride, change);
    }
  }
  for (; c < columns; c += kTile, src += E * kTile, records += 16 * kTile) {
    const size_t back = c + kTile > columns ? c + kTile - columns : 0;
    stageTile<E>(records - 16 * back, src - E * back, stride, change);
  }
}

template <int E, class Change>
ZW_NOINLINE void readBox(const Box& box, const CopyPlane& plane, const uint8_t* src) {
  constexpr size_t kTile = 16 / E;
  const size_t stride = plane.inner.srcStride, depthStride = plane.depth.srcStride;
  const Change change(plane.swapBytes);
  uint8_t* const buffer = plane.scratch;
  visit((box.rows + kTile - 1) / kTile, box.depth, depthStride < stride,
        [&](size_t group, size_t level) {
          const size_t row = std::min(group * kTile, box.rows - kTile);
          uint8_t* records = buffer + group * box.groupStep + level * box.levelStep;
          const uint8_t* from = src + row * stride + level * depthStride;
          stageRows<E>(records, from, stride, box.columns, change);
        });
}

/// Writes one destination row of a box from the records of its column.
ZW_INLINE void writeRow(uint8_t* dst, const uint8_t* records, size_t step, size_t bytes) {
  size_t at = 0;
  for (; bytes - at >= 64; at += 64, records += 4 * step) {
    ZW_UNROLL for (int g = 0; g < 4; g++) store(dst + at + 16 * g, load(records + g * step));
  }
  ZW_NO_UNROLL for (; bytes - at >= 16; at += 16, records += step) store(dst + at, load(records));
  if (at < bytes) store(dst + bytes - 16, load(records));
}

ZW_NOINLINE void writeBox(const Box& box, const CopyPlane& plane, uint8_t* dst) {
  const size_t stride = plane.outer.dstStride, depthStride = plane.depth.dstStride;
  const size_t bytes = box.rows * plane.itemBytes;
  const uint8_t* const buffer = plane.scratch;
  visit(box.columns, box.depth, depthStride < stride, [&](size_t column, size_t level) {
    writeRow(dst + column * stride + level * depthStride,
             buffer + 16 * column + level * box.levelStep, box.groupStep, bytes);
  });
}

using ReadBox = void (*)(const Box& box, const CopyPlane& plane, const uint8_t* src);

/// Swaps of whole items have separate kernels; other widths (complex numbers) share one.
template <int E>
ReadBox chooseReader(uint32_t swapBytes) {
  if (swapBytes == 1) return readBox<E, Keep>;
  return swapBytes == E ? readBox<E, SwapBy<E>> : readBox<E, Swap>;
}

ReadBox chooseReader(const CopyPlane& plane) {
  switch (plane.itemBytes) {
    case 1:
      return readBox<1, Keep>;
    case 2:
      return plane.swapBytes == 1 ? readBox<2, Keep> : readBox<2, SwapBy<2>>;
    case 4:
      return chooseReader<4>(plane.swapBytes);
    default:
      return chooseReader<8>(plane.swapBytes);
  }
}

/// Cuts a side into equal parts of whole lines, at most `max` items each, and returns their
/// length.
size_t partLength(size_t length, size_t max, size_t line) {
  const size_t parts = (length + max - 1) / max;
  return std::min(length, ((length + parts - 1) / parts + line - 1) / line * line);
}

/// Returns the largest box for a plane. A level has at most 64 groups, since a group covers 16 bytes
/// of a row and a row has at most kRowBytes. In addition to its items, a level takes up to 15 bytes
/// per column if rows are not a multiple of a tile, and up to three lines per group: less than
/// 28 * kRowBytes more than kBoxBytes. A box has several levels only if they fit in kBoxBytes.
Box chooseBox(const CopyPlane& plane) {
  const size_t item = plane.itemBytes, line = 64 / item, tile = 16 / item;
  const size_t side = kRowBytes / item;
  Box box{};
  box.rows = partLength(plane.inner.length, side, line);
  const size_t fitting = kBoxBytes / (box.rows * item) & ~(line - 1);
  box.columns = partLength(plane.outer.length, std::min(side, fitting), line);
  const size_t lines = (box.columns + 3) / 4;  // per group; the distance of groups must be odd
  box.groupStep = (lines | 1) * 64;
  box.levelStep = (box.rows + tile - 1) / tile * box.groupStep;
  box.depth = std::clamp<size_t>(kBoxBytes / box.levelStep, 1, plane.depth.length);
  return box;
}

void stagedPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const ReadBox read = chooseReader(plane);
  const Box full = chooseBox(plane);
  const size_t item = plane.itemBytes, tile = 16 / item;
  const CopyAxis &inner = plane.inner, &outer = plane.outer, &depth = plane.depth;
  Box box = full;
  for (size_t row = 0; row < inner.length; row += full.rows) {
    const size_t r = std::min(row, inner.length - tile);
    box.rows = std::min(full.rows, inner.length - r);
    for (size_t d = 0; d < depth.length; d += full.depth) {
      box.depth = std::min(full.depth, depth.length - d);
      for (size_t column = 0; column < outer.length; column += full.columns) {
        const size_t c = std::min(column, outer.length - tile);
        box.columns = std::min(full.columns, outer.length - c);
        read(box, plane, src + r * inner.srcStride + c * item + d * depth.srcStride);
        writeBox(box, plane, dst + r * item + c * outer.dstStride + d * depth.dstStride);
      }
    }
  }
}

/// True if more than `max` of the lines that a block of tiles has on one side share a set of the
/// first-level cache. A line's set is chosen by its address modulo 4096.
bool collide(size_t stride, size_t itemBytes, size_t max) {
  const size_t step = std::min<size_t>(stride & (~stride + 1), 4096);
  return 64 * step > max * 4096 * itemBytes;
}

/// True if lines of one side would leave the caches before direct tiles have used them up. Written
/// lines wait longer, so fewer of them may collide.
bool outgrows(const CopyPlane& plane) {
  const size_t src = plane.inner.srcStride, dst = plane.outer.dstStride;
  return plane.inner.length * src > kCachedBytes || plane.outer.length * dst > kCachedBytes ||
         collide(src, plane.itemBytes, 8) || collide(dst, plane.itemBytes, 4);
}

}  // namespace

PlaneKernel chooseStagedKernel(const CopyPlane& plane) {
  const size_t item = plane.itemBytes;
  const size_t side = std::min(plane.outer.length, plane.inner.length);
  if (item > 8 || !std::has_single_bit(item) || side * item < 16) return nullptr;
  return item == 1 || outgrows(plane) ? stagedPlane : nullptr;
}

}  // namespace zw
