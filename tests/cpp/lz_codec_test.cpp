// LZ4, BloscLZ and Snappy: handwritten streams, all match distances and lengths, and all ways to
// refer to addresses outside the buffers.
#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "codecs/blosclz.hpp"
#include "codecs/lz4_block.hpp"
#include "codecs/snappy.hpp"

namespace zw::test {
namespace {

using Decode = Status (*)(const lz::Buffers&);

/// Decodes to exactly `size` bytes, followed by `slack` writable bytes.
Outcome run(Decode decode, const Bytes& stream, size_t size, size_t slack = 0) {
  const ExactBlock in(stream);
  ExactBlock out(size + slack);
  Outcome outcome;
  outcome.status = decode({.in = in.data(),
                           .inEnd = in.data() + in.size(),
                           .out = out.data(),
                           .outEnd = out.data() + size,
                           .outLimit = out.data() + out.size()});
  if (outcome.ok()) outcome.bytes.assign(out.data(), out.data() + size);
  return outcome;
}

std::string text(Decode decode, const char* hex, size_t size) {
  const Outcome outcome = run(decode, fromHex(hex), size);
  return outcome.ok() ? std::string(outcome.bytes.begin(), outcome.bytes.end())
                      : codeName(outcome.status);
}

TEST(Lz4Block, HandWritten) {
  EXPECT_EQ(text(lz4DecodeBlock, "00", 0), "");
  EXPECT_EQ(text(lz4DecodeBlock, "50 68656c6c6f", 5), "hello");
  EXPECT_EQ(text(lz4DecodeBlock, "22 6162 0200 10 63", 9),
            "abababab"
            "c");
  EXPECT_EQ(text(lz4DecodeBlock, "1f 61 0100 01 50 6263646566", 26),
            "a" + std::string(20, 'a') + "bcdef");
}

TEST(Lz4Block, RejectedInput) {
  EXPECT_EQ(text(lz4DecodeBlock, "", 0), "Truncated at 0");
  EXPECT_EQ(text(lz4DecodeBlock, "50 6865", 5), "Truncated at 1");
  EXPECT_EQ(text(lz4DecodeBlock, "50 68656c6c6f", 4), "Corrupt at 1");
  EXPECT_EQ(text(lz4DecodeBlock, "50 68656c6c6f", 6), "SizeMismatch at 6");
  EXPECT_EQ(text(lz4DecodeBlock, "12 61 0200 10 63", 9), "Corrupt at 4");   // before the start
  EXPECT_EQ(text(lz4DecodeBlock, "12 61 0000 10 63", 9), "Corrupt at 4");   // distance 0
  EXPECT_EQ(text(lz4DecodeBlock, "12 61 01", 9), "Truncated at 2");         // half a distance
  EXPECT_EQ(text(lz4DecodeBlock, "12 61 0100", 7), "Truncated at 4");       // no last literals
  EXPECT_EQ(text(lz4DecodeBlock, "1f 61 0100 ff", 999), "Truncated at 5");  // length goes on
  EXPECT_EQ(text(lz4DecodeBlock, "f0 ffffffff", 9), "Corrupt at 2");        // more than the room
}

TEST(Blosclz, HandWritten) {
  EXPECT_EQ(text(blosclzDecode, "24 68656c6c6f", 5), "hello");
  EXPECT_EQ(text(blosclzDecode, "01 6162 20 01 00 63", 6),
            "abab"
            "ac");
  EXPECT_EQ(text(blosclzDecode, "00 61 e0 05 00 00 62", 16), std::string(15, 'a') + "b");
  EXPECT_EQ(text(blosclzDecode, "00 61 20 00", 4), "aaaa");  // may end with a match
}

TEST(Blosclz, FarDistances) {
  // Distances 8192 and 8193: the longest without and the shortest with the two extra bytes are 8191
  // and
  // 8192. 255 as the low byte alone is not the marker.
  Bytes stream;
  const Bytes bytes = randomBytes(9000, 1);
  for (size_t at = 0; at < bytes.size(); at += 32) {
    const size_t run = std::min<size_t>(32, bytes.size() - at);
    stream.push_back(static_cast<uint8_t>(run - 1));
    stream.insert(stream.end(), bytes.begin() + static_cast<ptrdiff_t>(at),
                  bytes.begin() + static_cast<ptrdiff_t>(at + run));
  }
  const auto matchBytes = [&](const char* match, size_t length) {
    Outcome outcome = run(blosclzDecode, joined(stream, fromHex(match)), bytes.size() + length);
    return outcome.ok()
               ? Bytes(outcome.bytes.end() - static_cast<ptrdiff_t>(length), outcome.bytes.end())
               : Bytes();
  };
  const auto fromBack = [&](size_t distance, size_t length) {
    const auto from = bytes.end() - static_cast<ptrdiff_t>(distance);
    return Bytes(from, from + static_cast<ptrdiff_t>(length));
  };
  EXPECT_EQ(matchBytes("3f fe", 3), fromBack(8191, 3));
  EXPECT_EQ(matchBytes("3f ff 0000", 3), fromBack(8192, 3));
  EXPECT_EQ(matchBytes("3f ff 0102", 3), fromBack(8192 + 0x102, 3));
  EXPECT_EQ(matchBytes("3e ff", 3), fromBack(0x1eff + 1, 3));
  EXPECT_EQ(matchBytes("ff 00 ff 0001", 9), fromBack(8193, 9));
}

TEST(Blosclz, RejectedInput) {
  EXPECT_EQ(text(blosclzDecode, "", 1), "Truncated at 0");
  EXPECT_EQ(text(blosclzDecode, "24 6865", 5), "Truncated at 1");
  EXPECT_EQ(text(blosclzDecode, "24 68656c6c6f", 4), "Corrupt at 1");
  EXPECT_EQ(text(blosclzDecode, "24 68656c6c6f", 6), "SizeMismatch at 6");
  EXPECT_EQ(text(blosclzDecode, "00 61 20", 4), "Truncated at 3");
  EXPECT_EQ(text(blosclzDecode, "00 61 20 01", 4), "Corrupt at 4");       // before the start
  EXPECT_EQ(text(blosclzDecode, "00 61 3f ff 00", 4), "Truncated at 4");  // half a far distance
  EXPECT_EQ(text(blosclzDecode, "00 61 40 00", 4), "Corrupt at 4");       // longer than the room
  EXPECT_EQ(text(blosclzDecode, "00 61 e0 ff", 999), "Truncated at 4");   // length goes on
  EXPECT_EQ(text(blosclzDecode, "00 61 e0 ffffffffff 00", 99), "Corrupt at 4");
}

TEST(Snappy, HandWritten) {
  EXPECT_EQ(text(snappyDecode, "00", 0), "");
  EXPECT_EQ(text(snappyDecode, "05 10 68656c6c6f", 5), "hello");
  EXPECT_EQ(text(snappyDecode, "07 04 6162 05 02", 7), "abababa");
  EXPECT_EQ(text(snappyDecode, "0a 04 6162 1e 0200", 10), "ababababab");
  EXPECT_EQ(text(snappyDecode, "0a 04 6162 1f 02000000", 10), "ababababab");
  EXPECT_EQ(text(snappyDecode, "05 f0 04 68656c6c6f", 5), "hello");
  EXPECT_EQ(text(snappyDecode, "05 fc 04000000 68656c6c6f", 5), "hello");
}

TEST(Snappy, RejectedInput) {
  EXPECT_EQ(text(snappyDecode, "", 0), "Corrupt at 0");
  EXPECT_EQ(text(snappyDecode, "ffffffffff01", 0), "Corrupt at 5");
  EXPECT_EQ(text(snappyDecode, "04 10 68656c6c6f", 5), "SizeMismatch at 1");
  EXPECT_EQ(text(snappyDecode, "05 10 6865", 5), "Truncated at 2");
  EXPECT_EQ(text(snappyDecode, "05 0c 68656c6c", 5), "SizeMismatch at 6");
  EXPECT_EQ(text(snappyDecode, "04 10 68656c6c6f", 4), "Corrupt at 2");
  EXPECT_EQ(text(snappyDecode, "05 fc ffffffff 68656c6c6f", 5), "Truncated at 6");
  EXPECT_EQ(text(snappyDecode, "05 fc 0400", 5), "Truncated at 2");
  EXPECT_EQ(text(snappyDecode, "07 04 6162 05 03", 7), "Corrupt at 6");  // before the start
  EXPECT_EQ(text(snappyDecode, "07 04 6162 05 00", 7), "Corrupt at 6");  // distance 0
  EXPECT_EQ(text(snappyDecode, "07 04 6162 05", 7), "Truncated at 5");
  EXPECT_EQ(text(snappyDecode, "06 04 6162 05 02", 6), "Corrupt at 6");  // longer than the room
}

/// Appends an LZ4 match to a block that starts with `literals` literals.
Bytes lz4Block(const Bytes& literals, size_t distance, size_t length, const Bytes& last) {
  const auto nibble = [](size_t n) { return n < 15 ? n : 15; };
  Bytes block;
  const auto more = [&](size_t n) {
    if (n < 15) return;
    for (n -= 15; n >= 255; n -= 255) block.push_back(255);
    block.push_back(static_cast<uint8_t>(n));
  };
  block.push_back(static_cast<uint8_t>(nibble(literals.size()) << 4 | nibble(length - 4)));
  more(literals.size());
  block = joined(block, literals);
  block.push_back(static_cast<uint8_t>(distance));
  block.push_back(static_cast<uint8_t>(distance >> 8));
  more(length - 4);
  block.push_back(static_cast<uint8_t>(nibble(last.size()) << 4));
  more(last.size());
  return joined(block, last);
}

/// The definition of a match: copies byte by byte.
Bytes expand(Bytes bytes, size_t distance, size_t length, const Bytes& last) {
  for (; length > 0; length--) bytes.push_back(bytes[bytes.size() - distance]);
  return joined(bytes, last);
}

TEST(LzCopies, EveryDistanceAndLength) {
  const Bytes literals = randomBytes(80, 2);
  for (size_t distance = 1; distance <= 40; distance++) {
    for (size_t length = 4; length <= 90; length++) {
      for (size_t lastBytes : {0, 1, 7, 100}) {
        for (size_t slack : {0, 3, 16, 64}) {
          const Bytes last = randomBytes(lastBytes, 3);
          const Bytes expected = expand(literals, distance, length, last);
          const Outcome outcome = run(lz4DecodeBlock, lz4Block(literals, distance, length, last),
                                      expected.size(), slack);
          ASSERT_TRUE(outcome.ok()) << distance << ' ' << length << codeName(outcome.status);
          ASSERT_EQ(outcome.bytes, expected) << distance << ' ' << length << ' ' << slack;
        }
      }
    }
  }
}

TEST(LzCopies, LiteralsOfEveryLength) {
  for (size_t count = 1; count <= 600; count += count < 70 ? 1 : 53) {
    for (size_t slack : {0, 40}) {
      const Bytes literals = randomBytes(count, 4);
      const Bytes expected = expand(literals, 1, 40, {9});
      const Outcome outcome =
          run(lz4DecodeBlock, lz4Block(literals, 1, 40, {9}), expected.size(), slack);
      ASSERT_TRUE(outcome.ok()) << count;
      ASSERT_EQ(outcome.bytes, expected) << count;
    }
  }
}

/// Data with near and far, short and long matches.
Bytes patches(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes = randomBytes(64, seed);
  while (bytes.size() < size) {
    const size_t distance = 1 + random() % std::min<size_t>(bytes.size(), 1u << (random() % 18));
    size_t length = 1 + random() % (1u << (random() % 11));
    for (; length > 0; length--) bytes.push_back(bytes[bytes.size() - distance]);
    if (random() % 3 == 0) bytes.push_back(static_cast<uint8_t>(random()));
  }
  bytes.resize(size);
  return bytes;
}

TEST(OwnEncoders, RoundTripWithTightAndLooseRoom) {
  using Encode = size_t (*)(lz::MatchTable&, ByteView, ByteSpan);
  const struct {
    Encode encode;
    Decode decode;
  } pairs[] = {{blosclzEncode, blosclzDecode}, {snappyEncode, snappyDecode}};
  std::vector<uint32_t> slots(1 << 13);
  for (const auto& pair : pairs) {
    lz::MatchTable table = {.last = slots.data(), .bits = 13};
    table.clear();  // once: later streams must not see the earlier ones
    for (uint32_t seed = 0; seed < 200; seed++) {
      const Bytes bytes = patches(1 + seed * seed * 5, seed);
      ExactBlock out(bytes.size() + bytes.size() / 6 + 32);
      const size_t size = pair.encode(table, bytes, out.span());
      ASSERT_GT(size, 0u) << seed;
      const Bytes stream(out.data(), out.data() + size);
      for (size_t slack : {0, 100}) {
        const Outcome outcome = run(pair.decode, stream, bytes.size(), slack);
        ASSERT_TRUE(outcome.ok()) << seed << codeName(outcome.status);
        ASSERT_EQ(outcome.bytes, bytes) << seed;
      }
      ExactBlock exact(size), tight(size - 1);
      EXPECT_LE(pair.encode(table, bytes, tight.span()), size - 1) << seed;
      // A failure does not affect the next call, even with the same data.
      const size_t again = pair.encode(table, bytes, exact.span());
      if (again > 0) {
        const Bytes repeated(exact.data(), exact.data() + again);
        ASSERT_EQ(run(pair.decode, repeated, bytes.size()).bytes, bytes) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace zw::test
