// Input of the targets that run plans; tests/fuzz/js/plan-seeds.ts writes seeds in this format:
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

/// Maximum size of a decoded chunk; keeps executions fast.
inline constexpr uint64_t kMaxChunk = 1 << 18;
/// Maximum number of bytes for a whole run: plans may need much memory if each element is a block.
inline constexpr size_t kMaxStage = 1 << 24;

struct PlanInput {
  std::vector<uint32_t> words;
  ByteView placement;
  ByteView data;
};

PlanInput readPlanInput(ByteView input);
/// Bytes before the data.
size_t planHeadBytes(ByteView input);

/// The ids of the codecs in the words of a plan, up to the first invalid word.
std::vector<uint32_t> codecIds(std::span<const uint32_t> words);

/// A placement and its destination.
struct PlacementChoice {
  std::vector<PlacementAxis> axes;
  size_t dstOffset = 0;
  size_t destinationBytes = 0;
  bool isDistinct = false;  // all elements fit, and no two have the same destination

  Placement placement() const { return {axes, dstOffset}; }
  /// True if no element lies outside the array or the destination, or is selected twice.
  bool isInside(const ArrayInfo& array) const;
};

PlacementChoice choosePlacement(ByteView bytes, const ArrayInfo& array);

}  // namespace zw::fuzz
