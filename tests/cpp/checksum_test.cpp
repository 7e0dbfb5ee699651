// CRC-32, CRC-32C and Adler-32: published check values, comparison with bit-by-bit references at
// sizes around the edges of the folds, and messages split at any point.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/adler32.hpp"
#include "kernels/crc32.hpp"
#include "kernels/crc32c.hpp"
#include "scalar.hpp"
#include "support.hpp"

namespace zw::test {
namespace {

using Sum = uint32_t (*)(uint32_t, const uint8_t*, size_t);

struct Checksum {
  const char* name;
  Sum fast;
  Sum slow;
  uint32_t start;
  uint32_t of123456789;
};

void PrintTo(const Checksum& c, std::ostream* out) {
  *out << c.name;
}

class ChecksumTest : public testing::TestWithParam<Checksum> {};

TEST_P(ChecksumTest, PublishedValue) {
  const auto* digits = reinterpret_cast<const uint8_t*>("123456789");
  EXPECT_EQ(GetParam().fast(GetParam().start, digits, 9), GetParam().of123456789);
  EXPECT_EQ(GetParam().slow(GetParam().start, digits, 9), GetParam().of123456789);
  EXPECT_EQ(GetParam().fast(GetParam().start, nullptr, 0), GetParam().start);
}

TEST_P(ChecksumTest, EqualsTheReferenceAtEverySize) {
  const Checksum c = GetParam();
  std::vector<size_t> sizes = edgeSizes();
  for (size_t around : {768, 896, 1536, 1792, 8192, 16384}) {
    for (size_t size = around - 20; size <= around + 20; size++) sizes.push_back(size);
  }
  // The window at each position around the end of a block.
  for (size_t size = 8000; size <= 9200; size += 11) sizes.push_back(size);
  for (size_t size : sizes) {
    const ExactBlock block(randomBytes(size, static_cast<uint32_t>(size)), size % 16);
    ASSERT_EQ(c.fast(c.start, block.data(), size), c.slow(c.start, block.data(), size)) << size;
    ASSERT_EQ(c.fast(0x12345678, block.data(), size), c.slow(0x12345678, block.data(), size))
        << size;
  }
}

TEST_P(ChecksumTest, EqualsTheReferenceAtEveryAlignment) {
  const Checksum c = GetParam();
  const Bytes bytes = randomBytes(22016, 3);
  for (size_t size : {size_t{16}, size_t{1536}, size_t{1807}, size_t{8832}, size_t{21327}}) {
    for (size_t offset = 0; offset < 16; offset++) {
      const uint32_t start = static_cast<uint32_t>(offset * 0x9e3779b9);
      ASSERT_EQ(c.fast(start, bytes.data() + offset, size),
                c.slow(start, bytes.data() + offset, size))
          << size << " at " << offset;
    }
  }
}

TEST_P(ChecksumTest, EqualsTheReferenceAroundTheLongMessageSize) {
  const Checksum c = GetParam();
  const Bytes bytes = randomBytes(200000, 5);
  // Lengths around 128 KiB, and the window of the far taps at several positions in its blocks.
  for (size_t size :
       {131055, 131071, 131072, 131073, 131087, 131088, 135100, 143456, 147431, 163840}) {
    for (size_t offset : {size_t{0}, size_t{1}, size_t{13}}) {
      const ExactBlock block(Bytes(bytes.begin() + offset, bytes.begin() + offset + size), offset);
      ASSERT_EQ(c.fast(0x9e3779b9, block.data(), size), c.slow(0x9e3779b9, block.data(), size))
          << size << " at " << offset;
    }
  }
}

TEST_P(ChecksumTest, LongAndExtremeMessages) {
  const Checksum c = GetParam();
  for (const Bytes& bytes : {randomBytes(1 << 20, 1), Bytes(1 << 20, 0xff), Bytes(1 << 20, 0)}) {
    EXPECT_EQ(c.fast(c.start, bytes.data(), bytes.size()),
              c.slow(c.start, bytes.data(), bytes.size()));
  }
}

TEST_P(ChecksumTest, ContinuesInParts) {
  const Checksum c = GetParam();
  const Bytes bytes = randomBytes(40000, 7);
  const uint32_t whole = c.fast(c.start, bytes.data(), bytes.size());
  for (size_t cut : {size_t{0}, size_t{1}, size_t{5333}, size_t{20000}, bytes.size()}) {
    const uint32_t first = c.fast(c.start, bytes.data(), cut);
    EXPECT_EQ(c.fast(first, bytes.data() + cut, bytes.size() - cut), whole) << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ChecksumTest,
                         testing::Values(Checksum{"crc32", crc32, scalar::crc32, 0, 0xcbf43926},
                                         Checksum{"crc32c", crc32c, scalar::crc32c, 0, 0xe3069283},
                                         Checksum{"adler32", adler32, scalar::adler32, 1,
                                                  0x091e01de}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Crc32c, VectorsOfRfc3720) {
  const Bytes zeros(32, 0), ones(32, 0xff);
  EXPECT_EQ(crc32c(0, zeros.data(), 32), 0x8a9136aau);
  EXPECT_EQ(crc32c(0, ones.data(), 32), 0x62a8ab43u);
}

/// x^exponent modulo the polynomial of degree 32 (given without the highest term).
uint32_t powerOfX(uint32_t polynomial, uint32_t exponent) {
  uint32_t r = 1;
  for (uint32_t i = 0; i < exponent; i++) r = (r << 1) ^ (r >> 31 ? polynomial : 0);
  return r;
}

TEST(SparseCrc, TapsAreMultiplesOfThePolynomial) {
  const auto sum = [](uint32_t polynomial, std::initializer_list<uint32_t> taps) {
    const uint32_t longest = std::max(taps);
    uint32_t r = powerOfX(polynomial, 8 * longest);
    for (uint32_t tap : taps) r ^= powerOfX(polynomial, 8 * (longest - tap));
    return r;
  };
  EXPECT_EQ(sum(0x04c11db7, {241, 241 + 32, 247, 247 + 32, 711, 711 + 48}), 0u);
  EXPECT_EQ(sum(0x1edc6f41, {436, 436 + 48, 574, 856, 856 + 32}), 0u);
  EXPECT_EQ(sum(0x1edc6f41, {5456, 5456 + 101, 12363}), 0u);
}

}  // namespace
}  // namespace zw::test
