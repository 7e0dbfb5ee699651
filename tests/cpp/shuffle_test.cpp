#include "kernels/shuffle.hpp"

#include <gtest/gtest.h>

#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

TEST(Shuffle, HandComputed) {
  // Three elements of four bytes: first all bytes 0, then all bytes 1 …
  const Bytes items = {0x00, 0x01, 0x02, 0x03, 0x10, 0x11, 0x12, 0x13, 0x20, 0x21, 0x22, 0x23};
  const Bytes planes = {0x00, 0x10, 0x20, 0x01, 0x11, 0x21, 0x02, 0x12, 0x22, 0x03, 0x13, 0x23};
  Bytes out(12);
  shuffleBytes(out.data(), items.data(), 3, 4);
  EXPECT_EQ(out, planes);
  scalar::shuffleBytes(out.data(), items.data(), 3, 4);
  EXPECT_EQ(out, planes);
  unshuffleBytes(out.data(), planes.data(), 3, 4);
  EXPECT_EQ(out, items);
  scalar::unshuffleBytes(out.data(), planes.data(), 3, 4);
  EXPECT_EQ(out, items);
}

/// Runs all three kernels on blocks of exactly the right size and compares with the references.
void expectShuffles(size_t count, uint32_t itemBytes, size_t srcOffset = 0, size_t dstOffset = 0) {
  const size_t bytes = count * itemBytes;
  const auto what = [=] { return testing::Message() << count << " of " << itemBytes << " bytes"; };
  const ExactBlock src(randomBytes(bytes, 1), srcOffset);
  ExactBlock dst(bytes, dstOffset), wanted(bytes);
  shuffleBytes(dst.data(), src.data(), count, itemBytes);
  scalar::shuffleBytes(wanted.data(), src.data(), count, itemBytes);
  ASSERT_EQ(dst.copy(), wanted.copy()) << "shuffle " << what();

  ExactBlock back(bytes, dstOffset);
  unshuffleBytes(back.data(), src.data(), count, itemBytes);
  scalar::unshuffleBytes(wanted.data(), src.data(), count, itemBytes);
  ASSERT_EQ(back.copy(), wanted.copy()) << "unshuffle " << what();

  // Each plane in a separate block, in any order and at any alignment.
  std::vector<ExactBlock> planes;
  std::vector<const uint8_t*> list;
  for (uint32_t b = 0; b < itemBytes; b++) {
    const uint8_t* plane = src.data() + b * count;
    planes.emplace_back(Bytes(plane, plane + count), (b * 5 + srcOffset) % 17);
  }
  for (const ExactBlock& plane : planes) list.push_back(plane.data());
  ExactBlock joined(bytes, dstOffset);
  unshufflePlanes(joined.data(), list.data(), count, itemBytes);
  ASSERT_EQ(joined.copy(), wanted.copy()) << "planes " << what();
}

class ShuffleItem : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Items, ShuffleItem,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                         18, 20, 24, 31, 32, 33, 48, 100, 255, 1000));

TEST_P(ShuffleItem, EveryCountAcrossTheBlockSizes) {
  const size_t max = GetParam() > 33 ? 70 : 200;
  for (size_t count = 0; count <= max; count++) expectShuffles(count, GetParam());
}

TEST_P(ShuffleItem, EveryAlignment) {
  for (size_t offset = 0; offset <= 16; offset++) {
    for (size_t count : {17u, 65u, 130u}) {
      expectShuffles(count, GetParam(), offset, 0);
      expectShuffles(count, GetParam(), 16 - offset, offset);
    }
  }
}

TEST_P(ShuffleItem, EdgeCounts) {
  for (size_t count : edgeSizes()) {
    if (count * GetParam() <= 300000) expectShuffles(count, GetParam(), 1, 2);
  }
}

}  // namespace
}  // namespace zw::test
