// DEFLATE (RFC 1951) and zlib streams through libdeflate, for zlib, gzip, Blosc and images.
// Checksums and wrappers are implemented here: libdeflate's portable CRC is slower than its
// inflate, unlike kernels/crc32.
//
// Trust: libdeflate stays within both buffers, and allocates one fixed-size context and nothing per
// stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Bytes of input that a stream took, and bytes of output.
struct Inflated {
  size_t used = 0;
  size_t produced = 0;
};

/// Inflates one raw stream at the front of `in` into the front of `out`. Fails with SizeMismatch if
/// `out` is too small, and with Corrupt for damaged and truncated streams, which libdeflate does
/// not distinguish.
Status inflateRaw(Workspace& work, ByteView in, ByteSpan out, Inflated& done);

/// Inflates one zlib stream (RFC 1950) at the front of `in`, and verifies its Adler-32 unless told
/// otherwise.
Status inflateZlib(Workspace& work, ByteView in, ByteSpan out, Inflated& done,
                   bool verifiesChecksum = true);

/// Deflates all of `in` into `out` at `level` (0..12); `produced` is 0 if it does not fit.
Status deflateRaw(Workspace& work, uint32_t level, ByteView in, ByteSpan out, size_t& produced);

/// Compresses all of `in` into a zlib stream; `produced` is 0 if it does not fit.
Status deflateZlib(Workspace& work, uint32_t level, ByteView in, ByteSpan out, size_t& produced);

/// Converts a zlib level (-1 = default, 0..9) to libdeflate's; BadParameters if out of range.
Status deflateLevel(int32_t zlibLevel, uint32_t& level);

}  // namespace zw
