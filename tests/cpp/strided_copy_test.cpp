#include "kernels/strided_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

using Axes = std::vector<CopyAxis>;
using Lengths = std::vector<size_t>;

/// Bytes from the start of the first item to the end of the last, or 0 without items.
size_t extent(const Axes& axes, size_t itemBytes, size_t CopyAxis::*stride) {
  size_t bytes = itemBytes;
  for (const CopyAxis& axis : axes) {
    if (axis.length == 0) return 0;
    bytes += (axis.length - 1) * (axis.*stride);
  }
  return bytes;
}

std::string text(const Axes& axes, uint32_t itemBytes, uint32_t swapBytes) {
  std::string s = std::to_string(itemBytes) + " bytes, swap " + std::to_string(swapBytes);
  for (const CopyAxis& a : axes) {
    s += " | " + std::to_string(a.length) + ": " + std::to_string(a.srcStride) + " > " +
         std::to_string(a.dstStride);
  }
  return s;
}

/// Compares with the reference, in blocks of exactly the size that the axes span. The destination
/// is filled first, so the bytes between its items are compared as well. Copies that use scratch
/// memory are repeated without.
void expectCopy(const Axes& axes, uint32_t itemBytes, uint32_t swapBytes = 1, size_t srcOffset = 0,
                size_t dstOffset = 0) {
  const ExactBlock src(randomBytes(extent(axes, itemBytes, &CopyAxis::srcStride), 7), srcOffset);
  const Bytes before = randomBytes(extent(axes, itemBytes, &CopyAxis::dstStride), 8);
  ExactBlock dst(before, dstOffset), wanted(before);
  scalar::stridedCopy(axes, itemBytes, swapBytes, src.data(), wanted.data());
  StridedCopy copy;
  ASSERT_FALSE(prepareStridedCopy(axes, itemBytes, swapBytes, copy));
  Buffer scratch;
  runStridedCopy(copy, src.data(), dst.data(), &scratch);
  ASSERT_EQ(std::memcmp(dst.data(), wanted.data(), dst.size()), 0)
      << text(axes, itemBytes, swapBytes) << " at " << srcOffset << ", " << dstOffset;
  if (scratch.capacity() == 0) return;
  std::memcpy(dst.data(), before.data(), before.size());
  runStridedCopy(copy, src.data(), dst.data(), nullptr);
  ASSERT_EQ(std::memcmp(dst.data(), wanted.data(), dst.size()), 0)
      << "without scratch, " << text(axes, itemBytes, swapBytes);
}

/// The axes of numpy.transpose with `order`: from a source in C order whose lengths are larger by
/// `srcPad` to a destination in C order whose lengths are larger by `dstPad`.
Axes permuted(const Lengths& lengths, const Lengths& order, size_t itemBytes, size_t srcPad = 0,
              size_t dstPad = 0) {
  const size_t rank = lengths.size();
  Axes axes(rank);
  Lengths srcStrides(rank);
  size_t stride = itemBytes;
  for (size_t a = rank; a-- > 0; stride *= lengths[a] + srcPad) srcStrides[a] = stride;
  stride = itemBytes;
  for (size_t a = rank; a-- > 0; stride *= axes[a].length + dstPad) {
    axes[a] = {lengths[order[a]], srcStrides[order[a]], stride};
  }
  return axes;
}

/// All swap widths that divide the item.
std::vector<uint32_t> swapWidths(uint32_t itemBytes) {
  std::vector<uint32_t> widths;
  for (uint32_t width : {1u, 2u, 4u, 8u, 16u}) {
    if (itemBytes % width == 0) widths.push_back(width);
  }
  return widths;
}

Lengths identity(size_t rank) {
  Lengths order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

/// The bytes 0, 1, 2 … in shape `lengths`, permuted by `order`.
Bytes numbered(const Lengths& lengths, const Lengths& order) {
  const Axes axes = permuted(lengths, order, 1);
  Bytes in(extent(axes, 1, &CopyAxis::srcStride)), out(in.size());
  std::iota(in.begin(), in.end(), uint8_t{0});
  StridedCopy copy;
  EXPECT_FALSE(prepareStridedCopy(axes, 1, 1, copy));
  runStridedCopy(copy, in.data(), out.data(), nullptr);
  return out;
}

// Examples of the transpose codec in the specification, shape (2, 3, 4).
TEST(StridedCopy, HandComputedTransposes) {
  const Lengths shape = {2, 3, 4};
  EXPECT_EQ(numbered(shape, {1, 2, 0}), (Bytes{0, 12, 1, 13, 2, 14, 3, 15, 4,  16, 5,  17,
                                               6, 18, 7, 19, 8, 20, 9, 21, 10, 22, 11, 23}));
  EXPECT_EQ(numbered(shape, {2, 0, 1}), (Bytes{0, 4, 8,  12, 16, 20, 1, 5, 9,  13, 17, 21,
                                               2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}));
  EXPECT_EQ(numbered(shape, {2, 1, 0}), (Bytes{0, 12, 4, 16, 8,  20, 1, 13, 5, 17, 9,  21,
                                               2, 14, 6, 18, 10, 22, 3, 15, 7, 19, 11, 23}));
  EXPECT_EQ(numbered(shape, {0, 2, 1}), (Bytes{0,  4,  8,  1,  5,  9,  2,  6,  10, 3,  7,  11,
                                               12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23}));
}

TEST(StridedCopy, HandComputedSwapAndPlacement) {
  // Two big-endian 16-bit rows of two, transposed into the middle of a larger array.
  const Bytes in = {0x00, 0x01, 0x00, 0x02, 0x00, 0x03, 0x00, 0x04};
  Bytes out(14, 0xee);
  StridedCopy copy;
  const Axes axes = {{2, 2, 6}, {2, 4, 2}};
  ASSERT_FALSE(prepareStridedCopy(axes, 2, 2, copy));
  runStridedCopy(copy, in.data(), out.data() + 2, nullptr);
  EXPECT_EQ(out, (Bytes{0xee, 0xee, 1, 0, 3, 0, 0xee, 0xee, 2, 0, 4, 0, 0xee, 0xee}));
}

const std::vector<uint32_t> kItems = {1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 33};

class StridedCopyItem : public testing::TestWithParam<uint32_t> {
 public:
  /// All permutations of `lengths`, whole and cropped on either side, with every swap.
  void expectAllPermutations(const Lengths& lengths) {
    Lengths order = identity(lengths.size());
    do {
      for (uint32_t swap : swapWidths(GetParam())) {
        for (size_t pad : {0u, 1u}) {
          expectCopy(permuted(lengths, order, GetParam(), pad, 0), GetParam(), swap);
          expectCopy(permuted(lengths, order, GetParam(), 0, 2 * pad), GetParam(), swap);
        }
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
};
INSTANTIATE_TEST_SUITE_P(Items, StridedCopyItem, testing::ValuesIn(kItems));

TEST_P(StridedCopyItem, AllPermutationsOfUnequalLengths) {
  expectAllPermutations({37});
  expectAllPermutations({19, 34});
  expectAllPermutations({5, 18, 11});
  expectAllPermutations({3, 7, 2, 9});
  expectAllPermutations({3, 2, 5, 4, 6});
}

TEST_P(StridedCopyItem, LengthsOfOneAndNone) {
  for (const Lengths& lengths :
       {Lengths{1}, {1, 1}, {1, 17}, {17, 1}, {1, 9, 1, 8, 1}, {2, 1, 3}}) {
    expectAllPermutations(lengths);
  }
  for (const Lengths& lengths : {Lengths{0}, {0, 5}, {5, 0}, {3, 0, 4}, {1, 0}}) {
    Axes axes;
    for (size_t length : lengths) axes.push_back({length, 8, 8});
    StridedCopy copy;
    ASSERT_FALSE(prepareStridedCopy(axes, GetParam(), 1, copy));
    EXPECT_TRUE(copy.empty);
    EXPECT_FALSE(isPlainCopy(copy));
    runStridedCopy(copy, nullptr, nullptr, nullptr);
  }
}

TEST_P(StridedCopyItem, RankZero) {
  for (uint32_t swap : swapWidths(GetParam())) expectCopy({}, GetParam(), swap, 1, 3);
}

// Sides around the edges of tiles (4, 8, 16 bytes) and blocks (64 bytes), in both orders.
TEST_P(StridedCopyItem, TransposesAroundTheBlockSizes) {
  const size_t item = GetParam();
  const Lengths bytes = {4, 8, 12, 15, 16, 17, 31, 33, 63, 64, 65, 130};
  Lengths sides = {2, 3};
  for (size_t b : bytes) sides.push_back(std::max<size_t>(2, b / item));
  for (size_t rows : sides) {
    for (size_t columns : sides) {
      expectCopy(permuted({rows, columns}, {1, 0}, item), GetParam());
      const uint32_t swap = swapWidths(GetParam()).back();
      if (swap > 1) expectCopy(permuted({rows, columns}, {1, 0}, item, 1, 3), GetParam(), swap);
    }
  }
}

TEST_P(StridedCopyItem, EveryAlignment) {
  const uint32_t item = GetParam();
  const size_t side = 80 / item + 3;
  for (size_t src = 0; src <= 16; src++) {
    for (size_t dst = 0; dst <= 16; dst++) {
      expectCopy(permuted({side, side + 1}, {1, 0}, item), item, 1, src, dst);
      if ((src + dst) % 4 > 0) continue;
      expectCopy(permuted({side, side + 2}, {0, 1}, item, 1), item, 1, src, dst);
      expectCopy({{side, 3 * item, item}}, item, swapWidths(item).back(), src, dst);
      expectCopy({{side, 0, item}}, item, swapWidths(item).back(), src, dst);
    }
  }
}

// Strides whose lines collide in the cache use another kernel.
TEST_P(StridedCopyItem, CollidingStrides) {
  const uint32_t item = GetParam();
  for (size_t stride : {1024u, 2048u, 4096u, 8192u}) {
    const size_t side = std::min<size_t>(stride / item, 140 / item + 2);
    for (uint32_t swap : swapWidths(item)) {
      expectCopy({{side, item, stride}, {side + 1, stride, item}}, item, swap);
      expectCopy({{side, item, side * item + item}, {side + 1, stride, item}}, item, swap);
    }
  }
}

// Planes larger than a box of the staged tiles (1024 bytes per side), whole and with gaps.
TEST_P(StridedCopyItem, PlanesOfSeveralBoxes) {
  const size_t item = GetParam(), box = 1024 / item;
  const uint32_t swap = swapWidths(GetParam()).back();
  expectCopy(permuted({box + 3, 2 * box + 1}, {1, 0}, item), GetParam());
  expectCopy(permuted({box / 2 + 21, box + box / 4 + 5}, {1, 0}, item, 3, 2), GetParam(), swap);
  expectCopy(permuted({3 * box + 2, 64 / item + 19}, {1, 0}, item, 1, 0), GetParam(), swap);
  expectCopy(permuted({64 / item + 18, 3 * box + 2}, {1, 0}, item, 0, 5), GetParam(), swap);
}

// The third axis of the staged tiles, which continues the rows of either side, of both or of
// neither, and more of it than fits in the buffer.
TEST_P(StridedCopyItem, BoxesOfSeveralLevels) {
  const size_t item = GetParam(), side = 520 / item + 1;
  Lengths order = identity(3);
  do {
    for (uint32_t swap : swapWidths(GetParam())) {
      expectCopy(permuted({side, 3, side + 2}, order, item, 1, 2), GetParam(), swap);
    }
    expectCopy(permuted({side / 3 + 17, 23, side + 3}, order, item), GetParam());
  } while (std::next_permutation(order.begin(), order.end()));
  for (const Lengths& four : {Lengths{1, 3, 0, 2}, {3, 2, 1, 0}, {2, 3, 0, 1}, {3, 0, 2, 1}}) {
    const uint32_t swap = swapWidths(GetParam()).back();
    expectCopy(permuted({3, 80 / item + 4, 70 / item + 17, 90 / item + 16}, four, item),
               GetParam());
    expectCopy(permuted({80 / item + 17, 5, 7, 66 / item + 16}, four, item, 1, 1), GetParam(),
               swap);
  }
}

// Strides of large powers of two on both sides, with an axis in between that continues the rows.
TEST_P(StridedCopyItem, LevelsAtCollidingStrides) {
  const uint32_t item = GetParam();
  const size_t side = 64 / item + 5, run = 128 * item;
  for (uint32_t swap : swapWidths(item)) {
    expectCopy({{side, item, 16384}, {7, run, run}, {side + 1, 16384, item}}, item, swap, 5, 3);
    expectCopy({{side, item, 16384}, {6, 131072, run}, {side + 1, 1024, item}}, item, swap);
    expectCopy({{side, item, 1024}, {6, run, 131072}, {side + 1, 16384, item}}, item, swap);
  }
}

TEST_P(StridedCopyItem, StepsOnEitherSide) {
  const uint32_t item = GetParam();
  for (size_t step = 1; step <= 5; step++) {
    for (size_t length : {2u, 15u, 16u, 17u, 33u, 70u}) {
      for (uint32_t swap : swapWidths(item)) {
        expectCopy({{length, step * item, item}}, item, swap);
        expectCopy({{length, item, step * item}}, item, swap);
        expectCopy({{3, 400 * item, 80 * item}, {length, step * item, item}}, item, swap);
        expectCopy({{length, item, 9 * item}, {4, 80 * step * item, 2 * item}}, item, swap);
      }
    }
    // Strides that are not multiples of the item: fields of structs.
    expectCopy({{40, item + step, item}}, item);
    expectCopy({{40, item, item + step}}, item);
    expectCopy({{40, item + step, item + 2 * step}}, item);
  }
}

TEST_P(StridedCopyItem, RepeatedSource) {
  const uint32_t item = GetParam();
  for (uint32_t swap : swapWidths(item)) {
    for (size_t length : {2u, 3u, 5u, 16u, 17u, 63u, 200u}) {
      expectCopy({{length, 0, item}}, item, swap);                         // one run
      expectCopy({{length, 0, item + 3}}, item, swap);                     // with gaps
      expectCopy({{3, 0, 201 * item}, {length, 0, item}}, item, swap);     // rows
      expectCopy({{3, item, 201 * item}, {length, 0, item}}, item, swap);  // one a row
      expectCopy({{3, 0, 201 * item}, {length, item, item}}, item, swap);  // a row again
      expectCopy({{3, 0, 4000 * item}, {length, item, 20 * item}, {19, length * item, item}}, item,
                 swap);  // a transpose again
    }
  }
}

// Channels that are interleaved on one side and planar on the other; packed and not.
TEST_P(StridedCopyItem, Channels) {
  const uint32_t item = GetParam();
  for (size_t channels = 2; channels <= 18; channels++) {
    for (size_t pixels : {2u, 15u, 16u, 17u, 40u, 65u, 130u}) {
      for (uint32_t swap : swapWidths(item)) {
        expectCopy(permuted({pixels, channels}, {1, 0}, item), item, swap);
        expectCopy(permuted({channels, pixels}, {1, 0}, item), item, swap);
      }
      expectCopy(permuted({3, pixels, channels}, {2, 0, 1}, item, 0, 1), item);
      expectCopy(permuted({channels, 3, pixels}, {1, 2, 0}, item, 1, 0), item);
    }
  }
}

TEST(StridedCopy, RowsOfEveryLength) {
  for (size_t row = 1; row <= 150; row++) {
    expectCopy({{5, row + 3, row + 1}, {row, 1, 1}}, 1);
    expectCopy({{3, 500, 700}, {4, row, 160}, {row, 1, 1}}, 1);
    if (row % 2 == 0) expectCopy({{5, row + 3, row + 1}, {row / 2, 2, 2}}, 2, 2);
    if (row % 16 == 0) expectCopy({{5, row + 3, row + 1}, {row / 16, 16, 16}}, 16, 16);
  }
}

TEST(StridedCopy, RankSixtyFour) {
  // Two axes of length 2 among 62 of length 1, then ten of length 2 in reverse order.
  Axes ones(64, CopyAxis{1, 12345, 54321});
  ones[10] = {2, 1, 2};
  ones[50] = {2, 2, 1};
  expectCopy(ones, 1);
  Axes twos(64, CopyAxis{1, 0, 0});
  for (size_t a = 0; a < 10; a++) twos[6 * a] = {2, size_t{4} << a, size_t{4} << (9 - a)};
  expectCopy(twos, 4, 2);
}

TEST(StridedCopy, LargeItems) {
  for (uint32_t item : {4095u, 65536u, kMaxItemBytes}) {
    expectCopy(permuted({3, 2}, {1, 0}, item), item);
    expectCopy({{3, 0, item}}, item);
  }
  expectCopy({{3, 0, 4096}}, 4096, 8);
}

TEST(StridedCopy, OnePlainRow) {
  struct {
    Axes axes;
    uint32_t itemBytes, swapBytes;
    bool plain;
  } const cases[] = {
      {{}, 4, 1, true},
      {{}, 4, 4, false},
      {{{10, 4, 4}}, 4, 1, true},
      {{{10, 4, 4}}, 4, 2, false},
      {{{10, 8, 4}}, 4, 1, false},
      {{{10, 4, 8}}, 4, 1, false},
      {{{3, 40, 40}, {10, 4, 4}}, 4, 1, true},
      {{{10, 4, 4}, {3, 40, 40}}, 4, 1, true},  // in any order
      {{{3, 44, 40}, {10, 4, 4}}, 4, 1, false},
      {{{1, 99, 77}, {3, 40, 40}, {10, 4, 4}, {1, 0, 0}}, 4, 1, true},
      {{{3, 4, 40}, {10, 12, 4}}, 4, 1, false},
      {{{10, 0, 4}}, 4, 1, false},
      {{{0, 4, 4}}, 4, 1, false},
  };
  for (const auto& c : cases) {
    StridedCopy copy;
    ASSERT_FALSE(prepareStridedCopy(c.axes, c.itemBytes, c.swapBytes, copy));
    EXPECT_EQ(isPlainCopy(copy), c.plain) << text(c.axes, c.itemBytes, c.swapBytes);
    if (!c.axes.empty() && c.axes[0].length == 0) continue;
    expectCopy(c.axes, c.itemBytes, c.swapBytes);
  }
}

TEST(StridedCopy, BadParameters) {
  const Axes tooMany(kMaxRank + 1, CopyAxis{1, 1, 1});
  const Axes one = {{4, 64, 64}};
  StridedCopy copy;
  EXPECT_EQ(prepareStridedCopy(tooMany, 1, 1, copy).code, Code::BadParameters);
  EXPECT_EQ(prepareStridedCopy(one, 0, 1, copy).code, Code::BadParameters);
  EXPECT_EQ(prepareStridedCopy(one, kMaxItemBytes + 1, 1, copy).code, Code::BadParameters);
  EXPECT_EQ(prepareStridedCopy(one, 6, 4, copy).code, Code::BadParameters);
  for (uint32_t swap : {0u, 3u, 5u, 32u, 64u}) {
    EXPECT_EQ(prepareStridedCopy(one, 64 * 15, swap, copy).code, Code::BadParameters) << swap;
  }
}

/// Random combinations of everything that the other tests vary.
TEST(StridedCopy, RandomAxes) {
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return random() % n; };
  for (int round = 0; round < 3000; round++) {
    const uint32_t item = kItems[below(kItems.size())];
    const size_t rank = below(5);
    Axes axes(rank);
    // Destination strides leave room for inner axes; source strides are arbitrary.
    size_t dstStride = item + below(2) * below(5);
    for (CopyAxis& axis : axes) {
      axis.length = 1 + below(below(4) == 0 ? 70 : 12);
      axis.dstStride = dstStride;
      dstStride = dstStride * axis.length + below(2) * below(9);
      axis.srcStride = below(5) == 0 ? 0 : item * (1 + below(3) * below(40)) + below(4) / 3;
    }
    if (dstStride > 500000) continue;
    if (rank > 0 && below(2)) axes[below(rank)].srcStride = item;
    std::shuffle(axes.begin(), axes.end(), random);
    const auto widths = swapWidths(item);
    expectCopy(axes, item, widths[below(widths.size())], below(17), below(17));
  }
}

}  // namespace
}  // namespace zw::test
