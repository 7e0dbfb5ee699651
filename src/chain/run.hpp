// Running a plan: decode into a whole chunk or into a region, encode from a whole chunk, fill.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "chain/plan.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// One axis of a placement: elements start, start + step, … (count of them) of the decoded chunk go
/// to multiples of `dstStride` bytes in the destination.
struct PlacementAxis {
  uint32_t start;
  uint32_t step;
  uint32_t count;
  uint32_t dstStride;
};

/// Which part of a decoded chunk goes where in a destination buffer.
struct Placement {
  std::span<const PlacementAxis> axes;  // one per axis of the chunk
  size_t dstOffset = 0;                 // of the element at index 0,0,… in the destination
};

/// The buffers between stages. One per session; reused by every run.
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

/// Decodes `encoded` into `out`, exactly plan.array().bytes() bytes: C order, native byte order.
/// `encoded` and `out` must not overlap. `result` is the part of `out` that was decoded to: all of
/// it, save in bytes-only plans. On failure the contents of `out` mean nothing.
ChainStatus decodeChunk(const Plan& plan, ByteView encoded, ByteSpan out, StageBuffers& stages,
                        Workspace& work, ByteView& result);

/// Decodes `encoded` and writes the part that `placement` names into `destination`, touching
/// nothing else there. On failure that part of the destination means nothing.
ChainStatus decodePlaced(const Plan& plan, ByteView encoded, const Placement& placement,
                         ByteSpan destination, StageBuffers& stages, Workspace& work);

/// Writes the plan's fill value where decodePlaced would write elements.
Status fillPlaced(const Plan& plan, const Placement& placement, ByteSpan destination);

/// True where every element of `source` that the placement names has the bytes of the plan's fill
/// value. Stops at the first that differs, so that it costs next to nothing for other chunks.
Status isFillPlaced(const Plan& plan, const Placement& placement, ByteView source, bool& isFill);

/// Encodes a chunk whose elements lie in `source` as the placement says: element start, start +
/// step, … of each axis at multiples of `dstStride` bytes (0 repeats one element). Elements that
/// the placement does not name are the fill value. Gathering, permutation and byte swap are one
/// pass. `out` holds plan.encodedSize().bytes bytes; `result` is the part written.
ChainStatus encodePlaced(const Plan& plan, ByteView source, const Placement& placement,
                         ByteSpan out, StageBuffers& stages, Workspace& work, ByteView& result);

/// Encodes `decoded` (plan.decodedSize() bytes, C order, native byte order) into `out`, which holds
/// plan.encodedSize().bytes bytes; `result` is the part written.
ChainStatus encodeChunk(const Plan& plan, ByteView decoded, ByteSpan out, StageBuffers& stages,
                        Workspace& work, ByteView& result);

}  // namespace zw
