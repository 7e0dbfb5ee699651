// Streaming of single zstd frames: valid and invalid frames, dictionaries, ends of frames.
#include "codecs/zstd_frame.hpp"

#define ZSTD_STATIC_LINKING_ONLY
#include <gtest/gtest.h>
#include <zstd.h>

#include <fstream>
#include <iterator>

#include "codec_support.hpp"

namespace zw::test {
namespace {

/// "hello" in raw blocks: with content size, without (window of 1 KiB), in two blocks.
const Bytes kSized = fromHex("28b52ffd 20 05 290000 68656c6c6f");
const Bytes kUnsized = fromHex("28b52ffd 00 00 290000 68656c6c6f");
const Bytes kTwoBlocks = fromHex("28b52ffd 00 00 100000 6865 190000 6c6c6f");
const Bytes kSkippable = fromHex("532a4d18 03000000 010203");
const CodecCase kUnchecked = {"zstd", &kZstdCodec, {3, 0}};
const CodecCase kChecked = {"zstd_checked", &kZstdCodec, {3, 1}};

Bytes golden(const std::string& name) {
  std::ifstream file(std::string(ZW_GOLDEN_DIR) + "/zstd-dictionary/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

struct Sizes {
  size_t in, out;
};

/// Reads a frame until no more output is available.
Status readAll(ZstdFrame& frame, size_t room, Bytes& bytes) {
  for (;;) {
    ExactBlock out(room);
    size_t made = 0;
    if (Status s = frame.read(out.span(), made)) return s;
    EXPECT_LE(made, room);
    if (made == 0) return {};
    bytes.insert(bytes.end(), out.data(), out.data() + made);
  }
}

Outcome expandIn(ZstdFrame& frame, const Bytes& encoded, const Bytes& dictionary, Sizes sizes) {
  Outcome outcome;
  {
    const ExactBlock given(dictionary);  // freed early, since start() copies it
    if ((outcome.status = frame.start(given.view()))) return outcome;
  }
  for (size_t at = 0; at < encoded.size(); at += sizes.in) {
    const size_t end = std::min(at + sizes.in, encoded.size());
    const ExactBlock piece(Bytes(encoded.begin() + static_cast<ptrdiff_t>(at),
                                 encoded.begin() + static_cast<ptrdiff_t>(end)));
    if ((outcome.status = frame.feed(piece.view()))) return outcome;
    if ((outcome.status = readAll(frame, sizes.out, outcome.bytes))) return outcome;
  }
  outcome.status = frame.end();
  return outcome;
}

std::string describe(const Outcome& outcome) {
  return outcome.ok() ? std::string(outcome.bytes.begin(), outcome.bytes.end())
                      : std::string(statusName(static_cast<uint32_t>(outcome.status.code)));
}

/// The result of reading in pieces of several sizes, which must agree.
std::string expanded(const Bytes& encoded, const Bytes& dictionary = {}) {
  ZstdFrame frame;
  const std::string text = describe(expandIn(frame, encoded, dictionary, {1 << 20, 1 << 17}));
  for (const Sizes sizes : {Sizes{1, 1}, {1, 1 << 17}, {7, 3}, {1 << 20, 2}}) {
    EXPECT_EQ(describe(expandIn(frame, encoded, dictionary, sizes)), text)
        << sizes.in << ' ' << sizes.out;
  }
  return text;
}

TEST(ZstdFrame, HandWrittenFrames) {
  EXPECT_EQ(expanded(kSized), "hello");
  EXPECT_EQ(expanded(kUnsized), "hello");
  EXPECT_EQ(expanded(kTwoBlocks), "hello");
}

TEST(ZstdFrame, AnyDecodedSize) {
  const Bytes bytes = slopeBytes(700'000, 1);
  ZstdFrame frame;
  for (const CodecCase& c : {kUnchecked, kChecked}) {
    const Bytes encoded = encodedBy(c, bytes);
    for (const Sizes sizes : {Sizes{1 << 20, 1 << 20}, {1 << 20, 1000}, {999, 1 << 17}}) {
      const Outcome outcome = expandIn(frame, encoded, {}, sizes);
      ASSERT_TRUE(outcome.ok()) << codeName(outcome.status);
      EXPECT_TRUE(outcome.bytes == bytes) << sizes.in << ' ' << sizes.out;
    }
  }
}

/// A frame without content size, whose window is 2^log bytes.
Bytes encodedWithWindow(const Bytes& bytes, int log) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  Bytes encoded(ZSTD_compressBound(bytes.size()));
  encoded.resize(
      ZSTD_compress2(context, encoded.data(), encoded.size(), bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  return encoded;
}

TEST(ZstdFrame, DropsBytesBehindTheWindow) {
  Bytes bytes = slopeBytes(5'000'000, 1);
  for (size_t i = 0; i < bytes.size(); i += 1 + i % 1013) bytes[i] ^= static_cast<uint8_t>(i >> 9);
  ZstdFrame frame;
  for (const int log : {10, 14, 17, 20, 21}) {
    const Outcome outcome = expandIn(frame, encodedWithWindow(bytes, log), {}, {1 << 20, 1 << 17});
    ASSERT_TRUE(outcome.ok()) << codeName(outcome.status);
    EXPECT_TRUE(outcome.bytes == bytes) << log;
  }
}

TEST(ZstdFrame, RejectsTrailingBytes) {
  for (const Bytes& first : {kSized, kUnsized}) {
    EXPECT_EQ(expanded(joined(first, kSized)), "TrailingBytes");
    EXPECT_EQ(expanded(joined(first, kSkippable)), "TrailingBytes");
    EXPECT_EQ(expanded(joined(first, {0})), "TrailingBytes");
  }
  // A skippable frame is an empty frame.
  EXPECT_EQ(expanded(kSkippable), "");
  EXPECT_EQ(expanded(joined(kSkippable, kSized)), "TrailingBytes");
}

TEST(ZstdFrame, RejectsEveryPrefix) {
  const Bytes checked = encodedBy(kChecked, fromText("hello hello hello hello hello hello"));
  for (const Bytes& whole : {kSized, kTwoBlocks, kSkippable, checked}) {
    for (size_t size = 0; size < whole.size(); size++) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_EQ(expanded(cut), "Truncated") << size;
    }
  }
}

TEST(ZstdFrame, RejectedInput) {
  EXPECT_EQ(expanded(fromHex("1f8b0800 00000000 0003")), "BadHeader");
  EXPECT_EQ(expanded(fromHex("27b52ffd 20 05 290000 68656c6c6f")), "BadHeader");  // before 1.0
  EXPECT_EQ(expanded(fromHex("28b52ffd 08 00 290000 68656c6c6f")), "BadHeader");  // a reserved bit
  EXPECT_EQ(expanded(fromHex("28b52ffd 00 00 2f0000 68656c6c6f")), "Corrupt");  // a reserved block
  EXPECT_EQ(expanded(fromHex("28b52ffd 20 04 290000 68656c6c6f")), "Corrupt");
  EXPECT_EQ(expanded(fromHex("28b52ffd 20 06 290000 68656c6c6f")), "Corrupt");
}

TEST(ZstdFrame, WindowsHaveALimit) {
  ZstdFrame frame;
  // 128 MiB and the step above: the window descriptor is exponent - 10, 5 bits, and eighths.
  EXPECT_EQ(expanded(fromHex("28b52ffd 00 88 290000 68656c6c6f")), "hello");
  EXPECT_EQ(expanded(fromHex("28b52ffd 00 89 290000 68656c6c6f")), "BadHeader");
  EXPECT_EQ(expanded(fromHex("28b52ffd 00 ff 290000 68656c6c6f")), "BadHeader");
  // A content size of 2^63 also sets the window.
  EXPECT_EQ(expanded(fromHex("28b52ffd e0 0000000000000080 290000 68656c6c6f")), "BadHeader");
}

TEST(ZstdFrame, ChecksumIsVerified) {
  Bytes encoded = encodedBy(kChecked, fromText("hello hello hello hello hello hello"));
  EXPECT_EQ(expanded(encoded), "hello hello hello hello hello hello");
  encoded.back() ^= 1;
  EXPECT_EQ(expanded(encoded), "ChecksumMismatch");
}

TEST(ZstdFrame, Dictionary) {
  const Bytes dictionary = golden("dictionary"), encoded = golden("location.zst");
  const Bytes text = golden("location.txt");
  EXPECT_EQ(expanded(encoded, dictionary), std::string(text.begin(), text.end()));
  EXPECT_EQ(expanded(kSized, dictionary), "hello");  // made without a dictionary
  EXPECT_EQ(expanded(encoded), "BadVersion");
  Bytes other = dictionary;
  other[4] ^= 1;  // its id
  EXPECT_EQ(expanded(encoded, other), "BadVersion");
}

TEST(ZstdFrame, RejectsInvalidDictionaries) {
  const Bytes dictionary = golden("dictionary"), encoded = golden("location.zst");
  EXPECT_EQ(expanded(encoded, fromText("raw content is not a dictionary")), "Corrupt");
  EXPECT_EQ(expanded(kSized, fromText("hi")), "Corrupt");
  for (size_t size = 1; size < 100; size += 9) {
    EXPECT_EQ(expanded(encoded, Bytes(dictionary.begin(),
                                      dictionary.begin() + static_cast<ptrdiff_t>(size))),
              "Corrupt")
        << size;
  }
  Bytes damaged = dictionary;
  damaged[8] = 0xff;  // the start of its tables
  EXPECT_EQ(expanded(encoded, damaged), "Corrupt");
}

TEST(ZstdFrame, IsReusable) {
  const Bytes dictionary = golden("dictionary"), encoded = golden("location.zst");
  ZstdFrame frame;
  const Sizes sizes = {1 << 20, 1 << 17};
  EXPECT_EQ(describe(expandIn(frame, encoded, dictionary, sizes)).size(), 51u);
  EXPECT_EQ(describe(expandIn(frame, encoded, {}, sizes)),
            "BadVersion");  // the dictionary is dropped
  EXPECT_EQ(describe(expandIn(frame, fromHex("28b5"), {}, sizes)), "Truncated");
  EXPECT_EQ(describe(expandIn(frame, kSized, {}, sizes)), "hello");
  frame.release();
  EXPECT_EQ(describe(expandIn(frame, kTwoBlocks, {}, sizes)), "hello");
}

TEST(ZstdFrame, MustBeStarted) {
  ZstdFrame frame;
  Bytes bytes;
  EXPECT_EQ(frame.feed({}).code, Code::Corrupt);
  EXPECT_EQ(readAll(frame, 10, bytes).code, Code::Corrupt);
  EXPECT_EQ(frame.end().code, Code::Truncated);
}

TEST(ZstdFrame, DamageIsContained) {
  const Bytes dictionary = golden("dictionary"), encoded = golden("location.zst");
  std::mt19937 random(5);
  ZstdFrame frame;
  for (int i = 0; i < 3000; i++) {
    Bytes changed = encoded, with = dictionary;
    changed[random() % changed.size()] = static_cast<uint8_t>(random());
    if (i % 3 == 0) with[4 + random() % 100] = static_cast<uint8_t>(random());
    const Outcome outcome = expandIn(frame, changed, with, {1 + random() % 40, 1 + random() % 60});
    if (outcome.ok()) ASSERT_LE(outcome.bytes.size(), size_t{1} << 20);
    ASSERT_NE(outcome.status.code, Code::OutOfMemory);
    ASSERT_NE(outcome.status.code, Code::SizeMismatch);
  }
}

}  // namespace
}  // namespace zw::test
