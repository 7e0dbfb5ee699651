// Encodes Blosc-1 frames.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/blosc_frame.hpp"
#include "codecs/workspace.hpp"

namespace zw {

enum class BloscCompressor : uint8_t { Blosclz, Lz4, Lz4hc, Snappy, Zlib, Zstd };

struct BloscSettings {
  BloscCompressor compressor = BloscCompressor::Lz4;
  uint32_t level = 5;  // 0 (stored) .. 9
  BloscFilter filter = BloscFilter::Bytes;
  uint32_t typeBytes = 1;   // 1..255
  uint32_t blockBytes = 0;  // 0 = automatic
};

/// Compresses all of `in` into one frame at the front of `out`. Data that does not shrink is
/// stored, which adds 16 bytes; EncodeFailed if that does not fit either.
Status encodeBloscFrame(const BloscSettings& settings, ByteView in, ByteSpan out, Workspace& work,
                        size_t& produced);

/// The block size for `bytes` bytes: the requested or an automatic one, reduced to whole elements.
uint32_t bloscBlockBytes(const BloscSettings& settings, size_t bytes);

}  // namespace zw
