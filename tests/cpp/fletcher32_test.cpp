// HDF5's Fletcher-32: published values, comparison with a word-by-word reference at sizes around
// the edges of rows and stretches, and sums that are multiples of 65535.
#include "kernels/fletcher32.hpp"

#include <gtest/gtest.h>

#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

uint32_t ofText(const char* text) {
  return fletcher32(reinterpret_cast<const uint8_t*>(text), std::strlen(text));
}

TEST(Fletcher32, KnownValues) {
  EXPECT_EQ(ofText(""), 0u);
  EXPECT_EQ(ofText("123456789"), 0x09df09d5u);
  EXPECT_EQ(ofText("12345678"), 0x000ad0d4u);
}

void expectEqual(const Bytes& bytes, size_t offset = 0) {
  const ExactBlock block(bytes, offset);
  ASSERT_EQ(fletcher32(block.data(), block.size()), scalar::fletcher32(block.data(), block.size()))
      << bytes.size();
}

TEST(Fletcher32, EqualsTheReferenceAtEverySize) {
  std::vector<size_t> sizes = edgeSizes();
  for (size_t around : {5760, 11520, 57600}) {
    for (size_t size = around - 20; size <= around + 20; size++) sizes.push_back(size);
  }
  for (size_t size : sizes) {
    const auto seed = static_cast<uint32_t>(size);
    expectEqual(randomBytes(size, seed), size % 16);
    expectEqual(smoothBytes(size, seed));
    expectEqual(Bytes(size, 0));
    expectEqual(Bytes(size, 0xff));  // words of 65535: every sum is a multiple
  }
}

TEST(Fletcher32, SumsThatAreMultiples) {
  for (size_t size : {2, 16, 18, 4096, 5760, 5778}) {
    for (size_t at = 0; at + 1 < size; at += 2) {
      Bytes bytes(size, 0);
      bytes[at] = bytes[at + 1] = 0xff;
      expectEqual(bytes);
      // A second word makes the first sum 65535; its position determines the second sum.
      bytes[at] = 1;
      bytes[size - 2] = 0xfe;
      expectEqual(bytes);
      if (at >= 512) at += 94;
    }
  }
}

TEST(Fletcher32, AtEveryAlignment) {
  for (size_t offset = 0; offset < 16; offset++) expectEqual(randomBytes(1001, 1), offset);
}

}  // namespace
}  // namespace zw::test
