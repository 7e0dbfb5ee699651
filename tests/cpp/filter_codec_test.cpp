// Checksums, shuffle, base64, conditional and raw snappy: byte layouts, compared with values
// published by other implementations, and properties of each codec. compressor_codec_test.cpp tests
// the requirements that they share with compressors.
#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "kernels/shuffle.hpp"
#include "scalar.hpp"

namespace zw::test {
namespace {

constexpr uint32_t kStart = 0, kEnd = 1;

/// Decoded bytes and their encoding in hexadecimal.
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

TEST(Checksums, DetectsEveryChangedBit) {
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

TEST(Shuffle, RejectsSizesThatAreNotMultiples) {
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

TEST(Base64, KnownValues) {
  const auto of = [](const char* text) {
    return encodedBy({"", &kBase64Codec, {}}, fromText(text));
  };
  // The test vectors of RFC 4648.
  EXPECT_EQ(of(""), fromText(""));
  EXPECT_EQ(of("f"), fromText("Zg=="));
  EXPECT_EQ(of("fo"), fromText("Zm8="));
  EXPECT_EQ(of("foo"), fromText("Zm9v"));
  EXPECT_EQ(of("foob"), fromText("Zm9vYg=="));
  EXPECT_EQ(of("fooba"), fromText("Zm9vYmE="));
  EXPECT_EQ(of("foobar"), fromText("Zm9vYmFy"));
  EXPECT_EQ(encodedBy({"", &kBase64Codec, {}}, {0xfb, 0xff, 0xbf}), fromText("+/+/"));
}

TEST(Base64, RejectsInvalidText) {
  for (const char* text :
       {"Zm9", "Z", "Zm9v\n", "Zm 9", "Zm9-", "Zm9_", "Zg=A", "Z===", "====", "=m9v", "Zm=v",
        "Zg==Zg==", "Zm8=Zm9v", "Zh==", "Zm9=", "Zm9vZ\x80==", "\xff\xff\xff\xff"}) {
    for (size_t size : {1, 2, 3, 4, 6}) {
      EXPECT_FALSE(decodeWith({"", &kBase64Codec, {}}, fromText(text), size).ok()) << text;
    }
    Workspace work;
    EXPECT_FALSE(decodeWith({"", &kBase64Codec, {}}, fromText(text), {100, false}, work).ok())
        << text;
  }
}

TEST(Snappy, KnownValues) {
  // A size, a literal of ten bytes, a match of ten at distance ten.
  const Bytes stream = fromHex("14 24 61 62 63 64 65 66 67 68 69 6a 26 0a 00");
  EXPECT_EQ(decodeWith({"", &kSnappyCodec, {}}, stream, 20).bytes,
            fromText("abcdefghijabcdefghij"));
  EXPECT_EQ(decodeWith({"", &kSnappyCodec, {}}, {0}, 0).status.code, Code::Ok);
  EXPECT_EQ(decodeWith({"", &kSnappyCodec, {}}, {}, 0).status.code, Code::BadHeader);
  EXPECT_EQ(decodeWith({"", &kSnappyCodec, {}}, {0x80, 0x80, 0x80, 0x80, 0x10}, 4).status.code,
            Code::BadHeader);
}

TEST(Conditional, HeaderListsAppliedCodecs) {
  const Bytes bytes = slopeBytes(1000, 1);
  const CodecCase zlib = {"", &kZlibCodec, {1}}, crc = {"", &kCrc32cCodec, {1}};
  const CodecCase c = conditionalCase(
      "", 1,
      {nested(CodecId::Zlib, {1}), nested(CodecId::Shuffle, {1}), nested(CodecId::Crc32c, {1})});
  const std::vector<std::pair<uint8_t, Bytes>> chunks = {
      {0, bytes},
      {1, encodedBy(zlib, bytes)},
      {2, bytes},
      {3, encodedBy(zlib, bytes)},
      {4, encodedBy(crc, bytes)},
      {5, encodedBy(crc, encodedBy(zlib, bytes))},
      {6, encodedBy(crc, bytes)},
      {7, encodedBy(crc, encodedBy(zlib, bytes))},
  };
  for (const auto& [bits, data] : chunks) {
    for (bool exact : {true, false}) {
      Workspace work;
      const Outcome outcome = decodeWith(c, joined({bits}, data), {1000, exact}, work);
      EXPECT_TRUE(outcome.ok()) << int{bits} << codeName(outcome.status);
      EXPECT_EQ(outcome.bytes, bytes) << int{bits};
    }
    for (int reserved : {8, 16, 32, 64, 128}) {
      const auto header = static_cast<uint8_t>(bits | reserved);
      EXPECT_EQ(decodeWith(c, joined({header}, data), 1000).status.code, Code::BadHeader);
    }
  }
}

TEST(Conditional, SkipsCompressorsThatDoNotHelp) {
  const CodecCase c =
      conditionalCase("", 2, {nested(CodecId::Shuffle, {2}), nested(CodecId::Zlib, {1})});
  EXPECT_EQ(load<uint16_t>(encodedBy(c, slopeBytes(1000, 1)).data()), 3);
  const Bytes noise = randomBytes(1000, 1);
  const Bytes encoded = encodedBy(c, noise);
  EXPECT_EQ(load<uint16_t>(encoded.data()), 1);
  EXPECT_EQ(encoded.size(), 1002u);
  EXPECT_EQ(decodeWith(c, encoded, 1000).bytes, noise);
}

TEST(Conditional, BoundsHoldForAnyHeader) {
  // zstd after zlib is prepared for more bytes than the array has, and must not write them to it.
  const CodecCase c =
      conditionalCase("", 1, {nested(CodecId::Zlib, {1}), nested(CodecId::Zstd, {1, 0})});
  const Bytes larger = encodedBy({"", &kZstdCodec, {1, 0}}, Bytes(1001, 7));
  for (const Bytes& bits : {Bytes{2}, Bytes{3}})
    EXPECT_FALSE(decodeWith(c, joined(bits, larger), 1000).ok());
  const Bytes same = encodedBy({"", &kZstdCodec, {1, 0}}, Bytes(1000, 7));
  EXPECT_TRUE(decodeWith(c, joined({2}, same), 1000).ok());
  EXPECT_FALSE(decodeWith(c, joined({2}, same), 999).ok());
}

TEST(Conditional, NestingIsBounded) {
  CodecCase c = conditionalCase("", 1, {nested(CodecId::Zlib, {1})});
  for (int depth = 1; depth <= 6; depth++) {
    Step step;
    const Status s = prepareStep(c, {100, true}, step);
    EXPECT_EQ(s.code, depth <= 4 ? Code::Ok : Code::LimitExceeded) << depth;
    if (!s) {
      EXPECT_EQ(decodeWith(c, encodedBy(c, Bytes(100, 1)), 100).bytes, Bytes(100, 1));
    }
    c = conditionalCase("", 1, {nested(CodecId::Conditional, c.params)});
  }
  std::vector<std::vector<uint32_t>> many(17, nested(CodecId::Conditional, {1, 0}));
  Step step;
  EXPECT_EQ(prepareStep(conditionalCase("", 3, many), {9, true}, step).code, Code::LimitExceeded);
  many.resize(15);
  const CodecCase fewer = conditionalCase("", 3, many);
  EXPECT_EQ(prepareStep(fewer, {9, true}, step).code, Code::Ok);
}

TEST(Conditional, WordsAreChecked) {
  const CodecCase c = conditionalCases()[2];
  for (size_t size = 0; size < c.params.size(); size++) {
    CodecCase cut = c;
    cut.params.resize(size);
    Step step;
    EXPECT_TRUE(static_cast<bool>(prepareStep(cut, {100, true}, step))) << size;
  }
  for (size_t i = 0; i < c.params.size(); i++) {
    for (uint32_t value : {0u, 1u, 2u, 9u, 255u, 1025u, 0x7fffffffu, 0xffffffffu}) {
      CodecCase changed = c;
      changed.params[i] = value;
      Step step;
      (void)prepareStep(changed, {100, true}, step).code;  // must not crash
    }
  }
  Step step;
  const CodecCase array = conditionalCase("", 1, {nested(CodecId::Bytes, {1})});
  EXPECT_EQ(prepareStep(array, {8, true}, step).code, Code::BadOrder);
  const CodecCase unknown = conditionalCase("", 1, {{250, 0}});
  EXPECT_EQ(prepareStep(unknown, {8, true}, step).code, Code::UnknownCodec);
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
      {"", &kBase64Codec, {0}},
      {"", &kSnappyCodec, {0}},
      {"", &kConditionalCodec, {}},
      {"", &kConditionalCodec, {0, 0}},
      {"", &kConditionalCodec, {1}},
      {"", &kConditionalCodec, {1, 9}},
      {"", &kConditionalCodec, {1025, 0}},
      {"", &kConditionalCodec, {1, 0, 0}},
  };
  for (const CodecCase& c : bad) {
    Step step;
    EXPECT_EQ(prepareStep(c, {100, true}, step).code, Code::BadParameters)
        << listedName(c.codec) << testing::PrintToString(c.params);
  }
}

}  // namespace
}  // namespace zw::test
