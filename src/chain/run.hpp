// Runs plans: decodes whole chunks or parts of them, encodes, and writes fill values.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "chain/plan.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// One axis of a placement: `count` elements start, start + step, … of the chunk map to multiples
/// of `dstStride` bytes in the destination. `step` is at least 1, except with a single element.
struct PlacementAxis {
  uint32_t start;
  uint32_t step;
  uint32_t count;
  uint32_t dstStride;
};

/// A part of a decoded chunk and where it goes in a destination buffer.
struct Placement {
  std::span<const PlacementAxis> axes;  // one per axis of the chunk
  size_t dstOffset = 0;                 // bytes; of the first element in the destination
};

/// Buffers between stages. One per session, reused by every run.
struct StageBuffers {
  Buffer ping;
  Buffer pong;
  Buffer copy;  // scratch of strided copies

  void release() {
    ping.release();
    pong.release();
    copy.release();
  }
};

/// Decodes `encoded` into `out`, which must have plan.array().bytes() bytes and not overlap
/// `encoded`: C order, native byte order. `result` is the decoded part of `out`: all of it, except
/// for bytes-only plans. On failure the contents of `out` are unspecified.
ChainStatus decodeChunk(const Plan& plan, ByteView encoded, ByteSpan out, StageBuffers& stages,
                        Workspace& work, ByteView& result);

/// Decodes `encoded` and writes the elements that `placement` selects to `destination`, and no
/// other byte there. On failure those elements are unspecified.
ChainStatus decodePlaced(const Plan& plan, ByteView encoded, const Placement& placement,
                         ByteSpan destination, StageBuffers& stages, Workspace& work);

/// Writes the plan's fill value where decodePlaced would write elements.
Status fillPlaced(const Plan& plan, const Placement& placement, ByteSpan destination);

/// Sets `isFill` if every element of `source` that the placement selects equals the plan's fill
/// value, byte by byte. Stops at the first difference, so other chunks cost next to nothing.
Status isFillPlaced(const Plan& plan, const Placement& placement, ByteView source, bool& isFill);

/// Encodes a chunk whose elements are gathered from `source`: elements start, start + step, … of
/// each axis lie at multiples of `dstStride` bytes (0 repeats one element). Elements outside the
/// placement are the fill value. Gathering, permutation and byte swap are a single pass. `out` must
/// have plan.encodedSize().bytes bytes; `result` is the part written.
ChainStatus encodePlaced(const Plan& plan, ByteView source, const Placement& placement,
                         ByteSpan out, StageBuffers& stages, Workspace& work, ByteView& result);

/// Encodes `decoded` (plan.decodedSize() bytes, C order, native byte order) into `out`, which must
/// have plan.encodedSize().bytes bytes; `result` is the part written.
ChainStatus encodeChunk(const Plan& plan, ByteView decoded, ByteSpan out, StageBuffers& stages,
                        Workspace& work, ByteView& result);

}  // namespace zw
