// zstd: handwritten frames, several frames, valid and invalid headers.
#include <gtest/gtest.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <fstream>
#include <iterator>
#include <random>

#include "codec_support.hpp"
#include "codecs/zstd.hpp"

namespace zw::test {
namespace {

const CodecCase kZstd = {"zstd", &kZstdCodec, {3, 0}};
const CodecCase kZstdChecked = {"zstd_checked", &kZstdCodec, {3, 1}};

/// "hello" in raw blocks: with content size, without (window of 1 KiB), in two blocks.
const Bytes kSized = fromHex("28b52ffd 20 05 290000 68656c6c6f");
const Bytes kUnsized = fromHex("28b52ffd 00 00 290000 68656c6c6f");
const Bytes kTwoBlocks = fromHex("28b52ffd 00 00 100000 6865 190000 6c6c6f");
const Bytes kSkippable = fromHex("532a4d18 03000000 010203");

std::string decodedText(const Bytes& encoded, size_t size) {
  const Outcome decoded = decodeWith(kZstd, encoded, size);
  return decoded.ok() ? std::string(decoded.bytes.begin(), decoded.bytes.end())
                      : codeName(decoded.status);
}

TEST(Zstd, HandWrittenFrames) {
  EXPECT_EQ(decodedText(kSized, 5), "hello");
  EXPECT_EQ(decodedText(kUnsized, 5), "hello");
  EXPECT_EQ(decodedText(kTwoBlocks, 5), "hello");
}

TEST(Zstd, SeveralFrames) {
  EXPECT_EQ(decodedText(joined(kSized, kTwoBlocks), 10), "hellohello");
  EXPECT_EQ(decodedText(joined(joined(kSkippable, kUnsized), kSkippable), 5), "hello");
  EXPECT_EQ(decodedText(joined(kSized, kUnsized), 9), "SizeMismatch at 14");
  EXPECT_EQ(decodedText(kSkippable, 0), "");
  EXPECT_EQ(decodedText(kSkippable, 5), "SizeMismatch at 0");
  EXPECT_EQ(decodedText(joined(kSized, {0xff}), 5), "TrailingBytes at 14");
  EXPECT_EQ(decodedText(joined(kSized, fromHex("00000000")), 5), "TrailingBytes at 14");
}

TEST(Zstd, ContentSizeIsChecked) {
  EXPECT_EQ(decodedText(fromHex("28b52ffd 20 04 290000 68656c6c6f"), 5), "Corrupt at 0");
  EXPECT_EQ(decodedText(fromHex("28b52ffd 20 06 290000 68656c6c6f"), 5), "Corrupt at 0");
  // Eight-byte content size of 2^63.
  EXPECT_EQ(decodedText(fromHex("28b52ffd e0 0000000000000080 290000 68656c6c6f"), 5),
            "Corrupt at 0");
}

TEST(Zstd, WindowDoesNotAllocate) {
  // Windows of 1 GiB and more for five bytes of content: decoded in place, or rejected.
  EXPECT_EQ(decodedText(fromHex("28b52ffd 00 a0 290000 68656c6c6f"), 5), "hello");
  EXPECT_EQ(decodedText(fromHex("28b52ffd 00 ff 290000 68656c6c6f"), 5), "BadHeader at 0");
}

/// Bytes that compress slightly by their frequencies, and hardly by matches of five bytes or more.
Bytes unevenBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (auto& b : bytes) {
    const auto v = static_cast<uint32_t>(random());
    b = v % 14 == 0 ? 32 : static_cast<uint8_t>(v >> 16);
  }
  return bytes;
}

/// Words with many short matches, so that zstd splits the block.
void fillWithMatches(uint32_t* words, size_t count) {
  std::mt19937 random(1);
  for (size_t i = 0; i < count; i++) {
    const bool repeats = i > 100 && random() % 2 == 0;
    words[i] = repeats ? words[i - 1 - random() % 99]
                       : 0x61616161 + static_cast<uint32_t>(random() & 0x07070707);
  }
}

TEST(Zstd, SplitBlocksKeepTheirRepeatedOffsets) {
  // Before zstd 1.5.5, its block splitter treated 65536 literals before a repeat offset as none, and
  // encoded the next repeat offset wrongly.
  std::vector<uint32_t> words(75 * 1024);
  const Bytes uneven = unevenBytes(4 * words.size(), 1);
  std::memcpy(words.data(), uneven.data(), uneven.size());
  constexpr size_t kMatches = 8 * 1024, kLiterals = 16 * 1024, kBlock = 32 * 1024;
  fillWithMatches(words.data(), kMatches);
  const auto repeatAfter16 = [&](size_t at, uint32_t a, uint32_t b) {
    words[at] = words[at + 4] = a;
    words[at + 1] = words[at + 5] = b;
  };
  repeatAfter16(kMatches, 0xffffffff, 0xeeeeeeee);
  repeatAfter16(kMatches + kLiterals + 2, 0xdddddddd, 0xcccccccc);
  repeatAfter16(kBlock, 0xbbbbbbbb, 0xaaaaaaaa);
  Bytes bytes(4 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  for (uint32_t level = 13; level <= 19; level++) {
    const CodecCase c = {"zstd", &kZstdCodec, {level, 0}};
    EXPECT_TRUE(decodeWith(c, encodedBy(c, bytes), bytes.size()).bytes == bytes) << level;
  }
}

TEST(Zstd, RejectedInput) {
  EXPECT_EQ(decodedText(fromHex("28b52ffd 21 07 05 290000 68656c6c6f"), 5), "BadVersion at 0");
  for (uint8_t version = 0x22; version <= 0x27; version++) {
    Bytes legacy = kSized;
    legacy[0] = version;
    legacy[1] = 0xb5;
    EXPECT_EQ(decodedText(legacy, 5), "BadVersion at 0") << int{version};
  }
  EXPECT_EQ(decodedText(fromHex("fd2fb51e 00000000 00000000"), 5), "BadVersion at 0");
  EXPECT_EQ(decodedText(fromHex("1f8b0800 00000000 0003"), 5), "BadHeader at 0");
  EXPECT_EQ(decodedText({}, 5), "Truncated at 0");
  EXPECT_EQ(decodedText(fromHex("532a4d18 ffffffff 010203"), 5), "BadHeader at 0");
  EXPECT_EQ(decodedText(fromHex("532a4d18 ffffff00 010203"), 5), "Truncated at 11");
}

TEST(Zstd, ChecksumIsVerified) {
  const Bytes bytes = slopeBytes(5000, 1);
  Bytes encoded = encodedBy(kZstdChecked, bytes);
  EXPECT_EQ(encoded.size(), encodedBy(kZstd, bytes).size() + 4);
  encoded.back() ^= 1;
  EXPECT_EQ(decodeWith(kZstdChecked, encoded, bytes.size()).status.code, Code::ChecksumMismatch);
  EXPECT_EQ(decodeWith(kZstd, encoded, bytes.size()).status.code, Code::ChecksumMismatch);
}

/// Data of one kind: noise, runs, slopes, text-like words, or copies from far back with changes.
Bytes mixedBytes(size_t size, uint32_t kind, uint32_t seed) {
  if (kind == 0) return randomBytes(size, seed);
  if (kind == 1) return smoothBytes(size, seed);
  if (kind == 2) return unevenBytes(size, seed);
  std::mt19937 random(seed);
  Bytes bytes = kind == 3 ? unevenBytes(size, seed) : randomBytes(size, seed);
  for (size_t at = 64; at < size;) {
    const size_t distance = 1 + random() % (kind == 3 ? std::min<size_t>(at, 40) : at);
    const size_t length = std::min<size_t>(size - at, 3 + random() % (kind == 3 ? 12 : 3000));
    for (size_t i = 0; i < length; i++) bytes[at + i] = bytes[at + i - distance];
    at += length + random() % (kind == 3 ? 9 : 400);
  }
  return bytes;
}

TEST(Zstd, DecodesWhatLibzstdEncodes) {
  std::mt19937 random(5);
  Workspace work;
  for (size_t i = 0; i < amount(600, 6000); i++) {
    const auto kind = static_cast<uint32_t>(random() % 5);
    const size_t size = random() % 3 == 0 ? random() % 400'000 : random() % 5000;
    const Bytes bytes = mixedBytes(size, kind, static_cast<uint32_t>(i));
    const auto level = static_cast<uint32_t>(static_cast<int32_t>(random() % 20) - 4);
    const CodecCase c = {"zstd", &kZstdCodec, {level, static_cast<uint32_t>(random() % 2)}};
    const Outcome decoded = decodeWith(c, encodedBy(c, bytes), {size, true}, work);
    ASSERT_TRUE(decoded.ok()) << codeName(decoded.status) << " in case " << i;
    ASSERT_TRUE(decoded.bytes == bytes) << i;
  }
}

TEST(Zstd, DecodesLikeLibzstdIfDamaged) {
  std::mt19937 random(6);
  Workspace work;
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  size_t accepted = 0;
  for (size_t i = 0; i < amount(4000, 40'000); i++) {
    const Bytes bytes =
        mixedBytes(300 + random() % 3000, static_cast<uint32_t>(i % 5), static_cast<uint32_t>(i));
    const CodecCase c = {"zstd", &kZstdCodec, {static_cast<uint32_t>(1 + random() % 9), 0}};
    Bytes encoded = encodedBy(c, bytes);
    for (size_t flips = 1 + random() % 2; flips > 0; flips--) {
      encoded[random() % encoded.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    }
    const ExactBlock in(encoded);
    ExactBlock ours(bytes.size()), theirs(bytes.size());
    size_t produced = 0;
    if (zstdDecode(work, in.view(), ours.span(), produced)) continue;
    accepted++;
    ASSERT_EQ(ZSTD_decompressDCtx(context, theirs.data(), theirs.size(), in.data(), in.size()),
              produced)
        << i;
    ASSERT_TRUE(std::equal(ours.data(), ours.data() + produced, theirs.data())) << i;
  }
  ZSTD_freeDCtx(context);
  EXPECT_GT(accepted, 100u);
}

TEST(Zstd, DamagedBlocks) {
  // A frame with 16 bytes of content.
  const auto inFrame = [](const std::string& blocks) {
    return decodedText(fromHex(("28b52ffd 20 10 " + blocks).c_str()), 16);
  };
  // Literals of 2 bytes, then one sequence with predefined tables whose offset reaches too far back.
  EXPECT_EQ(inFrame("3d0000 10 6161 01 00 2c0102"), "Corrupt at 0");
  // A block of the reserved type, and a block larger than the window.
  EXPECT_EQ(inFrame("070000"), "Corrupt at 0");
  EXPECT_EQ(inFrame("8b0000 61"), "Corrupt at 0");
  // A block of 3200 bytes in a window of 4 KiB, and in one of 1 KiB.
  EXPECT_EQ(decodedText(fromHex("28b52ffd 00 10 4d0000 10 aeae 01 00 7bf40116"), 3200),
            std::string(3200, '\xae'));
  EXPECT_EQ(decodedText(fromHex("28b52ffd 00 00 4d0000 10 aeae 01 00 7bf40116"), 3200),
            "Corrupt at 0");
  // Sequences with reserved bits, and bytes after a count of none.
  EXPECT_EQ(inFrame("2d0000 10 6161 01 03"), "Corrupt at 0");
  EXPECT_EQ(inFrame("2d0000 10 6161 00 00"), "Corrupt at 0");
  // Huffman codes without a tree, and repeated tables in a first block.
  EXPECT_EQ(inFrame("2d0000 43 4000 80 00"), "Corrupt at 0");
  EXPECT_EQ(inFrame("2d0000 10 6161 01 fc"), "Corrupt at 0");
  EXPECT_EQ(inFrame("1000"), "Truncated at 8");
}

Bytes golden(const std::string& name) {
  std::ifstream file(std::string(ZW_GOLDEN_DIR) + "/zstd-v07/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

class LegacyZstdTest : public testing::TestWithParam<const char*> {
 protected:
  const Bytes chunk_ = golden(std::string(GetParam()) + ".chunk");
  const Bytes raw_ = golden(std::string(GetParam()) + ".raw");
  const CodecCase asked_ = bloscCase(5, 5, 1, 1, 0, 1);
};

INSTANTIATE_TEST_SUITE_P(Golden, LegacyZstdTest,
                         testing::Values("bool", "complex128-shuffle", "complex64-bitshuffle"));

TEST_P(LegacyZstdTest, OnlyIfRequested) {
  const Outcome decoded = decodeWith(asked_, chunk_, raw_.size());
  ASSERT_TRUE(decoded.ok()) << codeName(decoded.status);
  EXPECT_EQ(decoded.bytes, raw_);
  EXPECT_EQ(decodeWith(bloscCase(5, 5, 1, 1), chunk_, raw_.size()).status.code, Code::BadVersion);
}

TEST_P(LegacyZstdTest, DamageIsContained) {
  std::mt19937 random(3);
  Workspace work;
  for (int i = 0; i < 3000; i++) {
    Bytes changed = chunk_;
    for (uint32_t flips = 1 + static_cast<uint32_t>(random() % 3); flips > 0; flips--) {
      changed[20 + random() % (changed.size() - 20)] = static_cast<uint8_t>(random());
    }
    const Outcome decoded = decodeWith(asked_, changed, {raw_.size(), true}, work);
    if (decoded.ok()) {
      ASSERT_EQ(decoded.bytes.size(), raw_.size());
    }
  }
}

}  // namespace
}  // namespace zw::test
