// HDF5's filters: streams by hand and by libhdf5, and rejected input. compressor_codec_test.cpp runs the tests
// common to all compressors; tests/golden/hdf5.jsonl has more chunks of libhdf5.
#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "codecs/aec.hpp"
#include "kernels/high_bits.hpp"

namespace zw::test {
namespace {

std::string hexOf(const Bytes& bytes) {
  std::string text;
  for (uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// The decoded bytes, or the status.
std::string decoded(const CodecCase& c, const char* hex, size_t size, bool exact = true) {
  Workspace work;
  const Outcome outcome = decodeWith(c, fromHex(hex), {size, exact}, work);
  return outcome.ok() ? hexOf(outcome.bytes) : codeName(outcome.status);
}

// ---- LZF

const CodecCase kLzf = {"lzf", &kHdf5LzfCodec, {}};

TEST(Hdf5Lzf, HandWritten) {
  EXPECT_EQ(decoded(kLzf, "", 0), "");
  EXPECT_EQ(decoded(kLzf, "02 616263", 3), "616263");
  EXPECT_EQ(decoded(kLzf, "00 61 20 00", 4), "61616161");  // 3 bytes at distance 1
  EXPECT_EQ(decoded(kLzf, "01 6162 e0 01 01", 12), "616261626162616261626162");  // 10 at distance 2
}

TEST(Hdf5Lzf, RejectedInput) {
  EXPECT_EQ(decoded(kLzf, "02 6162", 3), "Truncated at 1");
  EXPECT_EQ(decoded(kLzf, "00 61 20", 4), "Truncated at 3");
  EXPECT_EQ(decoded(kLzf, "00 61 e0", 4), "Truncated at 3");
  EXPECT_EQ(decoded(kLzf, "00 61 20 01", 4), "Corrupt at 4");  // before the start
  EXPECT_EQ(decoded(kLzf, "00 61 40 00", 4), "SizeMismatch at 4");
  EXPECT_EQ(decoded(kLzf, "00 61 40 00", 4, false), "LimitExceeded at 4");
  EXPECT_EQ(decoded(kLzf, "02 616263", 2), "SizeMismatch at 1");
  EXPECT_EQ(decoded(kLzf, "02 616263", 4), "SizeMismatch at 0");
}

// ---- LZ4 and bit shuffle

TEST(Hdf5Lz4, Framing) {
  const CodecCase lz4 = {"lz4", &kHdf5Lz4Codec, {}};
  const std::string head = "0000000000000005 00000003 ";
  const auto run = [&](const std::string& blocks, size_t size = 5) {
    return decoded(lz4, (head + blocks).c_str(), size);
  };
  EXPECT_EQ(run("00000003 616263 00000002 6465"), "6162636465");  // stored blocks
  EXPECT_EQ(run("00000004 30616263 00000003 206465"), "6162636465");
  EXPECT_EQ(run("00000003 616263 00000002 6465", 6), "SizeMismatch at 0");
  EXPECT_EQ(run("00000003 616263 00000002 64"), "Truncated at 24");
  EXPECT_EQ(run("00000003 616263 000000"), "Truncated at 22");
  EXPECT_EQ(run("ffffffff 616263"), "Truncated at 19");
  EXPECT_EQ(run("00000003 616263 00000002 6465 00"), "TrailingBytes at 25");
  EXPECT_EQ(decoded(lz4, "0000000100000005 00000003", 5), "SizeMismatch at 0");
  EXPECT_EQ(decoded(lz4, "0000000000000005 00000000", 5), "BadHeader at 8");
}

TEST(Hdf5Bitshuffle, Blocks) {
  const CodecCase plain = {"plain", &kHdf5BitshuffleCodec, {1, 8, 0}};
  // Bit 0 of the elements, then bit 1, …; the ninth element is not shuffled.
  EXPECT_EQ(decoded(plain, "aa 00 00 00 00 00 00 00 07", 9), "000100010001000107");
  const CodecCase lz4 = {"lz4", &kHdf5BitshuffleCodec, {1, 0, 1}};
  const std::string block = "00000009 80 aa00000000000000";
  EXPECT_EQ(decoded(lz4, ("0000000000000009 00000008" + block + "07").c_str(), 9),
            "000100010001000107");
  EXPECT_EQ(decoded(lz4, ("0000000000000009 00000008" + block).c_str(), 9), "Truncated at 25");
  EXPECT_EQ(decoded(lz4, ("0000000000000009 0000000c" + block + "07").c_str(), 9),
            "BadHeader at 8");
  EXPECT_EQ(decoded(lz4, ("0000000000000009 00000008" + block + "0708").c_str(), 9),
            "TrailingBytes at 27");
}

// ---- Scale-offset and N-bit

constexpr uint32_t kOneLow = 0, kOneHigh = 0x3ff00000;  // 1.0

TEST(Hdf5ScaleOffset, IntegersAndRejectedInput) {
  const CodecCase two = {"int16", &kHdf5ScaleOffsetCodec, {0, 2, 0, 1, 9, 0, 4, kOneLow, kOneHigh}};
  const std::string head = "03000000 08 feffffffffffffff 0000000000000000 ";
  // 3 bits each: 0, 1, 2 above -2, and the mark of the fill value.
  EXPECT_EQ(decoded(two, (head + "0570").c_str(), 8), "feffffff00000900");
  EXPECT_EQ(decoded(two, (head + "057000").c_str(), 8), "TrailingBytes at 23");
  EXPECT_EQ(decoded(two, (head + "05").c_str(), 8), "Truncated at 22");
  EXPECT_EQ(decoded(two, "1100000008feffffffffffffff00000000000000000000", 8), "BadHeader at 0");
  EXPECT_EQ(decoded(two, "030000", 8), "Truncated at 3");
  EXPECT_EQ(decoded(two, head.c_str(), 6), "BadParameters at 0");
}

TEST(Hdf5Nbit, NestedTypesAndRejectedParameters) {
  // A compound of 4 bytes: 3 bits from bit 2 of a byte, and an array of two bytes.
  const std::vector<uint32_t> words = {0, 17, 0, 2, 3, 4, 2, 0, 1, 1, 0, 3, 2, 2, 2, 2, 4, 1};
  const CodecCase compound = {"compound", &kHdf5NbitCodec, words};
  EXPECT_EQ(decoded(compound, "ac 24 d9 44 5c", 8), "1400612618005117");
  const auto status = [&](size_t at, uint32_t word) {
    CodecCase changed = compound;
    changed.params[at] = word;
    return decoded(changed, "00 00 00 00 00", 8);
  };
  for (const auto& [at, word] : std::vector<std::pair<size_t, uint32_t>>{{1, 16},
                                                                         {3, 3},
                                                                         {4, 5},
                                                                         {5, 0},
                                                                         {6, 3},
                                                                         {7, 4},
                                                                         {9, 0},
                                                                         {11, 0},
                                                                         {11, 9},
                                                                         {12, 6},
                                                                         {15, 0},
                                                                         {17, 3}}) {
    EXPECT_EQ(status(at, word), "BadParameters at 0") << at;
  }
}

// ---- Szip

TEST(Hdf5Szip, HandWritten) {
  const CodecCase bytes = {"bytes", &kHdf5SzipCodec, {32, 8, 8, 8}};
  // The last id: 8 bytes without coding, the reference and differences.
  EXPECT_EQ(decoded(bytes, "08000000 e0 a0 40 20 00 00 00 00 00", 8), "0506050505050505");
  // A block of zeros after the reference 5.
  EXPECT_EQ(decoded(bytes, "08000000 00 58", 8), "0505050505050505");
  EXPECT_EQ(decoded(bytes, "08000000 e0 a0 40", 8).substr(0, 9), "Truncated");
  EXPECT_EQ(decoded(bytes, "08000000", 8).substr(0, 9), "Truncated");
  EXPECT_EQ(decoded(bytes, "09000000 00 58", 8), "SizeMismatch at 0");
  EXPECT_EQ(decoded(bytes, "080000", 8), "Truncated at 3");
}

// ---- Packed numbers

TEST(HighBits, EveryWidthOffsetAndLength) {
  const Bytes bytes = randomBytes(600, 1);
  for (uint32_t bits = 1; bits <= 32; bits++) {
    for (uint64_t at = 0; at < 9; at++) {
      for (size_t count : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{40}, size_t{131}}) {
        const Bytes part(bytes.begin(),
                         bytes.begin() + static_cast<ptrdiff_t>((at + bits * count + 7) / 8));
        const ExactBlock in(part);
        std::vector<uint32_t> out(count), expected(count);
        unpackHighBits(in.view(), at, bits, count, out.data());
        for (size_t i = 0; i < count; i++) {
          for (uint32_t bit = 0; bit < bits; bit++) {
            const uint64_t from = at + i * bits + bit;
            expected[i] = expected[i] << 1 | (part[from / 8] >> (7 - from % 8) & 1);
          }
        }
        ASSERT_EQ(out, expected) << bits << " bits from " << at;
      }
    }
  }
}

}  // namespace
}  // namespace zw::test
