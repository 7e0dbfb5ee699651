// Running sums, compared with the scalar reference, which is compared with handwritten sums.
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

TEST(PrefixSum, EqualsTheReferenceAtEveryCountAndAlignment) {
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

TEST(PrefixSum, StepsByHand) {
  const Bytes bytes = {1, 10, 2, 20, 255, 250, 7};
  Bytes sums(7), back(7);
  prefixSumSteps(sums.data(), bytes.data(), 7, 1, 2);
  EXPECT_EQ(sums, (Bytes{1, 10, 3, 30, 2, 24, 9}));
  differences(back.data(), sums.data(), 7, 1, 2);
  EXPECT_EQ(back, bytes);
}

TEST(PrefixSum, StepsEqualTheReferenceAtEveryCountAndAlignment) {
  for (uint32_t width : {1u, 2u, 4u, 8u}) {
    for (size_t step : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 40}) {
      for (size_t count = 0; count <= 70; count++) {
        const size_t offset = count % 16;
        const ExactBlock in(randomBytes(count * width, static_cast<uint32_t>(count)), offset);
        ExactBlock fast(count * width, offset), slow(count * width);
        prefixSumSteps(fast.data(), in.data(), count, width, step);
        scalar::steps(slow.data(), in.data(), count, width, step, false);
        ASSERT_EQ(fast.copy(), slow.copy()) << width << " bytes, " << count << " by " << step;
        differences(fast.data(), in.data(), count, width, step);
        scalar::steps(slow.data(), in.data(), count, width, step, true);
        ASSERT_EQ(fast.copy(), slow.copy()) << width << " bytes, " << count << " by " << step;
      }
    }
  }
}

}  // namespace
}  // namespace zw::test
