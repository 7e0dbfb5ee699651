// A page of pcodec: the numbers of a chunk, in batches of 256.
#pragma once

#include "codecs/pcodec_metadata.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Decodes the page of a chunk of `count` numbers, at which `in` stands, to `out`, which has room
/// for them and need not be aligned. Memory is by `count` and by what metadata has taken of the
/// data, never by what it says.
Status decodePcoPage(PcoReader& in, const PcoMetadata& metadata, Number number, uint32_t count,
                     Workspace& work, uint8_t* out);

}  // namespace zw
