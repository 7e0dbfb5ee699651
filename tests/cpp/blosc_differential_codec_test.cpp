// Compares with c-blosc: each implementation reads what the other writes. Needs the system's
// libblosc (tests/cpp/CMakeLists.txt).
#ifdef ZW_HAVE_SYSTEM_BLOSC

#include <blosc.h>
#include <gtest/gtest.h>

#include "codec_support.hpp"

namespace zw::test {
namespace {

constexpr const char* kNames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};

Bytes byCBlosc(const CodecCase& c, const Bytes& raw) {
  Bytes out(raw.size() + BLOSC_MAX_OVERHEAD);
  const int size = blosc_compress_ctx(static_cast<int>(c.params[1]), static_cast<int>(c.params[2]),
                                      c.params[3], raw.size(), raw.data(), out.data(), out.size(),
                                      kNames[c.params[0]], c.params[4], 1);
  out.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return out;
}

/// A build of c-blosc may lack a compressor.
bool cBloscHas(const CodecCase& c) {
  return blosc_compname_to_compcode(kNames[c.params[0]]) >= 0;
}

void compare(const CodecCase& c, const Bytes& raw, Workspace& work) {
  const Bytes theirs = byCBlosc(c, raw);
  ASSERT_EQ(theirs.empty(), !cBloscHas(c));
  if (!theirs.empty()) {
    const Outcome decoded = decodeWith(c, theirs, {raw.size(), true}, work);
    ASSERT_TRUE(decoded.ok()) << c.name << ' ' << raw.size() << ' ' << codeName(decoded.status);
    ASSERT_EQ(decoded.bytes, raw) << c.name << ' ' << raw.size();
  }
  const Outcome ours = encodeWith(c, raw, work);
  ASSERT_TRUE(ours.ok()) << c.name << ' ' << raw.size();
  size_t size = 0;
  ASSERT_EQ(blosc_cbuffer_validate(ours.bytes.data(), ours.bytes.size(), &size), 0) << c.name;
  ASSERT_EQ(size, raw.size());
  Bytes back(raw.size());
  const int decoded = blosc_decompress_ctx(ours.bytes.data(), back.data(), back.size(), 1);
  ASSERT_EQ(decoded, static_cast<int>(raw.size())) << c.name << ' ' << raw.size();
  ASSERT_EQ(back, raw) << c.name << ' ' << raw.size();
  ASSERT_EQ(decodeWith(c, ours.bytes, {raw.size(), true}, work).bytes, raw) << c.name;
}

class BloscDifferentialTest : public testing::TestWithParam<uint32_t> {};

INSTANTIATE_TEST_SUITE_P(All, BloscDifferentialTest, testing::Range(0u, 6u),
                         [](const auto& row) { return std::string(kNames[row.param]); });

TEST_P(BloscDifferentialTest, TypeSizesAndShuffles) {
  Workspace work;
  for (uint32_t typesize :
       {1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 16u, 17u, 24u, 32u, 100u, 254u, 255u}) {
    for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
      for (size_t size : {size_t{1}, size_t{127}, size_t{128}, size_t{1000}, size_t{4096},
                          size_t{70001}, size_t{300000}}) {
        const CodecCase c = bloscCase(GetParam(), 5, shuffle, typesize);
        ASSERT_NO_FATAL_FAILURE(compare(c, slopeBytes(size, typesize), work));
        ASSERT_NO_FATAL_FAILURE(compare(c, smoothBytes(size, typesize), work));
        ASSERT_NO_FATAL_FAILURE(compare(c, Bytes(size, 3), work));
      }
    }
  }
}

TEST_P(BloscDifferentialTest, Levels) {
  Workspace work;
  for (uint32_t level = 0; level <= 9; level++) {
    for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
      const CodecCase c = bloscCase(GetParam(), level, shuffle, 4);
      ASSERT_NO_FATAL_FAILURE(compare(c, slopeBytes(200000, level), work));
      ASSERT_NO_FATAL_FAILURE(compare(c, randomBytes(50000, level), work));
    }
  }
}

TEST_P(BloscDifferentialTest, BlockSizes) {
  Workspace work;
  for (uint32_t block : {1u, 128u, 129u, 256u, 1000u, 1024u, 4096u, 65536u, 1u << 20, 1u << 30}) {
    for (uint32_t typesize : {1u, 2u, 3u, 8u, 17u}) {
      for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
        const CodecCase c = bloscCase(GetParam(), 3, shuffle, typesize, block);
        ASSERT_NO_FATAL_FAILURE(compare(c, slopeBytes(10007, block), work));
      }
    }
  }
}

TEST_P(BloscDifferentialTest, RatioIsNear) {
  Workspace work;
  for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
    const CodecCase c = bloscCase(GetParam(), 5, shuffle, 2);
    const Bytes raw = slopeBytes(1 << 20, 9);
    if (!cBloscHas(c)) GTEST_SKIP() << "c-blosc was built without it";
    const size_t theirs = byCBlosc(c, raw).size();
    ASSERT_GT(theirs, 0u);
    EXPECT_LT(encodeWith(c, raw, work).bytes.size(), theirs + theirs / 10) << c.name;
  }
}

}  // namespace
}  // namespace zw::test

#endif  // ZW_HAVE_SYSTEM_BLOSC
