// lzma and bz2: containers written by Python's modules, several streams, padding, checks, and
// memory requested by headers.
#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "lzma_fixes.h"

namespace zw::test {
namespace {

const CodecCase kXz = {"xz", &kLzmaCodec, {1, kAbsent, kAbsent}};
const CodecCase kAlone = {"alone", &kLzmaCodec, {2, kAbsent, kAbsent}};
const CodecCase kBz2 = {"bz2", &kBz2Codec, {9}};

TEST(Lzma, RoundTripThroughEveryContainerTwice) {
  // The liblzma coder of a workspace is reused for different containers.
  Workspace work;
  const Bytes bytes = slopeBytes(20000, 1);
  for (int round = 0; round < 2; round++) {
    for (const CodecCase& c : lzmaCases()) {
      const Outcome encoded = encodeWith(c, bytes, work);
      ASSERT_TRUE(encoded.ok()) << c.name << codeName(encoded.status);
      const Outcome decoded = decodeWith(c, encoded.bytes, {bytes.size(), true}, work);
      ASSERT_TRUE(decoded.ok()) << c.name << codeName(decoded.status);
      ASSERT_EQ(decoded.bytes, bytes) << c.name;
    }
  }
}

TEST(Lzma, StreamsAndPadding) {
  const Bytes one = encodedBy(kXz, slopeBytes(1000, 2));
  const Bytes padded = joined(one, Bytes(8, 0));
  const Bytes expected = slopeBytes(1000, 2);
  EXPECT_EQ(decodeWith(kXz, padded, 1000).bytes, expected);
  EXPECT_EQ(decodeWith(kXz, joined(padded, one), 2000).bytes, joined(expected, expected));
  EXPECT_EQ(decodeWith(kXz, joined(one, one), 2000).bytes, joined(expected, expected));
  EXPECT_EQ(decodeWith(kXz, joined(one, Bytes(3, 0)), 1000).status.code, Code::TrailingBytes);
  EXPECT_EQ(decodeWith(kXz, joined(one, one), 1000).status.code, Code::SizeMismatch);
}

TEST(Lzma, AppendsToAnIndexPreparedForNoRecords) {
  EXPECT_EQ(zwAppendAfterEmptyIndex(), 0);
}

TEST(Lzma, DecoderMakesItsDictionaryAfterAFailure) {
  EXPECT_EQ(zwDecoderAfterFailedAllocation(), 0);
}

TEST(Lzma, ChecksAreVerified) {
  for (uint32_t check : {1u, 4u, 10u}) {
    const CodecCase c = {"", &kLzmaCodec, {1, check, kAbsent}};
    const Bytes bytes = slopeBytes(1000, check);
    Bytes encoded = encodedBy(c, bytes);
    // From the back: footer 12, index (padded to 4), then the check.
    const size_t indexBytes = (size_t{load<uint32_t>(encoded.data() + encoded.size() - 8)} + 1) * 4;
    encoded[encoded.size() - 12 - indexBytes - 1] ^= 0x10;
    const Outcome decoded = decodeWith(c, encoded, bytes.size());
    EXPECT_EQ(decoded.status.code, Code::ChecksumMismatch) << codeName(decoded.status);
  }
}

TEST(Lzma, DictionariesAreLimitedByTheData) {
  // Preset 9 requests 64 MiB. The largest dictionary in a header is 4 GiB minus one byte.
  const Bytes bytes = slopeBytes(5000, 3);
  const CodecCase nine = {"", &kLzmaCodec, {1, kAbsent, 9}};
  const Bytes encoded = encodedBy(nine, bytes);
  EXPECT_EQ(decodeWith(kXz, encoded, bytes.size()).bytes, bytes);
  Bytes alone = encodedBy(kAlone, bytes);
  store(alone.data() + 1, 0xffffffffu);
  EXPECT_EQ(decodeWith(kAlone, alone, bytes.size()).bytes, bytes);
  const CodecCase raw = {"", &kLzmaCodec,
                         joined({3, kAbsent, kAbsent}, lzmaFilter({0x21, 6, 0xfffffffe}))};
  EXPECT_EQ(decodeWith(raw, encodedBy(raw, bytes), bytes.size()).bytes, bytes);
}

TEST(Lzma, AloneStatesItsSize) {
  const Bytes bytes = slopeBytes(5000, 4);
  Bytes encoded = encodedBy(kAlone, bytes);
  EXPECT_EQ(load<uint64_t>(encoded.data() + 5), UINT64_MAX);  // unknown, ends with a marker
  store<uint64_t>(encoded.data() + 5, 5000);                  // both size and marker are legal
  EXPECT_EQ(decodeWith(kAlone, encoded, 5000).bytes, bytes);
  store<uint64_t>(encoded.data() + 5, 5001);
  EXPECT_FALSE(decodeWith(kAlone, encoded, 5000).ok());
  EXPECT_FALSE(decodeWith(kAlone, encoded, 5001).ok());
  store<uint64_t>(encoded.data() + 5, 4999);
  EXPECT_FALSE(decodeWith(kAlone, encoded, 5000).ok());
  EXPECT_FALSE(decodeWith(kAlone, encoded, 4999).ok());
  encoded[0] = 225;
  EXPECT_EQ(decodeWith(kAlone, encoded, 5000).status.code, Code::BadHeader);
}

TEST(Bz2, Streams) {
  const Bytes bytes = slopeBytes(3000, 5);
  const Bytes one = encodedBy(kBz2, bytes);
  EXPECT_EQ(decodeWith(kBz2, joined(one, one), 6000).bytes, joined(bytes, bytes));
  EXPECT_EQ(decodeWith(kBz2, joined(one, one), 3000).status.code, Code::SizeMismatch);
  EXPECT_EQ(decodeWith(kBz2, joined(one, fromText("BZx9")), 3000).status.code, Code::TrailingBytes);
  EXPECT_EQ(decodeWith(kBz2, fromText("no bzip2 at all"), 3000).status.code, Code::BadHeader);
  EXPECT_EQ(decodeWith(kBz2, one, 3001).status.code, Code::SizeMismatch);
  EXPECT_EQ(decodeWith(kBz2, {}, 0).status.code, Code::Truncated);
}

TEST(Python, StreamsOfItsModules) {
  const struct {
    CodecCase codec;
    Bytes encoded;
  } streams[] = {
      {kXz,
       fromHex("fd377a585a000004e6d6b4460200210116000000742fe5a301000468656c6c6f00000000b137b9db"
               "e5da1e9b00011d05b82d80af1fb6f37d010000000004595a")},
      {kXz,
       fromHex("fd377a585a00000ae1fb0ca1020021011c00000010cf58cc01000468656c6c6f000000002cf24dba"
               "5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824000135051283ddf2189b4b9a"
               "01000000000a595a")},
      {kXz,
       fromHex("fd377a585a000004e6d6b446020103010321011890a2c91b01000468656c6c0700000000b137b9db"
               "e5da1e9b00011d05b82d80af1fb6f37d010000000004595a")},
      {kAlone, fromHex("5d00008000ffffffffffffffff00341949ee8e6821ffffffb9e00000")},
      {CodecCase{"raw lzma1", &kLzmaCodec,
                 joined({3, kAbsent, kAbsent}, lzmaFilter({1, kAbsent, 65536, 1, 1, 0}))},
       fromHex("00341a153d3e8ae49fffffb8060000")},
      {CodecCase{"raw delta", &kLzmaCodec,
                 joined(joined({3, kAbsent, kAbsent}, lzmaFilter({3, 4})),
                        lzmaFilter({0x21, 0x80000007}))},
       fromHex("01000468656c6c0700")},
      {kBz2,
       fromHex("425a68393141592653591931653d00000081000244a000219a68334d07338bb9229c28480c98b29e"
               "80")},
      {kBz2,
       fromHex("425a68313141592653591931653d00000081000244a000219a68334d07338bb9229c28480c98b29e"
               "80")},
  };
  for (const auto& s : streams) {
    const Outcome decoded = decodeWith(s.codec, s.encoded, 5);
    EXPECT_TRUE(decoded.ok()) << s.codec.name << ": " << codeName(decoded.status);
    EXPECT_EQ(decoded.bytes, fromText("hello")) << s.codec.name;
  }
}

}  // namespace
}  // namespace zw::test
