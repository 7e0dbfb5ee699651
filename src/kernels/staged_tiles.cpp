// Transposes by way of a buffer.
//
// Here as in tiles.cpp the plane's outer axis is contiguous in the source: its items form a source
// row (a line of columns), and source rows follow one another along the inner axis. The inner axis
// is contiguous in the destination: its items form a destination row. A third axis, depth, is that
// of the remaining ones along which destination rows lie closest to each other.
//
// What such a copy costs is not the shuffling but the way through memory: both sides cannot be
// walked in order at once. Tiles that go straight from one to the other read and write single cache
// lines that are a row apart. Each comes with a translation of its own, nothing can be fetched
// ahead, and where the distance of rows has a large power of two in it all these lines share a few
// sets of the caches and throw one another out before the rest of them is used: transposing 128 by
// 128 by 128 items of 4 bytes end for end ran at a ninth of a copy's speed.
//
// So the plane is cut into boxes that are long along all rows, on both sides, and deep enough that
// the runs of neighbouring rows join to (parts of) pages. A box goes in two steps through a buffer
// that stays in the second-level cache:
//  - read: 16 / E source rows at a time, side by side from end to end, are transposed in registers
//    to one record of 16 bytes per column (16 / E items of a destination row);
//  - write: destination rows are put together from the records of their column, each from end to
//    end. Records are copied as they are, so any number of rows and columns will do: the last
//    record overlaps the one before.
// Both steps visit the rows of a box in the order in which they lie in memory: depth turns fastest
// where it continues the rows, and slowest where it is a plane after another. In the buffer the
// records of one column are an odd number of cache lines apart, so they never share a set.
//
// The sizes: boxes have rows of up to kRowBytes, as the hardware only begins to fetch ahead after a
// few lines of a page, and as much depth as the buffer holds, which is as large as a part of a
// second-level cache can be on most machines. Rows of 512 bytes were slower by up to a third, twice
// the buffer was no faster.
//
// The rule: straight tiles (tiles.cpp) move every byte once instead of twice and are up to twice as
// fast while both sides stay in the caches, and several times slower when they do not. So this way
// is taken where one side of a plane spans more than kCachedBytes or its lines collide in the
// first-level cache, and for single bytes always, whose tiles are as slow in registers. Items of 16
// bytes never take it: four of them fill a line, and straight through they are no slower.
//
// Byte order is reversed by one shuffle as the vectors are loaded, which memory hides.
//
// Safe because: boxes lie inside the plane, and tiles inside boxes: where a side is no multiple of
// a tile the last tile ends with the side and overlaps the one before, which is harmless since
// source and destination do not overlap. Records of a box take at most its own size and a few lines
// more per row of records, see chooseBox.
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

/// The most that a box holds (unless it is one level and small), and that one of its rows has on
/// either side.
constexpr size_t kBoxBytes = size_t{256} << 10;
constexpr size_t kRowBytes = 1024;

/// What a side of a plane may span to stay in the caches: a part of a second-level cache.
constexpr size_t kCachedBytes = size_t{128} << 10;

/// Records take at most this much of the buffer; see chooseBox.
static_assert(kBoxBytes + 28 * kRowBytes + 64 <= kStagedBytes);

/// The plane's buffer, from its first cache line on.
uint8_t* alignedBuffer(const CopyPlane& plane) {
  return plane.scratch + (-reinterpret_cast<uintptr_t>(plane.scratch) & 63);
}

/// A part of a plane and how its records lie in the buffer: those of 16 / E rows follow one another
/// column by column and make a group, the groups of all rows a level.
struct Box {
  size_t rows;
  size_t columns;
  size_t depth;
  size_t groupStep;
  size_t levelStep;
};

/// Calls work(i, level) for all i below `count` and all levels below `depth`.
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

/// 16 bytes of each of 16 / E rows to 16 / E records.
template <int E, class Change>
requires(E > 1) ZW_INLINE
    void stageTile(uint8_t* records, const uint8_t* src, size_t stride, const Change& change) {
  constexpr int kTile = 16 / E;
  U8x16 v[kTile];
  ZW_UNROLL for (int i = 0; i < kTile; i++, src += stride) v[i] = change(load(src));
  join<kTile, E>(v);
  ZW_UNROLL for (int i = 0; i < kTile; i++) store(records + 16 * i, v[i]);
}

/// The same for single bytes, in two halves: there are not registers for 16 vectors.
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

/// The records of `columns` columns of 16 / E rows.
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
  uint8_t* const buffer = alignedBuffer(plane);
  visit((box.rows + kTile - 1) / kTile, box.depth, depthStride < stride,
        [&](size_t group, size_t level) {
          const size_t row = std::min(group * kTile, box.rows - kTile);
          uint8_t* records = buffer + group * box.groupStep + level * box.levelStep;
          const uint8_t* from = src + row * stride + level * depthStride;
          stageRows<E>(records, from, stride, box.columns, change);
        });
}

/// One destination row of a box from the records of its column.
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
  const uint8_t* const buffer = alignedBuffer(plane);
  visit(box.columns, box.depth, depthStride < stride, [&](size_t column, size_t level) {
    writeRow(dst + column * stride + level * depthStride,
             buffer + 16 * column + level * box.levelStep, box.groupStep, bytes);
  });
}

using ReadBox = void (*)(const Box& box, const CopyPlane& plane, const uint8_t* src);

/// The usual swap is known beforehand; others (of complex numbers' parts) take one kernel.
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

/// The length of the equal parts that a side is cut into: whole lines, and no more than `most`.
size_t partLength(size_t length, size_t most, size_t line) {
  const size_t parts = (length + most - 1) / most;
  return std::min(length, ((length + parts - 1) / parts + line - 1) / line * line);
}

/// The largest boxes of a plane. A level has at most 64 groups (kRowBytes of 16 bytes each), which
/// take what their items take, up to 15 bytes more per column where rows are no multiple of a tile,
/// and up to three lines each: less than 28 * kRowBytes above kBoxBytes. Several levels are taken
/// only where they fit kBoxBytes.
Box chooseBox(const CopyPlane& plane) {
  const size_t item = plane.itemBytes, line = 64 / item, tile = 16 / item;
  const size_t side = kRowBytes / item;
  Box box{};
  box.rows = partLength(plane.inner.length, side, line);
  const size_t fitting = kBoxBytes / (box.rows * item) & ~(line - 1);
  box.columns = partLength(plane.outer.length, std::min(side, fitting), line);
  const size_t lines = (box.columns + 3) / 4;  // of one group; their distance is made odd
  box.groupStep = (lines | 1) * 64;
  box.levelStep = (box.rows + tile - 1) / tile * box.groupStep;
  box.depth = std::clamp<size_t>(kBoxBytes / box.levelStep, 1, plane.depth.length);
  return box;
}

void stagedPlane(const CopyPlane& plane, const uint8_t* src, uint8_t* dst) {
  const ReadBox read = chooseReader(plane);
  const Box most = chooseBox(plane);
  const size_t item = plane.itemBytes, tile = 16 / item;
  const CopyAxis &inner = plane.inner, &outer = plane.outer, &depth = plane.depth;
  Box box = most;
  for (size_t row = 0; row < inner.length; row += most.rows) {
    const size_t r = std::min(row, inner.length - tile);
    box.rows = std::min(most.rows, inner.length - r);
    for (size_t d = 0; d < depth.length; d += most.depth) {
      box.depth = std::min(most.depth, depth.length - d);
      for (size_t column = 0; column < outer.length; column += most.columns) {
        const size_t c = std::min(column, outer.length - tile);
        box.columns = std::min(most.columns, outer.length - c);
        read(box, plane, src + r * inner.srcStride + c * item + d * depth.srcStride);
        writeBox(box, plane, dst + r * item + c * outer.dstStride + d * depth.dstStride);
      }
    }
  }
}

/// Whether more than `most` of the lines that a block of tiles has on one side share a set of the
/// first-level cache, which lines take by their address modulo 4096.
bool collide(size_t stride, size_t itemBytes, size_t most) {
  const size_t step = std::min<size_t>(stride & (~stride + 1), 4096);
  return 64 * step > most * 4096 * itemBytes;
}

/// Whether one side's lines would leave the caches before tiles that go straight through have used
/// them up. Lines that are written wait longer, so fewer of them may collide.
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
