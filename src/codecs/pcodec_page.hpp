// Pages of pcodec: the numbers of a chunk in batches of 256.
#pragma once

#include "codecs/pcodec_metadata.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Decodes the page at the position of `in`, which has `count` numbers, to `out`, which must have
/// room for them and needs no alignment. Scratch memory is bounded by `count` and the size of the
/// metadata, never by a field alone.
Status decodePcoPage(PcoReader& in, const PcoMetadata& metadata, Number number, uint32_t count,
                     Workspace& work, uint8_t* out);

}  // namespace zw
