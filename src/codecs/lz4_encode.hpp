// Encodes LZ4 blocks through liblz4, for the lz4 codec and Blosc's lz4 and lz4hc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Compresses all of `in` into one block; `produced` is 0 if it does not fit. Higher acceleration
/// is faster and compresses less.
Status lz4EncodeBlock(Workspace& work, int32_t acceleration, ByteView in, ByteSpan out,
                      size_t& produced);

/// The same with LZ4HC, which is slower and compresses better, at `level` 1..12.
Status lz4hcEncodeBlock(Workspace& work, int32_t level, ByteView in, ByteSpan out,
                        size_t& produced);

}  // namespace zw
