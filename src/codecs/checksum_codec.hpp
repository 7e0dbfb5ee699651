// Shared by the checksum codecs: a checksum of 4 bytes, little-endian, before or after the data.
// Decoding verifies it (unless the plan skips checksums) and returns a part of the input, so
// nothing is copied.
//
// Trust: the input length is checked against the chunk size before any data is read.
#pragma once

#include <cstring>

#include "codecs/sizes.hpp"

namespace zw {

inline constexpr size_t kChecksumBytes = 4;

/// Position of the checksum; the first parameter of codecs that support both.
enum class ChecksumPlace : uint32_t { Start = 0, End = 1 };

/// Sets the encoded size; callers check the parameters.
inline Status prepareChecksum(Step& step) {
  step.encoded = {step.decoded.bytes + kChecksumBytes, step.decoded.exact};
  return {};
}

/// Decodes `in`. `sum(data)` computes the checksum.
template <class Sum>
Status stripChecksum(const Step& step, ChecksumPlace place, ByteView in, Sum sum,
                     ByteView& result) {
  if (in.size() < kChecksumBytes) return {Code::Truncated, in.size()};
  const size_t size = in.size() - kChecksumBytes;
  if (Status s = checkDecodedSize(step, size)) return s;
  const bool atStart = place == ChecksumPlace::Start;
  const ByteView data = in.subspan(atStart ? kChecksumBytes : 0, size);
  const size_t at = atStart ? 0 : size;
  if (step.verifiesChecksums && load<uint32_t>(in.data() + at) != sum(data)) {
    return {Code::ChecksumMismatch, at};
  }
  result = data;
  return {};
}

/// Encodes `in`. `sum(data)` computes the checksum.
template <class Sum>
Status addChecksum(ChecksumPlace place, ByteView in, ByteSpan out, Sum sum, ByteView& result) {
  if (out.size() < kChecksumBytes || out.size() - kChecksumBytes < in.size()) {
    return Code::EncodeFailed;
  }
  const bool atStart = place == ChecksumPlace::Start;
  if (!in.empty()) std::memcpy(out.data() + (atStart ? kChecksumBytes : 0), in.data(), in.size());
  store(out.data() + (atStart ? 0 : in.size()), sum(in));
  result = out.first(in.size() + kChecksumBytes);
  return {};
}

}  // namespace zw
