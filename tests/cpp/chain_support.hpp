// Chains with array→array codecs, ready to run in buffers that end where they say, and elements as
// bytes.
#pragma once

#include <vector>

#include "chain/run.hpp"
#include "codec_support.hpp"
#include "plan_words.hpp"

namespace zw::test {

template <class T>
Bytes asBytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> valuesIn(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// A chain of array→array codecs and a `bytes` of an endian, ready to run.
struct Chain {
  Plan plan;
  ChainStatus status;

  Chain(DTypeId dtype, std::vector<uint32_t> shape, std::vector<CodecWords> codecs,
        Bytes fill = {}) {
    ChainSpec spec = makeSpec(dtype, std::move(shape), std::move(codecs));
    spec.fill = std::move(fill);
    status = plan.prepare(spec.words(), kDefaultMaxChunkBytes);
  }

  Code code() const { return status.status.code; }
  Bytes encodedFill() const {
    const ByteView item = plan.encodedFillItem();
    return Bytes(item.begin(), item.end());
  }

  Bytes decode(const Bytes& encoded) {
    StageBuffers stages;
    Workspace work;
    const ExactBlock in(encoded, 1);
    ExactBlock out(plan.array().bytes(), 1);
    ByteView result;
    status = decodeChunk(plan, in.view(), out.span(), stages, work, result);
    return status ? Bytes{} : out.copy();
  }

  Bytes encode(const Bytes& decoded) {
    StageBuffers stages;
    Workspace work;
    const ExactBlock in(decoded, 1);
    ExactBlock out(plan.encodedSize().bytes, 1);
    ByteView result;
    status = encodeChunk(plan, in.view(), out.span(), stages, work, result);
    return status ? Bytes{} : Bytes(result.begin(), result.end());
  }
};

inline std::vector<CodecWords> before(std::vector<CodecWords> codecs, uint32_t endian = 1) {
  codecs.push_back(bytesCodec(endian));
  return codecs;
}

}  // namespace zw::test
