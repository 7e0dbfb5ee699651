#include "kernels/bitshuffle.hpp"

#include <gtest/gtest.h>

#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

/// Compares both directions with the scalar reference.
void expectBoth(const Bytes& items, const Bytes& rows, uint32_t itemBytes) {
  const size_t count = items.size() / itemBytes;
  Bytes out(items.size());
  bitshuffle(out.data(), items.data(), count, itemBytes);
  EXPECT_EQ(out, rows);
  scalar::bitshuffle(out.data(), items.data(), count, itemBytes);
  EXPECT_EQ(out, rows);
  bitunshuffle(out.data(), rows.data(), count, itemBytes);
  EXPECT_EQ(out, items);
  scalar::bitunshuffle(out.data(), rows.data(), count, itemBytes);
  EXPECT_EQ(out, items);
}

// Bit row r holds bit r of every element, element i in bit i % 8 of its byte i / 8.
TEST(Bitshuffle, HandComputed) {
  // Elements 1, 2, 4 … 128: bit r is set only in element r.
  expectBoth({1, 2, 4, 8, 16, 32, 64, 128}, {1, 2, 4, 8, 16, 32, 64, 128}, 1);
  // All elements 1: row 0 is full, the others are empty.
  expectBoth({1, 1, 1, 1, 1, 1, 1, 1}, {0xff, 0, 0, 0, 0, 0, 0, 0}, 1);
  // The counter 0..7: bit 0 alternates, bit 1 in pairs, bit 2 in fours.
  expectBoth({0, 1, 2, 3, 4, 5, 6, 7}, {0xaa, 0xcc, 0xf0, 0, 0, 0, 0, 0}, 1);
  // Sixteen bytes, two per row: only element 9 has bit 7.
  expectBoth({0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0},
             {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02}, 1);
  // Eight little-endian 16-bit elements: 0x8001 first, 0x0100 last, else 0. Row 0: element 0;
  // row 8 (bit 0 of byte 1): element 7; row 15: element 0.
  expectBoth({0x01, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x01},
             {0x01, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x01}, 2);
}

// The same pattern with enough elements for the vector kernels: element i is i modulo 256.
TEST(Bitshuffle, HandComputedCounter) {
  Bytes items(1024), rows(1024);
  for (size_t i = 0; i < 1024; i++) items[i] = static_cast<uint8_t>(i);
  for (size_t k = 0; k < 128; k++) {  // byte k of a row: elements 8 k … 8 k + 7
    rows[k] = 0xaa;
    rows[128 + k] = 0xcc;
    rows[256 + k] = 0xf0;
    for (size_t r = 3; r < 8; r++) rows[128 * r + k] = (8 * k >> r) & 1 ? 0xff : 0x00;
  }
  expectBoth(items, rows, 1);
}

void expectBitshuffles(size_t count, uint32_t itemBytes, size_t srcOffset = 0,
                       size_t dstOffset = 0) {
  const size_t bytes = count * itemBytes;
  const ExactBlock src(randomBytes(bytes, 1), srcOffset);
  ExactBlock dst(bytes, dstOffset), wanted(bytes);
  bitshuffle(dst.data(), src.data(), count, itemBytes);
  scalar::bitshuffle(wanted.data(), src.data(), count, itemBytes);
  ASSERT_EQ(dst.copy(), wanted.copy()) << "shuffle " << count << " of " << itemBytes << " bytes";
  ExactBlock back(bytes, dstOffset);
  bitunshuffle(back.data(), src.data(), count, itemBytes);
  scalar::bitunshuffle(wanted.data(), src.data(), count, itemBytes);
  ASSERT_EQ(back.copy(), wanted.copy()) << "unshuffle " << count << " of " << itemBytes << " bytes";
}

class BitshuffleItem : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Items, BitshuffleItem,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 20, 24, 31, 32, 33,
                                         100, 255));

TEST_P(BitshuffleItem, EveryCountAcrossTheBlockSizes) {
  const size_t max = GetParam() > 8 ? 1100 : 1700, step = GetParam() > 8 ? 88 : 8;
  for (size_t count = 0; count <= max; count += step) expectBitshuffles(count, GetParam());
  for (size_t count : {128u, 136u, 504u, 512u, 520u}) expectBitshuffles(count, GetParam());
}

TEST_P(BitshuffleItem, EveryAlignment) {
  for (size_t offset = 0; offset <= 16; offset++) {
    expectBitshuffles(136, GetParam(), offset, 0);
    expectBitshuffles(136, GetParam(), 16 - offset, offset);
    if (offset % 5 == 0) expectBitshuffles(520, GetParam(), offset, 16 - offset);
  }
}

TEST_P(BitshuffleItem, PowersOfTwo) {
  for (size_t count : {4096u, 8192u}) expectBitshuffles(count, GetParam(), 1, 2);
}

}  // namespace
}  // namespace zw::test
