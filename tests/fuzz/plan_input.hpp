// What the targets that run plans are given, and what tests/fuzz/js/plan-file.ts writes as seeds:
//
//   u16le number of words, the words of a plan (chain/plan.hpp, u32le),
//   u8 number of bytes, bytes that choose a placement (PlacementChoice),
//   data: an encoded chunk, or elements to encode
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "chain/run.hpp"
#include "input.hpp"

namespace zw::fuzz {

/// Largest chunk that is decoded here; keeps inputs fast.
inline constexpr uint64_t kMaxChunk = 1 << 18;
/// Most bytes that a run may need at all: plans may ask for much where every element is a block.
inline constexpr size_t kMaxStage = 1 << 24;

struct PlanInput {
  std::vector<uint32_t> words;
  ByteView placement;
  ByteView data;
};

PlanInput readPlanInput(ByteView input);
/// Bytes before the data.
size_t planHeadBytes(ByteView input);

/// Ids of the codecs in a plan's words, as far as they can be read.
std::vector<uint32_t> codecIds(std::span<const uint32_t> words);

/// A placement, and the destination that it is for.
struct PlacementChoice {
  std::vector<PlacementAxis> axes;
  size_t dstOffset = 0;
  size_t destinationBytes = 0;
  bool isDistinct = false;  // no two elements go to the same place, and all of them fit

  Placement placement() const { return {axes, dstOffset}; }
};

PlacementChoice choosePlacement(ByteView bytes, const ArrayInfo& array);

}  // namespace zw::fuzz
