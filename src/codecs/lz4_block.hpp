// Decodes LZ4 blocks, for the lz4 codec and Blosc's lz4 and lz4hc.
#pragma once

#include "base/status.hpp"
#include "codecs/lz_copy.hpp"

namespace zw {

/// Decodes one whole block into exactly out..outEnd. Safe for untrusted input: never reads past
/// inEnd, writes past outLimit or copies from before `out`. Status.at counts from `in`.
Status lz4DecodeBlock(const lz::Buffers& buffers);

}  // namespace zw
