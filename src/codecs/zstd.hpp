// Zstandard frames (RFC 8878) for the zstd codec, Blosc and LERC: our decoder, libzstd's encoder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Decodes all of `in`, one or more frames (including skippable ones), into the front of `out`.
/// Fails with SizeMismatch if `out` is too small. Verifies content checksums unless told otherwise.
Status zstdDecode(Workspace& work, ByteView in, ByteSpan out, size_t& produced,
                  bool verifiesChecksums = true);

/// Compresses all of `in` into one frame; `produced` is 0 if it does not fit.
Status zstdEncode(Workspace& work, int32_t level, bool checksum, ByteView in, ByteSpan out,
                  size_t& produced);

/// True if libzstd supports the level.
bool isZstdLevel(int32_t level);

/// True if `in` starts with the magic number of a frame format from before 1.0 (v0.1 to v0.7).
bool isLegacyZstd(ByteView in);

/// Decodes one frame in the format of zstd v0.7, all of `in`, into exactly `out`.
Status zstdDecodeV07(ByteView in, ByteSpan out);

}  // namespace zw
