// All cases, done by our core.
#include "cases.hpp"
#include "codecs/codec.hpp"
#include "kernels/bitshuffle.hpp"
#include "kernels/shuffle.hpp"

namespace zw::bench {

namespace {

/// A codec bound to a chunk size, with what it keeps from chunk to chunk.
struct Decoder {
  std::vector<uint32_t> params;
  Step step;
  Workspace work;
};

Decode decoder(const Codec& codec, std::vector<uint32_t> params, size_t bytes) {
  const auto d = std::make_shared<Decoder>();
  d->params = std::move(params);
  d->step.codec = &codec;
  d->step.params = d->params;
  d->step.decoded = {bytes, true};
  d->work.setScratchLimit(2 * bytes);
  if (codec.prepare(d->step)) std::abort();
  return [d](const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
    ByteView result;
    const Status s =
        d->step.codec->decode(d->step, {in, inBytes}, {out, outBytes}, d->work, result);
    return !s && result.size() == outBytes;
  };
}

Decode decoderOf(const std::string& name) {
  const size_t bytes = 4 * kMiB;
  if (name == "zstd level 3") return decoder(kZstdCodec, {3, 0}, bytes);
  if (name == "lz4") return decoder(kLz4Codec, {1}, bytes);
  if (name == "gzip level 5") return decoder(kGzipCodec, {5}, bytes);
  return decoder(kBloscCodec, {0, 5, 1, 1, 0, 0}, bytes);  // goes by the frame
}

}  // namespace

Cases allCases() {
  Cases cases;
  addMemoryCases(cases);
  addByteswapCases(cases);
  addStridedCopyCases(cases);
  addChecksumCases(cases);
  addUnshuffleCases(cases, unshuffleBytes, bitunshuffle);
  addDecodeCases(cases, decoderOf);
  return cases;
}

}  // namespace zw::bench
