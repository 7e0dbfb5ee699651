// What compressors share: the sizes that a step allows, checked the same way everywhere.
#pragma once

#include "codecs/codec.hpp"

namespace zw {

/// The room that a decoder may fill: `out` cut down to what the step allows.
inline ByteSpan decodeRoom(const Step& step, ByteSpan out) {
  return out.first(step.decoded.bytes < out.size() ? step.decoded.bytes : out.size());
}

/// The code for data that decodes to more than the step allows.
inline Code tooLarge(const Step& step) {
  return step.decoded.exact ? Code::SizeMismatch : Code::LimitExceeded;
}

/// Fails unless the step may decode to `bytes` bytes.
inline Status checkDecodedSize(const Step& step, size_t bytes) {
  const bool isAllowed =
      step.decoded.exact ? bytes == step.decoded.bytes : bytes <= step.decoded.bytes;
  return isAllowed ? Status{} : Status{tooLarge(step)};
}

/// Ends a decode: `produced` bytes of `out` are the result if that is a size the step allows.
inline Status decodedResult(const Step& step, ByteSpan out, size_t produced, ByteView& result) {
  if (step.decoded.exact && produced != step.decoded.bytes) return Code::SizeMismatch;
  result = out.first(produced);
  return {};
}

/// prepare() of every compressor whose parameters need no check beyond their number.
inline Status prepareCompressor(Step& step, size_t parameters) {
  if (step.params.size() != parameters) return Code::BadParameters;
  step.encoded = compressedSize(step.decoded);
  return {};
}

/// Parameter slot `i` as a signed number.
inline int32_t signedParam(const Step& step, size_t i) {
  return static_cast<int32_t>(step.params[i]);
}

}  // namespace zw
