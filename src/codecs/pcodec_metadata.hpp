// Chunk metadata of pcodec: mode, delta encoding and latent variables. Terms follow the format
// specification.
#pragma once

#include "base/status.hpp"
#include "codecs/pcodec_bits.hpp"
#include "kernels/numbers.hpp"

namespace zw {

enum class PcoMode : uint8_t { Classic, IntMult, FloatMult, FloatQuant, Dict };
enum class PcoDelta : uint8_t { None, Consecutive, Lookback, Conv1 };

inline constexpr uint32_t kPcoBatch = 256;
inline constexpr uint32_t kPcoMaxTableLog = 14;
inline constexpr uint32_t kPcoMaxOrder = 7;     // of consecutive deltas
inline constexpr uint32_t kPcoMaxWeights = 32;  // of conv1

/// One latent variable.
struct PcoVariable {
  uint32_t width = 0;     // bits of a latent
  uint32_t tableLog = 0;  // the table has 2^tableLog states
  uint32_t binCount = 0;
  uint64_t binsAt = 0;      // bit position of the bins, which are inside the data
  uint32_t stateCount = 0;  // latents in the head of the page; 0 without deltas
  bool isLookback = false;

  uint64_t middle() const { return uint64_t{1} << (width - 1); }
  /// Bits per bin: weight, lower bound, and width of its offsets.
  uint32_t binBits() const {
    const uint32_t widthOfWidth = width == 8 ? 4 : width == 16 ? 5 : width == 32 ? 6 : 7;
    return tableLog + width + widthOfWidth;
  }
};

struct PcoMetadata {
  PcoMode mode = PcoMode::Classic;
  uint64_t base = 0;       // int mult: bits of the integer; float mult: ordered latent
  uint32_t quantBits = 0;  // of float quant
  uint32_t dictLength = 0;
  uint64_t dictAt = 0;  // bit position of its values, which are inside the data
  PcoDelta delta = PcoDelta::None;
  uint32_t window = 0;  // of lookbacks
  uint32_t shift = 0;   // of conv1
  int64_t bias = 0;
  int32_t weights[kPcoMaxWeights] = {};

  /// Lookbacks (if any), primary, secondary (if any).
  PcoVariable variables[3];
  uint32_t variableCount = 0;
  uint32_t primary = 0;  // index of the primary variable

  bool hasSecondary() const { return variableCount == primary + 2; }
};

/// Reads and checks the metadata of a chunk of `count` numbers of this type. On success all
/// positions and lengths are inside the data; makePcoTable checks the bins.
Status readPcoMetadata(PcoReader& in, uint32_t formatVersion, Number number, uint32_t count,
                       PcoMetadata& metadata);

}  // namespace zw
