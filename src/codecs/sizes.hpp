// Size checks shared by compressors.
#pragma once

#include "codecs/codec.hpp"

namespace zw {

/// The part of `out` that a decoder may fill.
inline ByteSpan decodeRoom(const Step& step, ByteSpan out) {
  return out.first(step.decoded.bytes < out.size() ? step.decoded.bytes : out.size());
}

/// The status code for data that decodes to more than the step allows.
inline Code tooLarge(const Step& step) {
  return step.decoded.exact ? Code::SizeMismatch : Code::LimitExceeded;
}

/// Fails unless the step may decode to `bytes` bytes.
inline Status checkDecodedSize(const Step& step, size_t bytes) {
  const bool isAllowed =
      step.decoded.exact ? bytes == step.decoded.bytes : bytes <= step.decoded.bytes;
  return isAllowed ? Status{} : Status{tooLarge(step)};
}

/// Finishes a decode that wrote `produced` bytes, at most step.decoded.bytes, to `out`.
inline Status decodedResult(const Step& step, ByteSpan out, size_t produced, ByteView& result) {
  if (step.decoded.exact && produced != step.decoded.bytes) return Code::SizeMismatch;
  result = out.first(produced);
  return {};
}

/// Prepares a compressor with this number of parameters.
inline Status prepareCompressor(Step& step, size_t parameters) {
  if (step.params.size() != parameters) return Code::BadParameters;
  step.encoded = compressedSize(step.decoded);
  return {};
}

/// Parameter `i` as a signed number.
inline int32_t signedParam(const Step& step, size_t i) {
  return static_cast<int32_t>(step.params[i]);
}

}  // namespace zw
