// All cases, implemented by our core.
#include "cases.hpp"
#include "codecs/codec.hpp"
#include "kernels/bitshuffle.hpp"
#include "kernels/shuffle.hpp"

namespace zw::bench {

namespace {

/// A codec bound to a chunk size, with its state between chunks.
struct Bound {
  std::vector<uint32_t> params;
  Step step;
  Workspace work;
};

std::shared_ptr<Bound> bind(const Codec& codec, std::vector<uint32_t> params, size_t bytes) {
  const auto b = std::make_shared<Bound>();
  b->params = std::move(params);
  b->step.codec = &codec;
  b->step.params = b->params;
  b->step.decoded = {bytes, true};
  b->work.setScratchLimit(2 * bytes);
  if (codec.prepare(b->step)) std::abort();
  return b;
}

/// The codec with a name in bench/codecs.mjs.
std::shared_ptr<Bound> codecOf(const std::string& name, uint32_t itemBytes, size_t bytes) {
  if (name == "zstd level 3") return bind(kZstdCodec, {3, 0}, bytes);
  if (name == "lz4") return bind(kLz4Codec, {1}, bytes);
  if (name == "gzip level 5") return bind(kGzipCodec, {5}, bytes);
  return bind(kBloscCodec, {1, 5, 1, itemBytes, 0, 0},
              bytes);  // lz4 shuffle; decoders read the codec from the frame
}

Decode decoderOf(const std::string& name, size_t bytes) {
  const auto d = codecOf(name, 1, bytes);
  return [d](const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
    ByteView result;
    const Status s =
        d->step.codec->decode(d->step, {in, inBytes}, {out, outBytes}, d->work, result);
    return !s && result.size() == outBytes;
  };
}

Encode encoderOf(const std::string& name, uint32_t itemBytes) {
  const auto e = codecOf(name, itemBytes, 4 * kMiB);
  return [e](const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
    ByteView result;
    const Status s =
        e->step.codec->encode(e->step, {in, inBytes}, {out, outBytes}, e->work, result);
    return s ? 0 : result.size();
  };
}

}  // namespace

Cases allCases() {
  Cases cases;
  addMemoryCases(cases);
  addByteswapCases(cases);
  addStridedCopyCases(cases);
  addChecksumCases(cases);
  addUnshuffleCases(cases, unshuffleBytes, bitunshuffle);
  addShuffleCases(cases, shuffleBytes, bitshuffle, unshuffleBytes);
  addNumberCases(cases);
  addDecodeCases(cases, decoderOf);
  addEncodeCases(cases, encoderOf);
  addPlacedChunkCases(cases);
  return cases;
}

}  // namespace zw::bench
