// Snappy, raw format: decoder and encoder of single streams. Met inside Blosc, and in Zarr v2 by
// itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/lz_copy.hpp"
#include "codecs/lz_match.hpp"

namespace zw {

/// Reads the decoded size in front of a stream; false where it is cut short or does not fit 32
/// bits.
bool snappyDecodedSize(ByteView in, uint32_t& size);

/// Decodes one whole stream into exactly out..outEnd. Trusts nothing in it: never reads past inEnd,
/// writes past outLimit or copies from before `out`. Status.at counts from `in`.
Status snappyDecode(const lz::Buffers& buffers);

/// Compresses all of `in`; returns the size, 0 where it does not fit into `out`.
size_t snappyEncode(lz::MatchTable& table, ByteView in, ByteSpan out);

}  // namespace zw
