// zlib and gzip: handwritten wrappers, header fields, several members, all checksums.
#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "kernels/crc32.hpp"

namespace zw::test {
namespace {

const CodecCase kZlib = {"zlib", &kZlibCodec, {6}};
const CodecCase kGzip = {"gzip", &kGzipCodec, {6}};

/// "hello" as one stored DEFLATE block, and its checksums.
const Bytes kHelloDeflate = fromHex("01 0500 faff 68656c6c6f");
const Bytes kHelloAdler = fromHex("062c0215");
const Bytes kHelloTrailer = fromHex("86a61036 05000000");
const Bytes kHello = fromText("hello");

Bytes gzipHeader(uint8_t flags, const Bytes& fields) {
  return joined(Bytes{0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3}, fields);
}

Bytes helloMember(uint8_t flags = 0, const Bytes& fields = {}) {
  return joined(joined(gzipHeader(flags, fields), kHelloDeflate), kHelloTrailer);
}

TEST(Zlib, HandWrittenStream) {
  const Bytes stream = joined(joined(fromHex("78 01"), kHelloDeflate), kHelloAdler);
  const Outcome decoded = decodeWith(kZlib, stream, 5);
  ASSERT_TRUE(decoded.ok()) << codeName(decoded.status);
  EXPECT_EQ(decoded.bytes, kHello);
}

TEST(Zlib, RejectedInput) {
  const auto decodeCode = [](const char* header, const Bytes& adler) {
    return decodeWith(kZlib, joined(joined(fromHex(header), kHelloDeflate), adler), 5).status.code;
  };
  EXPECT_EQ(decodeCode("78 01", fromHex("062c0214")), Code::ChecksumMismatch);
  EXPECT_EQ(decodeCode("78 02", kHelloAdler), Code::BadHeader);  // not a multiple of 31
  EXPECT_EQ(decodeCode("79 00", kHelloAdler), Code::BadHeader);  // method 9
  EXPECT_EQ(decodeCode("88 1c", kHelloAdler), Code::BadHeader);  // window of 64 KiB
  EXPECT_EQ(decodeCode("78 20", kHelloAdler), Code::BadHeader);  // preset dictionary
  EXPECT_EQ(decodeCode("78 01", joined(kHelloAdler, {0})), Code::TrailingBytes);
}

TEST(Zlib, HeaderByEveryLevelIsValid) {
  for (uint32_t level = 0; level <= 9; level++) {
    const Bytes encoded = encodedBy({"", &kZlibCodec, {level}}, slopeBytes(1000, level));
    EXPECT_EQ((encoded[0] * 256 + encoded[1]) % 31, 0) << level;
    EXPECT_EQ(encoded[1] & 0x20, 0) << level;
  }
}

TEST(Gzip, HeaderFields) {
  const Bytes extra = fromHex("0400 00ff00ff"), name = fromHex("612e62 00"),
              comment = fromHex("00");
  const struct {
    uint8_t flags;
    Bytes fields;
  } headers[] = {{0, {}},    {1, {}},  // FTEXT, a hint
                 {4, extra}, {8, name}, {16, comment}, {28, joined(joined(extra, name), comment)}};
  for (const auto& h : headers) {
    const Outcome decoded = decodeWith(kGzip, helloMember(h.flags, h.fields), 5);
    EXPECT_TRUE(decoded.ok()) << int{h.flags} << codeName(decoded.status);
    EXPECT_EQ(decoded.bytes, kHello);
    // The same with a correct and a wrong header checksum.
    const auto flags = static_cast<uint8_t>(h.flags | 2);
    const Bytes header = gzipHeader(flags, h.fields);
    const uint32_t crc = crc32(0, header.data(), header.size());
    const Bytes crc16 = {static_cast<uint8_t>(crc), static_cast<uint8_t>(crc >> 8)};
    const Bytes wrong16 = {static_cast<uint8_t>(crc ^ 1), static_cast<uint8_t>(crc >> 8)};
    EXPECT_TRUE(decodeWith(kGzip, helloMember(flags, joined(h.fields, crc16)), 5).ok());
    EXPECT_EQ(decodeWith(kGzip, helloMember(flags, joined(h.fields, wrong16)), 5).status.code,
              Code::ChecksumMismatch);
  }
}

TEST(Gzip, Members) {
  const Bytes two = joined(helloMember(), helloMember(8, fromHex("00")));
  const Outcome decoded = decodeWith(kGzip, two, 10);
  ASSERT_TRUE(decoded.ok()) << codeName(decoded.status);
  EXPECT_EQ(decoded.bytes, fromText("hellohello"));
  EXPECT_EQ(decodeWith(kGzip, two, 9).status.code, Code::SizeMismatch);
  EXPECT_EQ(decodeWith(kGzip, two, 5).status.code, Code::SizeMismatch);
  EXPECT_EQ(decodeWith(kGzip, two, 11).status.code, Code::SizeMismatch);
  EXPECT_EQ(decodeWith(kGzip, joined(two, {0}), 10).status.code, Code::TrailingBytes);
  EXPECT_EQ(decodeWith(kGzip, joined(two, {0x1f, 0x8b}), 10).status.code, Code::Truncated);
}

TEST(Gzip, RejectedInput) {
  const auto changed = [](size_t at, uint8_t value) {
    Bytes member = helloMember();
    member[at] = value;
    return decodeWith(kGzip, member, 5).status.code;
  };
  EXPECT_EQ(changed(0, 0x1e), Code::BadHeader);
  EXPECT_EQ(changed(2, 7), Code::BadHeader);
  EXPECT_EQ(changed(3, 0x20), Code::BadHeader);
  EXPECT_EQ(changed(20, 0x87), Code::ChecksumMismatch);
  EXPECT_EQ(changed(24, 6), Code::ChecksumMismatch);
  EXPECT_EQ(decodeWith(kGzip, gzipHeader(4, fromHex("ffff 00")), 5).status.code, Code::Truncated);
  EXPECT_EQ(decodeWith(kGzip, gzipHeader(8, fromHex("616263")), 5).status.code, Code::Truncated);
  EXPECT_EQ(decodeWith(kGzip, {}, 5).status.code, Code::Truncated);
}

TEST(Gzip, ManyEmptyMembers) {
  const Bytes empty = fromHex("1f8b0800000000000003 0300 00000000 00000000");
  Bytes many;
  for (int i = 0; i < 1000; i++) many = joined(std::move(many), empty);
  EXPECT_TRUE(decodeWith(kGzip, many, 0).ok());
  EXPECT_TRUE(decodeWith(kGzip, joined(many, helloMember()), 5).ok());
}

}  // namespace
}  // namespace zw::test
