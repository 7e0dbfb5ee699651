// Requirements of all compressors: round trips, rejection of truncated, extended and damaged data,
// and no access outside the buffers (AddressSanitizer checks that).
#include <gtest/gtest.h>

#include "codec_support.hpp"

namespace zw::test {
namespace {

class CompressorTest : public testing::TestWithParam<CodecCase> {};

INSTANTIATE_TEST_SUITE_P(All, CompressorTest, testing::ValuesIn(compressorCases()),
                         [](const auto& row) { return row.param.name; });

std::vector<Bytes> kindsOfData(size_t size) {
  const auto seed = static_cast<uint32_t>(size);
  if (size > amount(100000, size)) return {slopeBytes(size, seed)};
  return {slopeBytes(size, seed), smoothBytes(size, seed), randomBytes(size, seed), Bytes(size, 0)};
}

TEST_P(CompressorTest, RoundTrip) {
  std::vector<size_t> sizes = edgeSizes();
  sizes.push_back(1 << 20);
  Workspace work;
  for (size_t size : sizes) {
    for (const Bytes& bytes : kindsOfData(size)) {
      const Outcome encoded = encodeWith(GetParam(), bytes, work);
      ASSERT_TRUE(encoded.ok()) << size << ": " << codeName(encoded.status);
      const Outcome decoded = decodeWith(GetParam(), encoded.bytes, {size, true}, work);
      ASSERT_TRUE(decoded.ok()) << size << ": " << codeName(decoded.status);
      ASSERT_EQ(decoded.bytes, bytes) << size;
    }
  }
}

TEST_P(CompressorTest, EncodingIsRepeatable) {
  Workspace used, fresh;
  const Bytes bytes = slopeBytes(70000, 1);
  encodeWith(GetParam(), randomBytes(50000, 2), used);
  EXPECT_EQ(encodeWith(GetParam(), bytes, used).bytes, encodeWith(GetParam(), bytes, fresh).bytes);
}

/// Expects that a prefix fails, or that it decodes completely if the format has a loose end.
bool isRefusedOrWhole(const CodecCase& c, const Outcome& outcome, const Bytes& bytes) {
  return !outcome.ok() || (c.hasLooseEnd && outcome.bytes == bytes);
}

TEST_P(CompressorTest, EveryPrefixFails) {
  const Bytes bytes = slopeBytes(1200, 3);
  const Bytes encoded = encodedBy(GetParam(), bytes);
  ASSERT_FALSE(encoded.empty());
  Workspace work;
  for (size_t size = 0; size < encoded.size(); size++) {
    const Bytes prefix(encoded.begin(), encoded.begin() + static_cast<ptrdiff_t>(size));
    const Outcome outcome = decodeWith(GetParam(), prefix, {bytes.size(), true}, work);
    ASSERT_TRUE(isRefusedOrWhole(GetParam(), outcome, bytes)) << size;
    // Only a code of at most twelve bits may be missing.
    if (size + 2 < encoded.size()) ASSERT_FALSE(outcome.ok()) << size;
  }
}

TEST_P(CompressorTest, PrefixesOfALargeChunkFail) {
  const Bytes bytes = slopeBytes(300000, 4);
  const Bytes encoded = encodedBy(GetParam(), bytes);
  std::mt19937 random(5);
  Workspace work;
  for (size_t i = 0; i < amount(10, 40); i++) {
    const Bytes prefix(encoded.begin(),
                       encoded.begin() + static_cast<ptrdiff_t>(random() % encoded.size()));
    const Outcome outcome = decodeWith(GetParam(), prefix, {bytes.size(), true}, work);
    ASSERT_TRUE(isRefusedOrWhole(GetParam(), outcome, bytes)) << prefix.size();
  }
}

TEST_P(CompressorTest, OneByteMoreFails) {
  const Bytes bytes = slopeBytes(1200, 6);
  Bytes encoded = encodedBy(GetParam(), bytes);
  for (int extra : {0x00, 0xff, 0x1f, 0x28, 0x42}) {
    if (extra == 0 && GetParam().hasLooseEnd) continue;
    encoded.push_back(static_cast<uint8_t>(extra));
    EXPECT_FALSE(decodeWith(GetParam(), encoded, bytes.size()).ok()) << extra;
    encoded.pop_back();
  }
}

TEST_P(CompressorTest, WrongExpectedSizeFails) {
  for (size_t size : {size_t{1}, size_t{100}, size_t{1200}, size_t{70000}}) {
    const Bytes encoded = encodedBy(GetParam(), slopeBytes(size, 7));
    EXPECT_FALSE(decodeWith(GetParam(), encoded, size - 1).ok()) << size;
    EXPECT_FALSE(decodeWith(GetParam(), encoded, size + 1).ok()) << size;
    EXPECT_FALSE(decodeWith(GetParam(), encoded, 2 * size + 100).ok()) << size;
    EXPECT_FALSE(decodeWith(GetParam(), encoded, 0).ok()) << size;
  }
}

TEST_P(CompressorTest, UpperBoundInsteadOfSize) {
  const Bytes bytes = slopeBytes(5000, 8);
  const Bytes encoded = encodedBy(GetParam(), bytes);
  Workspace work;
  for (size_t bound : {size_t{5000}, size_t{5001}, size_t{100000}}) {
    const Outcome decoded = decodeWith(GetParam(), encoded, {bound, false}, work);
    ASSERT_TRUE(decoded.ok()) << bound << ": " << codeName(decoded.status);
    ASSERT_EQ(decoded.bytes, bytes) << bound;
  }
  EXPECT_FALSE(decodeWith(GetParam(), encoded, {4999, false}, work).ok());
}

/// Expects the right size or an error; sanitizers detect anything else.
void expectControlled(const CodecCase& c, const Bytes& encoded, size_t size, Workspace& work) {
  const Outcome outcome = decodeWith(c, encoded, {size, true}, work);
  if (outcome.ok()) {
    EXPECT_EQ(outcome.bytes.size(), size);
  }
}

TEST_P(CompressorTest, ChangedHeaderBytes) {
  const Bytes bytes = slopeBytes(3000, 9);
  const Bytes encoded = encodedBy(GetParam(), bytes);
  Workspace work;
  for (size_t i = 0; i < std::min<size_t>(encoded.size(), 64); i++) {
    for (int change = 0; change < 11; change++) {
      Bytes changed = encoded;
      changed[i] = change == 0   ? uint8_t{0}
                   : change == 1 ? uint8_t{255}
                   : change == 2 ? static_cast<uint8_t>(~changed[i])
                                 : static_cast<uint8_t>(changed[i] ^ (1 << (change - 3)));
      expectControlled(GetParam(), changed, bytes.size(), work);
    }
  }
}

TEST_P(CompressorTest, RandomChanges) {
  std::mt19937 random(10);
  Workspace work;
  for (size_t size : {size_t{200}, size_t{3000}, size_t{40000}}) {
    for (const Bytes& bytes : kindsOfData(size)) {
      const Bytes encoded = encodedBy(GetParam(), bytes);
      for (size_t i = 0; i < amount(15, 60); i++) {
        Bytes changed = encoded;
        for (uint32_t flips = 1 + static_cast<uint32_t>(random() % 4); flips > 0; flips--) {
          changed[random() % changed.size()] = static_cast<uint8_t>(random());
        }
        expectControlled(GetParam(), changed, size, work);
      }
    }
  }
}

TEST_P(CompressorTest, EncodesIntoTheAvailableRoom) {
  const Bytes bytes = slopeBytes(3000, 11);
  const Bytes encoded = encodedBy(GetParam(), bytes);
  Step step;
  ASSERT_FALSE(prepareStep(GetParam(), {bytes.size(), true}, step));
  Workspace work;
  // Encoders may need a few bytes more than they finally write.
  const size_t enough = encoded.size() + 16;
  size_t refused = 0;
  const auto isNearAnEnd = [&](size_t room) { return room < 64 || room + 64 > encoded.size(); };
  for (size_t room = 0; room <= enough + 64; room += isNearAnEnd(room) ? 1 : 37) {
    ExactBlock out(room);
    const ExactBlock in(bytes);
    ByteView result;
    const Status s = GetParam().codec->encode(step, in.view(), out.span(), work, result);
    if (s) {
      ASSERT_EQ(s.code, Code::EncodeFailed) << room;
      ASSERT_LT(room, enough) << encoded.size();
      refused++;
      continue;
    }
    const Bytes fitting(result.begin(), result.end());
    ASSERT_LE(fitting.size(), room);
    const Outcome decoded = decodeWith(GetParam(), fitting, bytes.size());
    ASSERT_TRUE(decoded.ok()) << room;
    ASSERT_EQ(decoded.bytes, bytes) << room;
  }
  EXPECT_GT(refused, 0u);
  // The contexts are still valid after the failures.
  EXPECT_EQ(encodeWith(GetParam(), bytes, work).bytes, encoded);
}

TEST(Compressors, ParametersAreChecked) {
  const std::vector<CodecCase> bad = {
      {"", &kZlibCodec, {}},
      {"", &kZlibCodec, {10}},
      {"", &kGzipCodec, {static_cast<uint32_t>(-2)}},
      {"", &kZstdCodec, {0}},
      {"", &kZstdCodec, {23, 0}},
      {"", &kZstdCodec, {0, 2}},
      {"", &kLz4Codec, {}},
      {"", &kBloscCodec, {}},
      {"", &kBloscCodec, {6, 5, 1, 2, 0, 0}},
      {"", &kBloscCodec, {1, 10, 1, 2, 0, 0}},
      {"", &kBloscCodec, {1, 5, 3, 2, 0, 0}},
      {"", &kBloscCodec, {1, 5, 1, 0, 0, 0}},
      {"", &kBloscCodec, {1, 5, 1, 256, 0, 0}},
      {"", &kBloscCodec, {1, 5, 1, 2, 0, 4}},
      {"", &kLzwCodec, {0}},
      {"", &kTiffPackbitsCodec, {}},
      {"", &kBz2Codec, {0}},
      {"", &kBz2Codec, {10}},
      {"", &kLzmaCodec, {}},
      {"", &kLzmaCodec, {0, kAbsent, kAbsent}},
      {"", &kLzmaCodec, {4, kAbsent, kAbsent}},
      {"", &kLzmaCodec, {1, 2, kAbsent}},
      {"", &kLzmaCodec, {2, 4, kAbsent}},
      {"", &kLzmaCodec, {1, kAbsent, 10}},
      {"", &kLzmaCodec, {3, kAbsent, kAbsent}},
      {"", &kLzmaCodec, {3, kAbsent, 6}},
      {"", &kLzmaCodec, {3, kAbsent, kAbsent, 0x21}},
      {"", &kLzmaCodec, joined({3, kAbsent, kAbsent}, lzmaFilter({3, 1}))},
      {"", &kLzmaCodec, joined({3, kAbsent, kAbsent}, lzmaFilter({0x22}))},
      {"", &kLzmaCodec, joined({3, kAbsent, kAbsent}, lzmaFilter({1, 6, 1 << 16, 9}))},
      {"", &kLzmaCodec, joined({2, kAbsent, kAbsent}, lzmaFilter({0x21}))},
      {"", &kLzmaCodec, joined({1, kAbsent, 6}, lzmaFilter({0x21}))},
  };
  for (const CodecCase& c : bad) {
    Step step;
    EXPECT_EQ(prepareStep(c, {100, true}, step).code, Code::BadParameters)
        << listedName(c.codec) << testing::PrintToString(c.params);
  }
}

}  // namespace
}  // namespace zw::test
