// Decodes the blocks of a checked Blosc-1 frame independently.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/blosc_frame.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Options for the streams of a frame.
struct BloscDecodeOptions {
  bool legacyZstd = false;  // accept zstd frames from before 1.0 (Zarr v1)
};

/// Decodes one block into the front of `out`, which must be at least as long as the block. Bytes of
/// `out` after the block may be overwritten. Blocks may be decoded in any order. Status.at counts
/// from the start of the frame.
Status decodeBloscBlock(const BloscFrame& frame, uint32_t block, ByteSpan out,
                        BloscDecodeOptions options, Workspace& work);

/// Decodes bytes begin .. begin + out.size() of the frame's decoded data, block by block; they must
/// lie inside it. Blocks outside the range are not read.
Status decodeBloscRange(const BloscFrame& frame, size_t begin, ByteSpan out,
                        BloscDecodeOptions options, Workspace& work);

}  // namespace zw
