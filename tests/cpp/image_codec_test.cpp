// Image decoders: golden images, written and read by reference programs (tests/golden/images.py),
// wrong sizes, truncated streams, changed bytes, headers with huge sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>
#include <vector>

#include "codec_support.hpp"
#include "kernels/crc32.hpp"

namespace zw::test {
namespace {

struct Golden {
  std::string name;
  CodecCase codec;
  Bytes encoded;
  size_t bytes = 0;
  uint32_t crc = 0;
};

void PrintTo(const Golden& golden, std::ostream* out) {
  *out << golden.name;
}

/// The value of a string field in a line of JSON written by the script, or "".
std::string field(const std::string& line, const std::string& name) {
  const size_t found = line.find("\"" + name + "\": ");
  if (found == std::string::npos) return "";
  const size_t at = found + name.size() + 4;
  if (line[at] != '"') return line.substr(at, line.find_first_of(",}", at) - at);
  return line.substr(at + 1, line.find('"', at + 1) - at - 1);
}

Bytes unpackBase64(const std::string& text) {
  const CodecCase base64 = {"base64", &kBase64Codec, {}};
  Workspace work;
  return decodeWith(base64, Bytes(text.begin(), text.end()), {text.size(), false}, work).bytes;
}

uint32_t colourSpace(const std::string& name) {
  return name == "GRAYSCALE" ? 1 : name == "RGB" ? 2 : 0;
}

CodecCase codecOfLine(const std::string& line) {
  const std::string name = field(line, "codec");
  if (name == "imagecodecs_lerc") return {name, &kImageLercCodec, {0}};
  if (name == "imagecodecs_png") return {name, &kImagePngCodec, {}};
  if (name == "imagecodecs_webp")
    return {name, &kImageWebpCodec, {field(line, "hasalpha") == "true" ? 1u : 0u}};
  if (name == "imagecodecs_jpeg2k")
    return {name, &kImageJpeg2kCodec, {field(line, "planar") == "true" ? 1u : 0u}};
  const Bytes tables = unpackBase64(field(line, "tables")),
              header = unpackBase64(field(line, "header"));
  std::vector<uint32_t> params = {
      colourSpace(field(line, "colorspace_jpeg")), colourSpace(field(line, "colorspace_data")),
      static_cast<uint32_t>(tables.size()), static_cast<uint32_t>(header.size())};
  Bytes both = tables;
  both.insert(both.end(), header.begin(), header.end());
  for (size_t i = 0; i < both.size(); i += 4) {
    uint32_t word = 0;
    std::memcpy(&word, both.data() + i, std::min<size_t>(4, both.size() - i));
    params.push_back(word);
  }
  return {name, &kImageJpegCodec, params};
}

std::vector<Golden> goldenImages() {
  std::ifstream file(std::string(ZW_GOLDEN_DIR) + "/images.jsonl");
  std::vector<Golden> all;
  for (std::string line; std::getline(file, line);) {
    all.push_back({field(line, "codec") + "_" + field(line, "name"), codecOfLine(line),
                   unpackBase64(field(line, "data")), std::stoul(field(line, "bytes")),
                   static_cast<uint32_t>(std::stoul(field(line, "crc32")))});
  }
  return all;
}

uint32_t checksum(const Bytes& bytes) {
  return crc32(0, bytes.data(), bytes.size());
}

class Images : public testing::TestWithParam<Golden> {};

TEST_P(Images, EqualTheReferencePrograms) {
  const Golden& golden = GetParam();
  Workspace work;
  const Outcome exact = decodeWith(golden.codec, golden.encoded, {golden.bytes, true}, work);
  ASSERT_TRUE(exact.ok()) << codeName(exact.status);
  EXPECT_EQ(checksum(exact.bytes), golden.crc);
  const Outcome bounded =
      decodeWith(golden.codec, golden.encoded, {golden.bytes + 1000, false}, work);
  ASSERT_TRUE(bounded.ok()) << codeName(bounded.status);
  EXPECT_EQ(bounded.bytes, exact.bytes);
}

TEST_P(Images, RejectOtherSizes) {
  const Golden& golden = GetParam();
  Workspace work;
  for (const size_t bytes : {golden.bytes + 1, golden.bytes * 2, golden.bytes - 1, size_t{1}}) {
    if (bytes == golden.bytes || bytes == 0) continue;
    const Outcome outcome = decodeWith(golden.codec, golden.encoded, {bytes, true}, work);
    EXPECT_EQ(outcome.status.code, Code::SizeMismatch) << bytes << ": " << codeName(outcome.status);
  }
}

TEST_P(Images, TruncatedImagesAreRejected) {
  const Golden& golden = GetParam();
  Workspace work;
  const size_t step = std::max<size_t>(1, golden.encoded.size() / amount(20, 60));
  for (size_t length = 0; length < golden.encoded.size(); length += step) {
    const Bytes cut(golden.encoded.begin(),
                    golden.encoded.begin() + static_cast<ptrdiff_t>(length));
    const Outcome outcome = decodeWith(golden.codec, cut, {golden.bytes, true}, work);
    // If the missing end is not needed for pixels (checksums, an end mark), these must be correct.
    if (outcome.ok()) {
      EXPECT_EQ(checksum(outcome.bytes), golden.crc) << length << " of " << golden.encoded.size();
    }
  }
}

TEST_P(Images, DamagedImagesAreDecodedOrRejected) {
  const Golden& golden = GetParam();
  Workspace work;
  const size_t step = std::max<size_t>(1, golden.encoded.size() / amount(40, 150));
  for (size_t at = 0; at < golden.encoded.size(); at += at < 120 ? 1 : step) {
    constexpr uint8_t changes[] = {0x01, 0x80, 0xff};
    for (size_t i = 0; i < amount(1, 3); i++) {
      Bytes damaged = golden.encoded;
      damaged[at] = static_cast<uint8_t>(damaged[at] ^ changes[(at + i) % 3]);
      const Outcome outcome = decodeWith(golden.codec, damaged, {golden.bytes, true}, work);
      if (outcome.ok()) {
        EXPECT_EQ(outcome.bytes.size(), golden.bytes);
      }
    }
  }
}

class UnframedImages : public Images {};

TEST_P(UnframedImages, MayBeFollowedByAnything) {
  const Golden& golden = GetParam();
  Workspace work;
  Bytes longer = golden.encoded;
  longer.push_back(0);
  const Outcome outcome = decodeWith(golden.codec, longer, {golden.bytes, true}, work);
  ASSERT_TRUE(outcome.ok()) << codeName(outcome.status);
  EXPECT_EQ(checksum(outcome.bytes), golden.crc);
}

/// All but LERC in a zstd frame: bytes after a frame are refused.
std::vector<Golden> unframedImages() {
  std::vector<Golden> images = goldenImages();
  const auto isFramed = [](const Golden& golden) { return golden.name == "imagecodecs_lerc_zstd"; };
  images.erase(std::remove_if(images.begin(), images.end(), isFramed), images.end());
  return images;
}

std::string testName(const testing::TestParamInfo<Golden>& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Golden, Images, testing::ValuesIn(goldenImages()), testName);
INSTANTIATE_TEST_SUITE_P(Golden, UnframedImages, testing::ValuesIn(unframedImages()), testName);

}  // namespace
}  // namespace zw::test
