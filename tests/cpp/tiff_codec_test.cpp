// TIFF codecs: byte layouts, compared with examples in the specifications and with slow references;
// tolerated and rejected input. compressor_codec_test.cpp runs the tests common to all compressors.
#include <gtest/gtest.h>

#include "chain_support.hpp"

namespace zw::test {
namespace {

const CodecCase kLzw = {"lzw", &kLzwCodec, {}};
const CodecCase kPackBits = {"packbits", &kTiffPackbitsCodec, {0}};

// ---- LZW

/// Packs codes with their widths, highest or lowest bit first.
Bytes codes(const std::vector<std::pair<uint32_t, uint32_t>>& list, bool highFirst) {
  std::vector<bool> bits;
  for (const auto& [code, width] : list) {
    for (uint32_t i = 0; i < width; i++) {
      bits.push_back(code >> (highFirst ? width - 1 - i : i) & 1);
    }
  }
  Bytes bytes((bits.size() + 7) / 8);
  for (size_t i = 0; i < bits.size(); i++) {
    const size_t shift = highFirst ? 7 - i % 8 : i % 8;
    bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | bits[i] << shift);
  }
  return bytes;
}

/// Codes of nine bits.
Bytes nine(const std::vector<uint32_t>& list, bool highFirst = true) {
  std::vector<std::pair<uint32_t, uint32_t>> wide;
  for (uint32_t code : list) wide.push_back({code, 9});
  return codes(wide, highFirst);
}

TEST(Lzw, ExampleOfTheSpecification) {
  const Bytes text = {7, 7, 7, 8, 8, 7, 7, 6, 6};
  const std::vector<uint32_t> list = {256, 7, 258, 8, 8, 258, 6, 6, 257};
  EXPECT_EQ(encodedBy(kLzw, text), nine(list));
  EXPECT_EQ(decodeWith(kLzw, nine(list), text.size()).bytes, text);
  EXPECT_EQ(decodeWith(kLzw, nine(list, false), text.size()).bytes, text);
}

TEST(Lzw, ToleratedInput) {
  const Bytes text = {7, 7, 7, 8};
  const auto decoded = [&](const Bytes& encoded) {
    return decodeWith(kLzw, encoded, text.size()).bytes;
  };
  EXPECT_EQ(decoded(nine({256, 7, 258, 8})), text) << "no end";
  EXPECT_EQ(decoded(nine({256, 256, 7, 258, 8, 256, 257})), text) << "cleared twice";
  EXPECT_EQ(decoded(nine({256, 7, 7, 256, 7, 8, 257})), text) << "cleared in between";
  EXPECT_EQ(decoded(joined(nine({256, 7, 258, 8, 257}), Bytes{0})), text) << "padding";
}

TEST(Lzw, RejectedInput) {
  const auto code = [](const Bytes& encoded, Size size = {4, true}) {
    Workspace work;
    return decodeWith(kLzw, encoded, size, work).status.code;
  };
  EXPECT_EQ(code({}), Code::Truncated);
  EXPECT_EQ(code({0x80}), Code::Truncated);
  EXPECT_EQ(code(nine({7, 7, 7, 7, 257})), Code::BadHeader);
  EXPECT_EQ(code({0x80, 0x80, 0, 0}), Code::BadHeader);
  EXPECT_EQ(code(nine({256, 258, 7, 257})), Code::Corrupt) << "a string before there is one";
  EXPECT_EQ(code(nine({256, 7, 259, 257})), Code::Corrupt) << "a string beyond the next";
  EXPECT_EQ(code(nine({256, 7, 7, 7, 257})), Code::SizeMismatch);
  EXPECT_EQ(code(nine({256, 7, 7, 7, 7, 7, 257})), Code::SizeMismatch);
  EXPECT_EQ(code(nine({256, 7, 7})), Code::Truncated);
  EXPECT_EQ(code(nine({256, 7, 7, 7, 7}), {9, false}), Code::Truncated);
  EXPECT_EQ(code(nine({256, 7, 7, 7, 7, 257}), {3, false}), Code::LimitExceeded);
  EXPECT_EQ(code(joined(nine({256, 7, 7, 7, 7, 257}), {1})), Code::TrailingBytes);
  EXPECT_EQ(code(joined(nine({256, 7, 7, 7, 7, 257}), {0, 0})), Code::TrailingBytes);
}

/// Decodes with a table of whole strings, as in the specification.
Bytes slowLzw(const Bytes& in, bool highFirst) {
  std::vector<Bytes> table;
  const auto clear = [&] {
    table.assign(258, {});
    for (int i = 0; i < 256; i++) table[static_cast<size_t>(i)] = {static_cast<uint8_t>(i)};
  };
  size_t at = 0;
  Bytes out, before;
  uint32_t width = 9;
  while (at + width <= 8 * in.size()) {
    uint32_t code = 0;
    for (uint32_t i = 0; i < width; i++, at++) {
      const uint32_t bit = in[at / 8] >> (highFirst ? 7 - at % 8 : at % 8) & 1;
      code |= bit << (highFirst ? width - 1 - i : i);
    }
    if (code == 257) break;
    if (code == 256) {
      clear();
      before.clear();
      width = 9;
      continue;
    }
    Bytes string = code < table.size() ? table[code] : joined(before, Bytes{before[0]});
    if (!before.empty() && table.size() < 4096) table.push_back(joined(before, Bytes{string[0]}));
    const size_t grown = table.size() + (highFirst ? 1 : 0);
    width = grown >= 2048 ? 12 : grown >= 1024 ? 11 : grown >= 512 ? 10 : 9;
    out.insert(out.end(), string.begin(), string.end());
    before = string;
  }
  return out;
}

TEST(Lzw, EqualsTheSlowDecoder) {
  for (size_t size : {1, 15, 16, 17, 300, 5000, 70000}) {
    const auto seed = static_cast<uint32_t>(size);
    for (const Bytes& bytes : {slopeBytes(size, seed), randomBytes(size, seed), Bytes(size, 9)}) {
      const Bytes encoded = encodedBy(kLzw, bytes);
      ASSERT_EQ(slowLzw(encoded, true), bytes) << size;
      ASSERT_EQ(decodeWith(kLzw, encoded, size).bytes, bytes) << size;
    }
  }
}

TEST(Lzw, RandomCodesEqualTheSlowDecoder) {
  // Random codes below the table size: full tables, strings of all lengths.
  for (bool highFirst : {true, false}) {
    std::mt19937 random(highFirst);
    for (int round = 0; round < 5; round++) {
      std::vector<std::pair<uint32_t, uint32_t>> list = {{256, 9}};
      uint32_t next = 258;
      for (int i = 0; i < 6000; i++) {
        const bool isFirst = list.back().first == 256;
        const uint32_t grown = next + (highFirst ? 1 : 0);
        const uint32_t width = grown >= 2048 ? 12 : grown >= 1024 ? 11 : grown >= 512 ? 10 : 9;
        if (!isFirst && random() % 5000 == 0) {
          list.push_back({256, width});
          next = 258;
          continue;
        }
        // The code after the last one of the table is the string that is being added.
        const uint32_t limit = isFirst ? 256 : std::min(next + 1, 4096u);
        auto code = static_cast<uint32_t>(random() % 3 == 0 ? limit - 1 : random() % limit);
        if (code == 256 || code == 257) code = 0;
        list.push_back({code, isFirst ? 9 : width});
        if (!isFirst && next < 4096) next++;
      }
      const Bytes encoded = codes(list, highFirst);
      const Bytes right = slowLzw(encoded, highFirst);
      const Outcome outcome = decodeWith(kLzw, encoded, right.size());
      ASSERT_TRUE(outcome.ok()) << codeName(outcome.status) << " of " << right.size();
      ASSERT_EQ(outcome.bytes, right);
    }
  }
}

// ---- PackBits

TEST(TiffPackBits, ExampleOfApple) {
  const Bytes encoded = fromHex("fe aa 02 80 00 2a fd aa 03 80 00 2a 22 f7 aa");
  const Bytes bytes =
      fromHex("aa aa aa 80 00 2a aa aa aa aa 80 00 2a 22 aa aa aa aa aa aa aa aa aa aa");
  EXPECT_EQ(decodeWith(kPackBits, encoded, bytes.size()).bytes, bytes);
  EXPECT_EQ(encodedBy(kPackBits, bytes), encoded);
}

TEST(TiffPackBits, RowsStartNewRuns) {
  const CodecCase rows = {"rows", &kTiffPackbitsCodec, {4}};
  const Bytes bytes(10, 5);
  const Bytes encoded = encodedBy(rows, bytes);
  EXPECT_EQ(encoded, fromHex("fd 05 fd 05 01 05 05"));
  EXPECT_EQ(decodeWith(rows, encoded, 10).bytes, bytes);
}

TEST(TiffPackBits, ToleratedAndRejectedInput) {
  const auto outcome = [](const char* hex, Size size) {
    Workspace work;
    return decodeWith(kPackBits, fromHex(hex), size, work);
  };
  EXPECT_EQ(outcome("80 fe 01 80 80", {3, true}).bytes, Bytes(3, 1)) << "128 is nothing";
  EXPECT_EQ(outcome("fe 01 00", {3, true}).bytes, Bytes(3, 1)) << "padding";
  EXPECT_EQ(outcome("fe", {3, true}).status.code, Code::Truncated);
  EXPECT_EQ(outcome("02 01 01", {3, true}).status.code, Code::Truncated);
  EXPECT_EQ(outcome("fd 01", {3, true}).status.code, Code::SizeMismatch);
  EXPECT_EQ(outcome("ff 01", {3, true}).status.code, Code::SizeMismatch);
  EXPECT_EQ(outcome("fd 01", {3, false}).status.code, Code::LimitExceeded);
  EXPECT_EQ(outcome("fe 01 00 00", {3, true}).status.code, Code::SizeMismatch);
}

// ---- predictors

CodecWords horizontal(uint32_t run, uint32_t step) {
  return {CodecId::HorizontalDelta, {run, step}};
}
CodecWords planes(uint32_t run, uint32_t step, uint32_t flags) {
  return {CodecId::FloatPredictor, {run, step, flags}};
}

TEST(HorizontalDelta, SamplesOfPixels) {
  Chain chain(DTypeId::Uint8, {2, 3, 2}, before({horizontal(6, 2)}));
  const Bytes pixels = {1, 10, 2, 12, 4, 16, 250, 0, 5, 255, 5, 1};
  const Bytes encoded = {1, 10, 1, 2, 2, 4, 250, 0, 11, 255, 0, 2};
  EXPECT_EQ(chain.encode(pixels), encoded);
  EXPECT_EQ(chain.decode(encoded), pixels);
}

TEST(HorizontalDelta, BigEndianAndFloats) {
  Chain chain(DTypeId::Int16, {3}, before({horizontal(3, 1)}, 2));
  EXPECT_EQ(valuesIn<int16_t>(chain.decode(fromHex("00ff 0001 ff00"))),
            (std::vector<int16_t>{255, 256, 0}));
  Chain floats(DTypeId::Float32, {2}, before({horizontal(2, 1)}));
  const Bytes values = asBytes<float>({1.5f, -2.25f});
  const Bytes encoded = floats.encode(values);
  EXPECT_EQ(load<uint32_t>(encoded.data() + 4),
            load<uint32_t>(values.data() + 4) - load<uint32_t>(values.data()));
  EXPECT_EQ(floats.decode(encoded), values);
}

TEST(FloatPredictor, ExampleByHand) {
  // 0x01020304 and 0x01030507: planes 01 01, 02 03, 03 05, 04 07, then differences of bytes.
  Chain chain(DTypeId::Uint32, {2}, before({planes(2, 1, 3)}));
  const Bytes values = asBytes<uint32_t>({0x01020304, 0x01030507});
  const Bytes encoded = fromHex("01 00 01 01 00 02 ff 03");
  EXPECT_EQ(chain.encode(values), encoded);
  EXPECT_EQ(chain.decode(encoded), values);
  // Byte order does not apply to the encoded array.
  Chain big(DTypeId::Uint32, {2}, before({planes(2, 1, 3)}, 2));
  EXPECT_EQ(big.decode(encoded), values);
  // The lowest byte first, without differences.
  Chain low(DTypeId::Uint32, {2}, before({planes(2, 1, 0)}));
  EXPECT_EQ(low.encode(values), fromHex("04 07 03 05 02 03 01 01"));
  EXPECT_EQ(low.decode(fromHex("04 07 03 05 02 03 01 01")), values);
}

/// Predictor 3, byte by byte.
Bytes slowPlanes(const Bytes& values, uint32_t width, size_t run, size_t step) {
  Bytes out(values.size());
  for (size_t row = 0; row < values.size(); row += run * width) {
    uint8_t* to = out.data() + row;
    for (size_t i = 0; i < run * width; i++) {
      to[i] = values[row + i % run * width + (width - 1 - i / run)];
    }
    for (size_t i = run * width; i-- > step;) to[i] = static_cast<uint8_t>(to[i] - to[i - step]);
  }
  return out;
}

TEST(FloatPredictor, EqualsTheReference) {
  for (DTypeId dtype : {DTypeId::Float16, DTypeId::Float32, DTypeId::Float64}) {
    const uint32_t width = dtypeInfo(static_cast<uint32_t>(dtype))->itemBytes;
    for (uint32_t step : {1u, 2u, 3u, 5u, 8u}) {
      for (uint32_t pixels : {1u, 2u, 7u, 16u, 33u}) {
        const uint32_t run = step * pixels;
        Chain chain(dtype, {3, run}, before({planes(run, step, 3)}));
        const Bytes values = randomBytes(size_t{3} * run * width, run);
        const Bytes encoded = chain.encode(values);
        ASSERT_EQ(encoded, slowPlanes(values, width, run, step)) << run << " by " << step;
        ASSERT_EQ(chain.decode(encoded), values) << run << " by " << step;
      }
    }
  }
}

TEST(Predictors, WrongSizesAndParameters) {
  Chain delta(DTypeId::Uint16, {4, 6}, before({horizontal(6, 1)}));
  Chain floats(DTypeId::Float32, {4, 6}, before({planes(6, 1, 3)}));
  for (size_t size : {size_t{0}, size_t{47}, size_t{49}, size_t{95}, size_t{97}}) {
    delta.decode(Bytes(size));
    EXPECT_EQ(delta.code(), Code::SizeMismatch) << size;
    floats.decode(Bytes(size));
    EXPECT_EQ(floats.code(), Code::SizeMismatch) << size;
  }
  const auto code = [](DTypeId dtype, CodecWords words) {
    return Chain(dtype, {4, 6}, before({std::move(words)})).code();
  };
  EXPECT_EQ(code(DTypeId::Uint16, horizontal(6, 6)), Code::Ok);
  for (const auto& [run, step] : {std::pair{0u, 1u}, {6u, 0u}, {6u, 7u}, {5u, 1u}, {48u, 1u}}) {
    EXPECT_EQ(code(DTypeId::Uint16, horizontal(run, step)), Code::BadParameters) << run;
    EXPECT_EQ(code(DTypeId::Float32, planes(run, step, 3)), Code::BadParameters) << run;
  }
  EXPECT_EQ(code(DTypeId::Float32, planes(6, 4, 3)), Code::BadParameters);
  EXPECT_EQ(code(DTypeId::Float32, planes(6, 1, 4)), Code::BadParameters);
  EXPECT_EQ(code(DTypeId::Float32, {CodecId::FloatPredictor, {6, 1}}), Code::BadParameters);
  EXPECT_EQ(code(DTypeId::Uint8, planes(6, 1, 3)), Code::BadParameters);
  for (DTypeId dtype : {DTypeId::Bool, DTypeId::Complex64}) {
    EXPECT_EQ(code(dtype, horizontal(6, 1)), Code::BadParameters);
    EXPECT_EQ(code(dtype, planes(6, 1, 3)), Code::BadParameters);
  }
}

// ---- chunky

TEST(Chunky, TheFirstAxisIsTheFastest) {
  // Two samples of two rows of three pixels, as in virtual-tiff: axes band, x, y, transposed.
  Chain chain(DTypeId::Uint16, {2, 2, 3}, {transposeCodec({0, 2, 1}), {CodecId::Chunky, {2}}});
  const Bytes stored = fromHex("0000 0100 0001 0101 0002 0102 0003 0103 0004 0104 0005 0105");
  const Bytes values =
      asBytes<uint16_t>({0, 1, 2, 3, 4, 5, 0x100, 0x101, 0x102, 0x103, 0x104, 0x105});
  EXPECT_EQ(chain.decode(stored), values);
  EXPECT_EQ(chain.encode(values), stored);
  EXPECT_EQ(Chain(DTypeId::Uint16, {2}, {{CodecId::Chunky, {0}}}).code(), Code::MissingEndian);
  EXPECT_EQ(Chain(DTypeId::Uint8, {2}, {{CodecId::Chunky, {0}}}).code(), Code::Ok);
  EXPECT_EQ(Chain(DTypeId::Bool, {2}, {{CodecId::Chunky, {1}}}).code(), Code::BadParameters);
  EXPECT_EQ(Chain(DTypeId::Uint8, {2}, {{CodecId::Chunky, {3}}}).code(), Code::BadParameters);
}

}  // namespace
}  // namespace zw::test
