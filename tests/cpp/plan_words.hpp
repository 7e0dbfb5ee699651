// Builds plans in tests, with the words that web/src/engine/plan.ts writes.
#pragma once

#include <initializer_list>
#include <vector>

#include "chain/plan.hpp"

namespace zw::test {

struct CodecWords {
  CodecId id;
  std::vector<uint32_t> params;
};

/// An array and a chain, which words() converts to the input of Plan::prepare.
struct ChainSpec {
  DTypeId dtype = DTypeId::Uint8;
  uint32_t itemBytes = 1;
  std::vector<Component> components = {{1, 1}};
  std::vector<uint32_t> shape;
  std::vector<CodecWords> codecs;
  std::vector<uint8_t> fill;
  uint32_t flags = 0;

  std::vector<uint32_t> words() const {
    std::vector<uint32_t> w = {kPlanVersion, flags, static_cast<uint32_t>(dtype), itemBytes,
                               static_cast<uint32_t>(components.size())};
    for (const Component& c : components) w.insert(w.end(), {c.bytes, c.count});
    w.push_back(static_cast<uint32_t>(shape.size()));
    w.insert(w.end(), shape.begin(), shape.end());
    std::vector<uint8_t> item = fill;
    item.resize((itemBytes + 3) / 4 * 4);
    for (size_t i = 0; i < item.size(); i += 4) w.push_back(load<uint32_t>(item.data() + i));
    w.push_back(static_cast<uint32_t>(codecs.size()));
    for (const CodecWords& codec : codecs) {
      w.push_back(static_cast<uint32_t>(codec.id));
      w.push_back(static_cast<uint32_t>(codec.params.size()));
      w.insert(w.end(), codec.params.begin(), codec.params.end());
    }
    return w;
  }

  size_t itemCount() const {
    size_t count = 1;
    for (uint32_t length : shape) count *= length;
    return count;
  }
  size_t bytes() const { return itemCount() * itemBytes; }
};

/// A spec with a data type of fixed width, from dtype_list.inc.
inline ChainSpec makeSpec(DTypeId dtype, std::vector<uint32_t> shape,
                          std::vector<CodecWords> codecs) {
  const DTypeInfo* info = dtypeInfo(static_cast<uint32_t>(dtype));
  ChainSpec spec;
  spec.dtype = dtype;
  spec.itemBytes = info->itemBytes;
  spec.components = {{info->componentBytes, info->itemBytes / info->componentBytes}};
  spec.shape = std::move(shape);
  spec.codecs = std::move(codecs);
  return spec;
}

/// The same for types whose width the plan sets (raw, fixed-length strings).
inline ChainSpec makeSpec(DTypeId dtype, uint32_t itemBytes, std::vector<uint32_t> shape,
                          std::vector<CodecWords> codecs) {
  const DTypeInfo* info = dtypeInfo(static_cast<uint32_t>(dtype));
  ChainSpec spec;
  spec.dtype = dtype;
  spec.itemBytes = itemBytes;
  spec.components = {{info->componentBytes, itemBytes / info->componentBytes}};
  spec.shape = std::move(shape);
  spec.codecs = std::move(codecs);
  return spec;
}

/// A bytes-only chain for at most `bound` bytes.
inline ChainSpec bytesOnlySpec(uint32_t bound, std::vector<CodecWords> codecs) {
  ChainSpec spec = makeSpec(DTypeId::Uint8, {bound}, std::move(codecs));
  spec.flags = kBytesOnly;
  return spec;
}

inline CodecWords bytesCodec(uint32_t endian) {
  return {CodecId::Bytes, {endian}};
}
inline CodecWords transposeCodec(std::vector<uint32_t> order) {
  return {CodecId::Transpose, std::move(order)};
}

}  // namespace zw::test
