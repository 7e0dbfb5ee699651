// Decoder of LZ4 blocks, for the lz4 codec and Blosc's lz4 and lz4hc.
#pragma once

#include "base/status.hpp"
#include "codecs/lz_copy.hpp"

namespace zw {

/// Decodes one whole block into exactly out..outEnd. Trusts nothing in it: never reads past
/// inLimit, writes past outLimit or copies from before `out`. Status.at counts from `in`.
Status lz4DecodeBlock(const lz::Buffers& buffers);

}  // namespace zw
