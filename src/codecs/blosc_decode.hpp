// Decoding of the blocks of a checked Blosc-1 frame, each on its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/blosc_frame.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// How lenient to be with the streams of a frame.
struct BloscDecodeOptions {
  bool legacyZstd = false;  // pre-1.0 zstd frames are wanted (Zarr v1)
};

/// Decodes one block into the front of `out`, which is at least as long as the block; what lies
/// behind the block in `out` may be written too, and means nothing afterwards. Blocks may be
/// decoded in any order. Status.at counts from the front of the frame.
Status decodeBloscBlock(const BloscFrame& frame, uint32_t block, ByteSpan out,
                        BloscDecodeOptions options, Workspace& work);

/// Decodes the bytes begin .. begin + out.size() of the frame's decoded data, block by block; they
/// must lie inside it. Blocks outside the range are not touched.
Status decodeBloscRange(const BloscFrame& frame, size_t begin, ByteSpan out,
                        BloscDecodeOptions options, Workspace& work);

}  // namespace zw
