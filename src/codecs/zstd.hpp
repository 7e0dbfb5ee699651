// Zstandard frames (RFC 8878) through libzstd, shared by the zstd codec and Blosc's zstd.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Decodes all of `in`, one or more frames (skippable ones count), into `out`, which it may fill in
/// part. SizeMismatch where the frames hold more than `out` does. Content checksums are verified if
/// wanted.
Status zstdDecode(Workspace& work, ByteView in, ByteSpan out, size_t& produced,
                  bool verifiesChecksums = true);

/// Compresses all of `in` into one frame; `produced` is 0 where it does not fit.
Status zstdEncode(Workspace& work, int32_t level, bool checksum, ByteView in, ByteSpan out,
                  size_t& produced);

/// Lowest and highest level of libzstd.
bool isZstdLevel(int32_t level);

/// The code for an error that libzstd returned.
Code zstdCode(size_t error);

/// True where `in` begins with the magic number of a frame format older than 1.0 (v0.1 to v0.7).
bool isLegacyZstd(ByteView in);

/// Decodes one frame of the format of zstd v0.7, all of `in`, into exactly `out`.
Status zstdDecodeV07(ByteView in, ByteSpan out);

}  // namespace zw
