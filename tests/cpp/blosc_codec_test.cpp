// Blosc: handwritten frames, all kinds of wrong headers, blocks out of order, ranges.
#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "codecs/blosc_decode.hpp"
#include "codecs/blosc_encode.hpp"
#include "codecs/blosc_frame.hpp"

namespace zw::test {
namespace {

const CodecCase kBlosc = bloscCase(1, 5, 1, 4);
const CodecCase kTolerant = bloscCase(1, 5, 1, 4, 0, 2);

struct Header {
  uint8_t version = 2;
  uint8_t formatVersion = 1;
  uint8_t flags = 0;
  uint8_t typesize = 1;
  uint32_t nbytes = 0;
  uint32_t blocksize = 0;
  int64_t cbytes = -1;  // -1: the length of the frame
};

Bytes le32(uint32_t value) {
  Bytes bytes(4);
  store(bytes.data(), value);
  return bytes;
}

Bytes frame(const Header& h, const Bytes& rest) {
  Bytes bytes = {h.version, h.formatVersion, h.flags, h.typesize};
  const size_t size = 16 + rest.size();
  bytes = joined(joined(bytes, le32(h.nbytes)), le32(h.blocksize));
  bytes = joined(
      bytes, le32(h.cbytes < 0 ? static_cast<uint32_t>(size) : static_cast<uint32_t>(h.cbytes)));
  return joined(bytes, rest);
}

Bytes stream(const Bytes& bytes) {
  return joined(le32(static_cast<uint32_t>(bytes.size())), bytes);
}

std::string decodedText(const Bytes& encoded, size_t size, const CodecCase& c = kBlosc) {
  const Outcome decoded = decodeWith(c, encoded, size);
  return decoded.ok() ? std::string(decoded.bytes.begin(), decoded.bytes.end())
                      : codeName(decoded.status);
}

// Inner formats, by their number in the flags.
constexpr uint8_t kLz4 = 1 << 5, kSnappy = 2 << 5, kZlib = 3 << 5, kZstd = 4 << 5;

TEST(BloscFrames, Stored) {
  // The example in the format's documentation: 64 bytes, typesize 4, flags as set by c-blosc.
  const Bytes raw = randomBytes(64, 1);
  const Bytes encoded = joined(fromHex("02 01 33 04 40000000 40000000 50000000"), raw);
  EXPECT_EQ(decodeWith(kBlosc, encoded, 64).bytes, raw);
  EXPECT_EQ(decodedText(fromHex("02 01 02 01 00000000 00000000 10000000"), 0), "");
  EXPECT_EQ(decodedText(fromHex("02 01 02 01 00000000 01000000 10000000"), 0), "");
}

TEST(BloscFrames, OneRawStream) {
  EXPECT_EQ(
      decodedText(frame({.nbytes = 5, .blocksize = 5}, joined(le32(20), stream(fromText("hello")))),
                  5),
      "hello");
  // Byte shuffle of two elements of two bytes and one leftover byte.
  EXPECT_EQ(decodedText(frame({.flags = 1, .typesize = 2, .nbytes = 5, .blocksize = 5},
                              joined(le32(20), stream(fromText("acbd!")))),
                        5),
            "abcd!");
  // Bit shuffle of a block that is not a multiple of eight elements, which is not shuffled.
  EXPECT_EQ(decodedText(frame({.flags = 4, .nbytes = 5, .blocksize = 5},
                              joined(le32(20), stream(fromText("hello")))),
                        5),
            "hello");
  // Bit shuffle of eight bytes: row r holds bit r of each.
  EXPECT_EQ(decodeWith(kBlosc,
                       frame({.flags = 4, .nbytes = 8, .blocksize = 8},
                             joined(le32(20), stream(fromHex("01 02 04 08 10 20 40 80")))),
                       8)
                .bytes,
            fromHex("01 02 04 08 10 20 40 80"));
}

TEST(BloscFrames, EveryInnerFormat) {
  // "aaaaaaaaaaaaaaaaaaaaaaaa!", by hand.
  const std::string expected = std::string(24, 'a') + "!";
  const auto with = [&](uint8_t flags, const char* hex) {
    return decodedText(frame({.flags = flags, .nbytes = 25, .blocksize = 25},
                             joined(le32(20), stream(fromHex(hex)))),
                       25);
  };
  EXPECT_EQ(with(0, "20 61 e0 0e 00 00 21"), expected);
  EXPECT_EQ(with(kLz4, "1f 61 0100 04 10 21"), expected);
  EXPECT_EQ(with(kSnappy, "19 00 61 5a 0100 00 21"), expected);
  EXPECT_EQ(with(kZlib, "78 9c 4b 4c c4 0e 14 01 7a fe 09 3a"), expected);
  EXPECT_EQ(with(kZstd, "28b52ffd 20 19 c2 00 00 61 09 00 00 21"), expected);
  EXPECT_EQ(with(5 << 5, "00"), "UnknownInner at 2");
}

TEST(BloscFrames, BlocksInAnyOrder) {
  // Three blocks, the last one shorter. Streams are out of order and have a gap.
  const Bytes rest = joined(joined(joined(le32(37), le32(44)), le32(28)),
                            joined(joined(stream(fromText("!")), Bytes(4, 0xee)),
                                   joined(stream(fromText("abc")), stream(fromText("def")))));
  EXPECT_EQ(decodedText(frame({.nbytes = 7, .blocksize = 3}, rest), 7), "abcdef!");
  // Two blocks may share their streams.
  EXPECT_EQ(decodedText(frame({.nbytes = 6, .blocksize = 3},
                              joined(joined(le32(24), le32(24)), stream(fromText("abc")))),
                        6),
            "abcabc");
}

TEST(BloscFrames, Splits) {
  // 256 bytes of two-byte elements make two streams of 128; the leftover block has one.
  const Bytes low = randomBytes(128, 2), high(128, 7);
  Bytes expected;
  for (size_t i = 0; i < 128; i++) expected = joined(expected, {low[i], high[i]});
  const Bytes sevens = fromHex("1f 07 0100 67 50 0707070707");  // 1 + 122 + 5 = 128
  const Bytes streams = joined(stream(low), stream(sevens));
  const Bytes leftover = stream(fromText("acbd"));
  const Bytes encoded =
      frame({.flags = kLz4 | 1, .typesize = 2, .nbytes = 260, .blocksize = 256},
            joined(joined(le32(24), le32(24 + static_cast<uint32_t>(streams.size()))),
                   joined(streams, leftover)));
  expected = joined(expected, fromText("abcd"));
  const Outcome decoded = decodeWith(kBlosc, encoded, expected.size());
  ASSERT_TRUE(decoded.ok()) << codeName(decoded.status);
  EXPECT_EQ(decoded.bytes, expected);
  // 255 bytes do not divide into two streams.
  const Bytes odd = frame({.flags = kLz4 | 1, .typesize = 2, .nbytes = 257, .blocksize = 257},
                          joined(le32(20), Bytes(300, 1)));
  EXPECT_EQ(decodedText(odd, 257), "Corrupt at 20");
}

TEST(BloscFrames, WrongHeaders) {
  const Bytes body = joined(le32(20), stream(fromText("hello")));
  const Header good = {.nbytes = 5, .blocksize = 5};
  const auto with = [&](auto change, size_t expected = 5) {
    Header h = good;
    change(h);
    return decodedText(frame(h, body), expected);
  };
  EXPECT_EQ(with([](Header&) {}), "hello");
  EXPECT_EQ(with([](Header& h) { h.version = 1; }), "BadVersion at 0");
  EXPECT_EQ(with([](Header& h) { h.version = 3; }), "BadVersion at 0");
  EXPECT_EQ(with([](Header& h) { h.formatVersion = 2; }), "BadVersion at 1");
  EXPECT_EQ(with([](Header& h) { h.flags = 8; }), "BadVersion at 2");
  EXPECT_EQ(with([](Header& h) { h.flags = 5; }), "BadVersion at 2");
  EXPECT_EQ(with([](Header& h) { h.flags = 2; }), "BadHeader at 12");
  EXPECT_EQ(with([](Header& h) { h.typesize = 0; }), "BadHeader at 3");
  EXPECT_EQ(with([](Header& h) { h.nbytes = 6, h.blocksize = 6; }), "SizeMismatch at 4");
  EXPECT_EQ(with([](Header& h) { h.nbytes = 4, h.blocksize = 4; }), "SizeMismatch at 0");
  EXPECT_EQ(with([](Header& h) { h.nbytes = 0xfffffff0; }), "BadHeader at 4");
  EXPECT_EQ(with([](Header& h) { h.nbytes = 0x7fffffff; }), "BadHeader at 4");
  EXPECT_EQ(with([](Header& h) { h.blocksize = 0; }), "BadHeader at 8");
  EXPECT_EQ(with([](Header& h) { h.blocksize = 6; }), "BadHeader at 8");
  EXPECT_EQ(with([](Header& h) { h.blocksize = 0x80000000; }), "BadHeader at 8");
  EXPECT_EQ(with([](Header& h) { h.blocksize = 1; }), "BadHeader at 8");
  EXPECT_EQ(with([](Header& h) { h.cbytes = 15; }), "BadHeader at 12");
  EXPECT_EQ(with([](Header& h) { h.cbytes = 16; }), "TrailingBytes at 16");
  EXPECT_EQ(with([](Header& h) { h.cbytes = 28; }), "TrailingBytes at 28");
  EXPECT_EQ(with([](Header& h) { h.cbytes = 30; }), "Truncated at 29");
  EXPECT_EQ(with([](Header& h) { h.cbytes = 0xffffffff; }), "Truncated at 29");
}

TEST(BloscFrames, WrongTablesAndStreams) {
  const auto with = [](uint32_t start, uint32_t size, const Bytes& bytes, uint8_t flags = kLz4) {
    return decodedText(frame({.flags = flags, .nbytes = 5, .blocksize = 5},
                             joined(joined(le32(start), le32(size)), bytes)),
                       5);
  };
  const Bytes hello = fromText("hello");
  EXPECT_EQ(with(20, 5, hello), "hello");
  for (uint32_t start : {0u, 16u, 19u, 26u, 29u, 1000u, 0x7fffffffu, 0x80000000u, 0xfffffffbu}) {
    EXPECT_EQ(with(start, 5, hello), "Corrupt at " + std::to_string(start)) << start;
  }
  EXPECT_EQ(with(25, 5, hello).substr(0, 7), "Corrupt");
  for (uint32_t size : {0u, 6u, 9u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    EXPECT_EQ(with(20, size, hello), "Corrupt at 20") << size;
  }
  // A compressed stream may not be longer than its decoded size, except with Snappy.
  EXPECT_EQ(with(20, 6, fromHex("50 68656c6c6f")), "Corrupt at 20");
  EXPECT_EQ(with(20, 7, fromHex("05 10 68656c6c6f"), kSnappy), "hello");
  EXPECT_EQ(with(20, 38, Bytes(38, 0), kSnappy), "Corrupt at 20");
  // Shorter or longer content, and leftover bytes inside a stream.
  EXPECT_EQ(with(20, 4, fromHex("30 616263")), "Corrupt at 28");
  EXPECT_EQ(with(20, 3, fromHex("20 6162")), "Corrupt at 27");
}

TEST(BloscFrames, BytesAfterTheFrame) {
  const Bytes raw = slopeBytes(2000, 3);
  const Bytes encoded = joined(encodedBy(kBlosc, raw), Bytes(16, 0));
  EXPECT_EQ(decodeWith(kBlosc, encoded, raw.size()).status.code, Code::TrailingBytes);
  EXPECT_EQ(decodeWith(kTolerant, encoded, raw.size()).bytes, raw);
  EXPECT_EQ(decodeWith(kTolerant, encodedBy(kBlosc, raw), raw.size()).bytes, raw);
}

TEST(BloscFrames, DecoderIgnoresTheParameters) {
  // The compressor in Zarr metadata is often not the one in the frame.
  const Bytes raw = slopeBytes(5000, 4);
  for (const CodecCase& writer : compressorCases()) {
    if (writer.codec != &kBloscCodec) continue;
    EXPECT_EQ(decodeWith(kBlosc, encodedBy(writer, raw), raw.size()).bytes, raw) << writer.name;
  }
}

TEST(BloscEncoder, EveryTypeSize) {
  Workspace work;
  for (uint32_t typesize = 1; typesize <= 255; typesize++) {
    for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
      const CodecCase c = bloscCase(typesize % 6, 1 + typesize % 7, shuffle, typesize);
      for (size_t size : {size_t{typesize}, size_t{1000}, size_t{66000} + typesize}) {
        const Bytes raw = slopeBytes(size, typesize);
        const Outcome encoded = encodeWith(c, raw, work);
        ASSERT_TRUE(encoded.ok()) << c.name << ' ' << size;
        ASSERT_LE(encoded.bytes.size(), size + 16);
        const Outcome decoded = decodeWith(c, encoded.bytes, {size, true}, work);
        ASSERT_TRUE(decoded.ok()) << c.name << ' ' << size << ' ' << codeName(decoded.status);
        ASSERT_EQ(decoded.bytes, raw) << c.name << ' ' << size;
      }
    }
  }
}

TEST(BloscEncoder, BlockSizesAreWholeElements) {
  for (uint32_t typesize : {1u, 3u, 8u, 16u, 100u, 255u}) {
    for (uint32_t asked : {0u, 1u, 1000u, 0xffffffffu}) {
      for (size_t bytes : {size_t{1}, size_t{100}, size_t{1000}, size_t{10000000}}) {
        for (BloscFilter filter : {BloscFilter::None, BloscFilter::Bytes, BloscFilter::Bits}) {
          const BloscSettings settings = {
              .filter = filter, .typeBytes = typesize, .blockBytes = asked};
          const uint32_t block = bloscBlockBytes(settings, bytes);
          EXPECT_GE(block, 1u);
          EXPECT_LE(block, bytes);
          if (block >= typesize) {
            EXPECT_EQ(block % typesize, 0u);
          }
        }
      }
    }
  }
}

TEST(BloscBlocks, RangesEqualSlices) {
  const Bytes raw = slopeBytes(10007, 5);
  std::mt19937 random(6);
  for (uint32_t compressor = 0; compressor < 6; compressor++) {
    for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
      const Bytes encoded = encodedBy(bloscCase(compressor, 5, shuffle, 4, 1024), raw);
      Workspace work;
      BloscFrame frame;
      ASSERT_FALSE(readBloscFrame(encoded, raw.size(), false, frame));
      EXPECT_EQ(frame.blockCount, frame.stored ? 0u : 10u);
      for (int i = 0; i < 200; i++) {
        const size_t begin = random() % (raw.size() + 1);
        const size_t size = random() % (raw.size() - begin + 1);
        ExactBlock out(size);
        ASSERT_FALSE(decodeBloscRange(frame, begin, out.span(), {}, work)) << begin << ' ' << size;
        ASSERT_EQ(out.copy(), Bytes(raw.begin() + static_cast<ptrdiff_t>(begin),
                                    raw.begin() + static_cast<ptrdiff_t>(begin + size)));
      }
      for (uint32_t i = frame.blockCount; i-- > 0;) {  // individually, in reverse order
        ExactBlock out(frame.block(i).bytes);
        ASSERT_FALSE(decodeBloscBlock(frame, i, out.span(), {}, work));
        ASSERT_EQ(std::memcmp(out.data(), raw.data() + frame.begin(i), out.size()), 0);
      }
    }
  }
}

TEST(BloscBlocks, RangesOfStoredFrames) {
  const Bytes raw = randomBytes(1000, 7);
  const Bytes encoded = encodedBy(bloscCase(1, 0, 1, 4, 256), raw);
  Workspace work;
  BloscFrame frame;
  ASSERT_FALSE(readBloscFrame(encoded, raw.size(), false, frame));
  ASSERT_TRUE(frame.stored);
  ExactBlock out(500);
  ASSERT_FALSE(decodeBloscRange(frame, 300, out.span(), {}, work));
  EXPECT_EQ(out.copy(), Bytes(raw.begin() + 300, raw.begin() + 800));
}

TEST(BloscBlocks, ScratchFollowsTheOutput) {
  // A frame that decodes to the chunk size stays within the session's scratch limit.
  const Bytes raw = slopeBytes(100000, 8);
  const Bytes encoded = encodedBy(bloscCase(1, 9, 1, 4, 100000), raw);
  Workspace work;
  work.setScratchLimit(100000 + 1024);
  EXPECT_TRUE(decodeWith(kBlosc, encoded, {raw.size(), true}, work).ok());
}

}  // namespace
}  // namespace zw::test
