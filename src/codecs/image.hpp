// What the codecs of images share. They decode only, and stand where compressors stand: what comes
// out are the bytes of the pixels, row by row, the channels of a pixel together, numbers
// little-endian. Names: those of the Python package imagecodecs, whose decoders are the measure.
//
// Trust: the size of an image is read from its header and compared with what the array asks for
// before anything is allocated by it. Behind the end of an image there may be anything, as
// everywhere where images are read.
#pragma once

#include "codecs/codec.hpp"
#include "codecs/sizes.hpp"

namespace zw {

/// Room for what an image encodes to: formats hold metadata of any length besides, a preview or a
/// colour profile.
inline constexpr size_t kImageMetadata = 4 << 20;

/// prepare() of every codec of images; parameters are its own to check.
inline Status prepareImage(Step& step) {
  step.encoded = compressedSize(step.decoded);
  step.encoded.bytes += kImageMetadata;
  return {};
}

/// Compares the size of an image with what the step allows: width, height, channels or bands, bytes
/// of a sample. On success `out` is cut down to it.
inline Status imageRoom(const Step& step, uint64_t width, uint64_t height, uint64_t channels,
                        uint64_t sampleBytes, ByteSpan& out) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(width, height, &bytes) ||
      __builtin_mul_overflow(bytes, channels, &bytes) ||
      __builtin_mul_overflow(bytes, sampleBytes, &bytes) || bytes > step.decoded.bytes) {
    return tooLarge(step);
  }
  if (bytes == 0 || (step.decoded.exact && bytes != step.decoded.bytes)) return Code::SizeMismatch;
  out = out.first(static_cast<size_t>(bytes));
  return {};
}

}  // namespace zw
