#include <iterator>

#include "codecs/codec.hpp"

namespace zw {
namespace {

constexpr const Codec* kTable[] = {
#define ZW_CODEC(Id, name) &k##Id##Codec,
#define ZW_CODEC_FULL(Id, name) ZW_RARE_ONLY(&k##Id##Codec),
#define ZW_CODEC_IMAGE(Id, name) ZW_IMAGES_ONLY(&k##Id##Codec),
#include "codecs/codec_list.inc"
#undef ZW_CODEC
#undef ZW_CODEC_FULL
#undef ZW_CODEC_IMAGE
};

constexpr const char* kNames[] = {
#define ZW_CODEC(Id, name) name,
#define ZW_CODEC_FULL(Id, name) name,
#define ZW_CODEC_IMAGE(Id, name) name,
#include "codecs/codec_list.inc"
#undef ZW_CODEC
#undef ZW_CODEC_FULL
#undef ZW_CODEC_IMAGE
};

}  // namespace

const Codec* findCodec(uint32_t id) {
  return id < std::size(kTable) ? kTable[id] : nullptr;
}

const char* codecName(uint32_t id) {
  return id < std::size(kNames) ? kNames[id] : "";
}

}  // namespace zw
