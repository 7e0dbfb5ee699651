// RICE_1 of FITS: streams by hand, and rejected input. tests/files/fits.py has tiles of CFITSIO.
#include <gtest/gtest.h>

#include "codec_support.hpp"

namespace zw::test {
namespace {

/// Whether the decoded bytes are those expected, or the status.
std::string run(uint32_t block, uint32_t width, const char* hex, const Bytes& expected) {
  const CodecCase c = {"rice", &kFitsRiceCodec, {block, width}};
  Workspace work;
  const Outcome outcome = decodeWith(c, fromHex(hex), {expected.size(), true}, work);
  if (!outcome.ok()) return codeName(outcome.status);
  return outcome.bytes == expected ? "equal" : "other";
}

TEST(FitsRice, HandWritten) {
  EXPECT_EQ(run(32, 1, "05 00", fromHex("05050505")), "equal");
  // Without coding: differences 0 and 1.
  EXPECT_EQ(run(32, 2, "0001 f0 00 00 00 20", fromHex("0100 0200")), "equal");
  // One low bit: differences 0, -2 and 2.
  EXPECT_EQ(run(32, 4, "00000000 14 c8", fromHex("00000000 feffffff 00000000")), "equal");
  // Blocks of one value: the second one has its own id.
  EXPECT_EQ(run(1, 1, "05 00", fromHex("0505")), "equal");
  // Sums wrap around: 255 + 1, without coding.
  EXPECT_EQ(run(32, 1, "ff e0 00 40", fromHex("ff00")), "equal");
}

TEST(FitsRice, RejectedInput) {
  EXPECT_EQ(run(32, 1, "", fromHex("00")), "Truncated at 0");
  EXPECT_EQ(run(32, 1, "05", fromHex("05")), "Truncated at 1");
  EXPECT_EQ(run(32, 1, "05 00 00", fromHex("05")), "TrailingBytes at 2");
  EXPECT_EQ(run(32, 4, "00000000 d8", fromHex("00000000")), "Corrupt at 4");
  EXPECT_EQ(run(32, 4, "00000000 08 0000000000000000000000", fromHex("00000000")).substr(0, 9),
            "Truncated");
  EXPECT_EQ(run(32, 3, "00", fromHex("000000")), "BadParameters at 0");
  EXPECT_EQ(run(0, 1, "00", fromHex("00")), "BadParameters at 0");
  EXPECT_EQ(run(32, 2, "0000", fromHex("000000")), "BadParameters at 0");
}

TEST(FitsRice, EveryWidthOfABlock) {
  // A block with each id: `low` bits, and codes whose high bits exceed a window of the reader.
  for (uint32_t low = 0; low < 25; low++) {
    std::vector<uint32_t> codes = {0, 1, 2, 5, (1u << low) + 1, (70u << low) | 1, 3};
    std::string bits(32, '0');
    for (uint32_t bit = 5; bit-- > 0;) bits += (low + 1) >> bit & 1 ? '1' : '0';
    Bytes expected;
    uint32_t value = 0;
    for (uint32_t code : codes) {
      bits += std::string(code >> low, '0') + '1';
      for (uint32_t bit = low; bit-- > 0;) bits += code >> bit & 1 ? '1' : '0';
      value += (code & 1) ? ~(code >> 1) : code >> 1;
      for (uint32_t k = 0; k < 4; k++) expected.push_back(static_cast<uint8_t>(value >> 8 * k));
    }
    Bytes encoded((bits.size() + 7) / 8);
    for (size_t i = 0; i < bits.size(); i++) {
      if (bits[i] == '1') encoded[i / 8] |= static_cast<uint8_t>(0x80 >> i % 8);
    }
    const CodecCase c = {"rice", &kFitsRiceCodec, {32, 4}};
    const Outcome outcome = decodeWith(c, encoded, expected.size());
    ASSERT_TRUE(outcome.ok()) << low << " " << codeName(outcome.status);
    EXPECT_EQ(outcome.bytes, expected) << low;
  }
}

}  // namespace
}  // namespace zw::test
