// Decodes and encodes raw Snappy streams, for the snappy codec and Blosc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/lz_copy.hpp"
#include "codecs/lz_match.hpp"

namespace zw {

/// Reads the decoded size at the start of a stream; false if it is truncated or exceeds 32 bits.
bool snappyDecodedSize(ByteView in, uint32_t& size);

/// Decodes one whole stream into exactly out..outEnd. Safe for untrusted input: never reads past
/// inEnd, writes past outLimit or copies from before `out`. Status.at counts from `in`.
Status snappyDecode(const lz::Buffers& buffers);

/// Compresses all of `in` and returns the size, or 0 if it does not fit in `out`.
size_t snappyEncode(lz::MatchTable& table, ByteView in, ByteSpan out);

}  // namespace zw
