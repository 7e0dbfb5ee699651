// Codecs that are no compressors: checksums, shuffle, base64. What they share with
// compressors is tested there (compressor_codec_test.cpp); here are the byte layouts, against
// values that other implementations publish, and what is special about each.
#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "kernels/shuffle.hpp"

namespace zw::test {
namespace {

constexpr uint32_t kStart = 0, kEnd = 1;

/// Encoded bytes of a text, in hexadecimal.
struct Vector {
  CodecCase codec;
  Bytes decoded;
  const char* encoded;
};

void expectVectors(const std::vector<Vector>& vectors) {
  for (const Vector& v : vectors) {
    SCOPED_TRACE(v.codec.name);
    EXPECT_EQ(encodedBy(v.codec, v.decoded), fromHex(v.encoded));
    const Outcome decoded = decodeWith(v.codec, fromHex(v.encoded), v.decoded.size());
    EXPECT_TRUE(decoded.ok()) << codeName(decoded.status);
    EXPECT_EQ(decoded.bytes, v.decoded);
  }
}

TEST(Checksums, KnownValues) {
  const Bytes digits = fromText("123456789"), empty;
  const char* const digitsHex = "31 32 33 34 35 36 37 38 39";
  const std::string after = std::string(digitsHex) + " ", before = std::string(" ") + digitsHex;
  const std::string crc32cEnd = after + "83 92 06 e3", crc32cStart = "83 92 06 e3" + before,
                    crc32End = after + "26 39 f4 cb", crc32Start = "26 39 f4 cb" + before,
                    adlerEnd = after + "de 01 1e 09", adlerStart = "de 01 1e 09" + before,
                    fletcherEnd = after + "d5 09 df 09";
  expectVectors({
      {{"crc32c end", &kCrc32cCodec, {kEnd}}, digits, crc32cEnd.c_str()},
      {{"crc32c start", &kCrc32cCodec, {kStart}}, digits, crc32cStart.c_str()},
      {{"crc32c of nothing", &kCrc32cCodec, {kEnd}}, empty, "00 00 00 00"},
      {{"crc32c of zeros", &kCrc32cCodec, {kStart}},
       Bytes(32, 0),
       "aa 36 91 8a 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
       " 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
      {{"crc32 end", &kCrc32Codec, {kEnd}}, digits, crc32End.c_str()},
      {{"crc32 start", &kCrc32Codec, {kStart}}, digits, crc32Start.c_str()},
      {{"adler32 end", &kAdler32Codec, {kEnd}}, digits, adlerEnd.c_str()},
      {{"adler32 start", &kAdler32Codec, {kStart}}, digits, adlerStart.c_str()},
      {{"adler32 of nothing", &kAdler32Codec, {kStart}}, empty, "01 00 00 00"},
      {{"fletcher32", &kFletcher32Codec, {kEnd}}, digits, fletcherEnd.c_str()},
  });
}

TEST(Checksums, Lookup3KnownValues) {
  // From the self-test of lookup3.c.
  const Bytes text = fromText("Four score and seven years ago");
  const auto last = [](const Bytes& bytes) { return load<uint32_t>(&bytes[bytes.size() - 4]); };
  const auto sum = [&](uint32_t initval, const Bytes& bytes) {
    return last(encodedBy({"", &kJenkinsCodec, {initval, 0}}, bytes));
  };
  EXPECT_EQ(sum(0, {}), 0xdeadbeefu);
  EXPECT_EQ(sum(0xdeadbeef, {}), 0xbd5b7ddeu);
  EXPECT_EQ(sum(0, text), 0x17770551u);
  EXPECT_EQ(sum(1, text), 0xcd628161u);
}

TEST(Checksums, Lookup3PrefixCountsAsData) {
  const Bytes all = randomBytes(64, 1);
  for (size_t size = 0; size <= all.size(); size++) {
    const Bytes bytes(all.begin(), all.begin() + static_cast<ptrdiff_t>(size));
    const Bytes whole = encodedBy({"", &kJenkinsCodec, {5, 0}}, bytes);
    for (size_t split = 0; split <= size; split++) {
      std::vector<uint32_t> params = {5, static_cast<uint32_t>(split)};
      params.resize(2 + (split + 3) / 4);
      if (split > 0) std::memcpy(params.data() + 2, bytes.data(), split);
      const CodecCase c = {"", &kJenkinsCodec, params};
      const Bytes rest(bytes.begin() + static_cast<ptrdiff_t>(split), bytes.end());
      const Bytes encoded = encodedBy(c, rest);
      ASSERT_EQ(encoded.size(), rest.size() + 4);
      ASSERT_TRUE(std::equal(encoded.end() - 4, encoded.end(), whole.end() - 4))
          << size << " split at " << split;
      ASSERT_EQ(decodeWith(c, encoded, rest.size()).bytes, rest);
    }
  }
}

TEST(Checksums, EveryChangedBitIsSeen) {
  const Bytes bytes = randomBytes(100, 2);
  for (const CodecCase& c : checksumCases()) {
    const Bytes encoded = encodedBy(c, bytes);
    for (size_t bit = 0; bit < 8 * encoded.size(); bit++) {
      Bytes changed = encoded;
      changed[bit / 8] = static_cast<uint8_t>(changed[bit / 8] ^ (1 << bit % 8));
      ASSERT_EQ(decodeWith(c, changed, bytes.size()).status.code, Code::ChecksumMismatch)
          << c.name << " bit " << bit;
    }
  }
}

TEST(Checksums, NothingIsCopied) {
  for (const CodecCase& c : checksumCases()) {
    const Bytes encoded = encodedBy(c, randomBytes(100, 3));
    Step step;
    ASSERT_FALSE(prepareStep(c, {100, true}, step));
    Workspace work;
    ByteView result;
    ASSERT_FALSE(c.codec->decode(step, encoded, {}, work, result));
    EXPECT_TRUE(result.data() == encoded.data() || result.data() == encoded.data() + 4);
  }
}

TEST(Shuffle, SizesAndElements) {
  for (uint32_t element : {1u, 2u, 3u, 4u, 7u, 8u, 16u, 100u}) {
    const CodecCase c = {"", &kShuffleCodec, {element}};
    for (size_t count : {0, 1, 15, 16, 17, 100, 4095}) {
      const Bytes bytes = randomBytes(count * element, element);
      Bytes expected(bytes.size());
      scalar::shuffleBytes(expected.data(), bytes.data(), count, element);
      const Bytes encoded = encodedBy(c, bytes);
      ASSERT_EQ(encoded, expected) << element << " × " << count;
      ASSERT_EQ(decodeWith(c, encoded, bytes.size()).bytes, bytes);
      Workspace work;
      ASSERT_EQ(decodeWith(c, encoded, {bytes.size() + 9, false}, work).bytes, bytes);
    }
  }
}

TEST(Shuffle, SizesThatCannotBe) {
  const CodecCase c = {"", &kShuffleCodec, {4}};
  for (size_t size : {1, 2, 3, 5, 103}) {
    Step step;
    EXPECT_EQ(prepareStep(c, {size, true}, step).code, Code::BadParameters);
    Workspace work;
    const Outcome outcome = decodeWith(c, Bytes(size, 1), {200, false}, work);
    EXPECT_EQ(outcome.status.code, Code::SizeMismatch);
  }
  const Bytes encoded = encodedBy(c, randomBytes(40, 1));
  for (size_t size = 0; size <= 60; size++) {
    Bytes other = encoded;
    other.resize(size);
    EXPECT_EQ(decodeWith(c, other, 40).ok(), size == 40) << size;
  }
  Workspace work;
  EXPECT_EQ(decodeWith(c, encoded, {36, false}, work).status.code, Code::LimitExceeded);
}

TEST(Filters, ParametersAreChecked) {
  const std::vector<CodecCase> bad = {
      {"", &kCrc32cCodec, {}},
      {"", &kCrc32cCodec, {2}},
      {"", &kCrc32Codec, {0, 0}},
      {"", &kAdler32Codec, {2}},
      {"", &kFletcher32Codec, {}},
      {"", &kJenkinsCodec, {}},
      {"", &kJenkinsCodec, {0}},
      {"", &kJenkinsCodec, {0, 1}},
      {"", &kJenkinsCodec, {0, 4, 0, 0}},
      {"", &kJenkinsCodec, {0, 0xffffffff}},
      {"", &kShuffleCodec, {}},
      {"", &kShuffleCodec, {0}},
      {"", &kShuffleCodec, {3}},
  };
  for (const CodecCase& c : bad) {
    Step step;
    EXPECT_EQ(prepareStep(c, {100, true}, step).code, Code::BadParameters)
        << c.codec->name << testing::PrintToString(c.params);
  }
}

}  // namespace
}  // namespace zw::test
