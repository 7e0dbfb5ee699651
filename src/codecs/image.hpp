// Shared by the image codecs. These only decode and act as compressors: their output is the bytes
// of the pixels, row by row, with interleaved channels and little-endian numbers. Names and results
// follow the Python package imagecodecs.
//
// Trust: the image size is read from the header and compared with the chunk size before it is used
// as an allocation size. Bytes after the end of an image are ignored, as in other image readers.
#pragma once

#include "codecs/codec.hpp"
#include "codecs/sizes.hpp"

namespace zw {

/// Room for metadata in encoded images, such as previews and colour profiles.
inline constexpr size_t kImageMetadata = 4 << 20;

/// Sets the encoded size; callers check the parameters.
inline Status prepareImage(Step& step) {
  step.encoded = compressedSize(step.decoded);
  step.encoded.bytes += kImageMetadata;
  return {};
}

/// Checks the size of an image (pixels, channels or bands, bytes per sample) against the step, and
/// shrinks `out` to it.
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
