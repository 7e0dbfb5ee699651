#include "kernels/byteswap.hpp"

#include <gtest/gtest.h>

#include "kernels/row.hpp"
#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

TEST(Byteswap, HandComputed) {
  const Bytes in = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const std::vector<std::pair<uint32_t, Bytes>> wanted = {
      {1, in},
      {2, {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}},
      {4, {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12}},
      {8, {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}},
      {16, {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}}};
  for (const auto& [width, out] : wanted) {
    Bytes fast(16), slow(16);
    swapCopy(fast.data(), in.data(), 16 / width, width);
    scalar::swapCopy(slow.data(), in.data(), 16 / width, width);
    EXPECT_EQ(fast, out) << width;
    EXPECT_EQ(slow, out) << width;
  }
}

class ByteswapWidth : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Widths, ByteswapWidth, testing::Values(1, 2, 4, 8, 16));

void expectSwap(size_t bytes, uint32_t width, size_t srcOffset, size_t dstOffset) {
  const ExactBlock src(randomBytes(bytes, 1), srcOffset);
  ExactBlock dst(bytes, dstOffset), wanted(bytes);
  swapCopy(dst.data(), src.data(), bytes / width, width);
  scalar::swapCopy(wanted.data(), src.data(), bytes / width, width);
  ASSERT_EQ(dst.copy(), wanted.copy()) << bytes << " bytes at " << srcOffset << ", " << dstOffset;
  ExactBlock both(src.copy(), dstOffset);  // in place
  swapCopy(both.data(), both.data(), bytes / width, width);
  ASSERT_EQ(both.copy(), wanted.copy()) << bytes << " bytes in place at " << dstOffset;
}

TEST_P(ByteswapWidth, EverySmallSize) {
  for (size_t bytes = 0; bytes <= 300; bytes += GetParam()) expectSwap(bytes, GetParam(), 0, 0);
}

TEST_P(ByteswapWidth, EveryAlignment) {
  for (size_t offset = 0; offset <= 16; offset++) {
    for (size_t other = 0; other <= 16; other++) {
      for (size_t bytes : {16u, 48u, 80u, 144u, 208u}) {
        expectSwap(bytes, GetParam(), offset, other);
      }
    }
  }
}

TEST_P(ByteswapWidth, EdgeSizes) {
  for (size_t edge : edgeSizes()) {
    const size_t bytes = edge / GetParam() * GetParam();
    expectSwap(bytes, GetParam(), 3, 5);
  }
}

TEST(CopyBytes, EverySizeAndTheSwitchToMemcpy) {
  std::vector<size_t> sizes = {kMinMemcpy - 1, kMinMemcpy, kMinMemcpy + 1};
  for (size_t bytes = 0; bytes <= 200; bytes++) sizes.push_back(bytes);
  for (size_t bytes : sizes) {
    const ExactBlock src(randomBytes(bytes, 2), bytes % 17);
    ExactBlock dst(bytes, bytes % 13);
    copyBytes(dst.data(), src.data(), bytes);
    ASSERT_EQ(dst.copy(), src.copy()) << bytes;
  }
  copyBytes(nullptr, nullptr, 0);
}

}  // namespace
}  // namespace zw::test
