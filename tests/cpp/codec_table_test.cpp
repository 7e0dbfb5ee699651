// The tables of codecs and status codes.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "codecs/codec.hpp"

namespace zw::test {
namespace {

TEST(CodecTable, RowsAreComplete) {
  uint32_t id = 0;
  for (; const Codec* codec = findCodec(id); id++) {
    SCOPED_TRACE(codecName(id));
    EXPECT_NE(codec->prepare, nullptr);
    // A codec either relabels, or decodes and (except for these) encodes.
    EXPECT_NE(codec->relabel != nullptr, codec->decode != nullptr);
    const bool decodesOnly = std::set<std::string>{"pcodec",
                                                   "imagecodecs_jpeg",
                                                   "imagecodecs_webp",
                                                   "imagecodecs_png",
                                                   "imagecodecs_lerc",
                                                   "imagecodecs_jpeg2k",
                                                   "hdf5_scaleoffset",
                                                   "hdf5_nbit",
                                                   "hdf5_szip",
                                                   "grib2",
                                                   "fits_rice",
                                                   "fits_quantize",
                                                   "labels"}
                                 .contains(codecName(id));
    EXPECT_EQ(codec->decode != nullptr && !decodesOnly, codec->encode != nullptr);
    if (codec->mapFill) {
      EXPECT_EQ(codec->kind, CodecKind::ArrayToArray);
    }
  }
  EXPECT_STREQ(codecName(id), "");
}

TEST(StatusTable, EveryRowHasANameATagAndAMessage) {
  std::set<std::string> names;
  uint32_t code = 0;
  for (; *statusName(code); code++) {
    EXPECT_TRUE(names.insert(statusName(code)).second) << statusName(code);
    EXPECT_NE(std::string(statusTag(code)), "");
    EXPECT_NE(std::string(statusMessage(code)), "");
  }
  EXPECT_STREQ(statusTag(code), "");
  EXPECT_STREQ(statusMessage(code), "");
  EXPECT_STREQ(statusTag(static_cast<uint32_t>(Code::BadOrder)), "InvalidMetadata");
}

}  // namespace
}  // namespace zw::test
