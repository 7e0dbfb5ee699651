// Running sums against their scalar twin, and that against sums by hand.
#include <gtest/gtest.h>

#include "kernels/prefix_sum.hpp"
#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

TEST(PrefixSum, HandComputed) {
  const Bytes bytes = {1, 2, 3, 250, 0, 255};
  Bytes sums(6);
  scalar::prefixSum(sums.data(), bytes.data(), 6, 1);
  EXPECT_EQ(sums, (Bytes{1, 3, 6, 0, 0, 255}));
  const Bytes words = {0xff, 0x00, 0x01, 0x01, 0xff, 0xff};
  scalar::prefixSum(sums.data(), words.data(), 3, 2);
  EXPECT_EQ(sums, (Bytes{0xff, 0x00, 0x00, 0x02, 0xff, 0x01}));
}

TEST(PrefixSum, VectorsAgreeWithTheScalarTwinAtEveryCountAndAlignment) {
  for (uint32_t width : {1u, 2u, 4u, 8u}) {
    for (size_t count = 0; count <= 100; count++) {
      for (size_t offset : {0u, 1u, 7u, 15u}) {
        const ExactBlock in(randomBytes(count * width, static_cast<uint32_t>(count)), offset);
        ExactBlock fast(count * width, offset), slow(count * width);
        prefixSum(fast.data(), in.data(), count, width);
        scalar::prefixSum(slow.data(), in.data(), count, width);
        ASSERT_EQ(fast.copy(), slow.copy()) << width << " bytes, " << count;
      }
    }
  }
}

}  // namespace
}  // namespace zw::test
