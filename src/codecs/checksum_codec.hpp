// What the checksum codecs share: 4 bytes, little-endian, before or after the data. Decoding
// verifies them (unless the plan says not to) and yields the part of the input between, so nothing
// is copied.
//
// Trust: nothing is read before the input has been found to be of the length that the array asks
// for, where that is known.
#pragma once

#include <cstring>

#include "codecs/sizes.hpp"

namespace zw {

inline constexpr size_t kChecksumBytes = 4;

/// Where the checksum stands; the value of the first parameter slot of codecs that have the choice.
enum class ChecksumPlace : uint32_t { Start = 0, End = 1 };

/// prepare() of every checksum, once its parameters are found in order.
inline Status prepareChecksum(Step& step) {
  step.encoded = {step.decoded.bytes + kChecksumBytes, step.decoded.exact};
  return {};
}

/// Decodes `in`; `sum(data)` computes the checksum.
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
