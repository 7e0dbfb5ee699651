// Decodes and encodes streams of BloscLZ, Blosc's LZ format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/lz_copy.hpp"
#include "codecs/lz_match.hpp"

namespace zw {

/// Decodes one whole stream into exactly out..outEnd. Safe for untrusted input: never reads past
/// inEnd, writes past outLimit or copies from before `out`. Status.at counts from `in`.
Status blosclzDecode(const lz::Buffers& buffers);

/// Compresses all of `in` and returns the size, or 0 if it does not fit in `out`.
size_t blosclzEncode(lz::MatchTable& table, ByteView in, ByteSpan out);

}  // namespace zw
