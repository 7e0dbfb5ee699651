// Raw DEFLATE (RFC 1951) through libdeflate, shared by zlib, gzip and Blosc's zlib. Checksums and
// wrappers are ours: libdeflate's portable CRC is slower than its own inflate, kernels/crc32 is
// not.
//
// Trust: libdeflate bounds every read and write by the two buffers; it allocates one fixed-size
// context and nothing per stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// What inflating one stream used and made.
struct Inflated {
  size_t used = 0;
  size_t produced = 0;
};

/// Inflates the one raw stream at the front of `in` into `out`, which it may fill in part.
/// SizeMismatch where the stream holds more than `out` does; Corrupt, also for a stream cut short
/// (libdeflate does not tell them apart).
Status inflateRaw(Workspace& work, ByteView in, ByteSpan out, Inflated& done);

/// Inflates the one zlib stream (RFC 1950) at the front of `in`; its Adler-32 is checked if wanted.
Status inflateZlib(Workspace& work, ByteView in, ByteSpan out, Inflated& done,
                   bool verifiesChecksum = true);

/// Deflates all of `in` into `out` at `level` (0..12); `produced` is 0 where it does not fit.
Status deflateRaw(Workspace& work, uint32_t level, ByteView in, ByteSpan out, size_t& produced);

/// Compresses all of `in` into a zlib stream; `produced` is 0 where it does not fit.
Status deflateZlib(Workspace& work, uint32_t level, ByteView in, ByteSpan out, size_t& produced);

/// libdeflate's level for a level as zlib counts them (-1 = default, 0..9); levels outside are
/// BadParameters.
Status deflateLevel(int32_t zlibLevel, uint32_t& level);

}  // namespace zw
