#ifdef ZW_RARE_CODECS

#include "codecs/pcodec_metadata.hpp"

namespace zw {
namespace {

constexpr uint32_t kMaxWindowLog = 24;

uint32_t bitWidth(Number number) {
  return 8 * numberBytes(number);
}

uint32_t mantissaBits(Number number) {
  return number == Number::Float16 ? 10 : number == Number::Float32 ? 23 : 52;
}

/// True if an ordered latent is a valid base of float mult: finite and not zero.
bool isMultiplier(uint64_t ordered, Number number) {
  const uint32_t width = bitWidth(number), mantissa = mantissaBits(number);
  const uint64_t middle = uint64_t{1} << (width - 1);
  const uint64_t magnitude = ordered >= middle ? ordered - middle : middle - 1 - ordered;
  const uint64_t infinity = middle - (uint64_t{1} << mantissa);
  return magnitude != 0 && magnitude < infinity;
}

Status readDict(PcoReader& in, PcoMetadata& metadata, uint32_t width) {
  metadata.dictLength = static_cast<uint32_t>(in.bits(25));
  if (!in.align()) return {Code::Corrupt, in.byte()};
  metadata.dictAt = in.position();
  const uint64_t bits = uint64_t{metadata.dictLength} * width;
  if (bits > in.left()) return {Code::Truncated, in.byte()};
  in.skip(bits);
  return {};
}

Status readMode(PcoReader& in, uint32_t formatVersion, Number number, PcoMetadata& metadata) {
  const uint64_t mode = in.bits(4);
  if (mode > static_cast<uint64_t>(PcoMode::Dict)) return {Code::BadHeader, in.byte()};
  metadata.mode = static_cast<PcoMode>(mode);
  const uint32_t width = bitWidth(number);
  bool good = true;
  switch (metadata.mode) {
    case PcoMode::Classic:
      break;
    case PcoMode::IntMult:  // format 0 used this number for another mode
      metadata.base = in.bits(width);
      good = !isFloat(number) && metadata.base != 0 && formatVersion > 0;
      break;
    case PcoMode::FloatMult:
      metadata.base = in.bits(width);
      good = isFloat(number) && isMultiplier(metadata.base, number);
      break;
    case PcoMode::FloatQuant:
      metadata.quantBits = static_cast<uint32_t>(in.bits(8));
      good =
          isFloat(number) && metadata.quantBits > 0 && metadata.quantBits <= mantissaBits(number);
      break;
    case PcoMode::Dict:
      return readDict(in, metadata, width);
  }
  return good ? Status{} : Status{Code::BadHeader, in.byte()};
}

/// Number of latents of a variable in the head of the page, and whether the secondary has them too.
struct DeltaStates {
  uint32_t count = 0;
  bool ofSecondary = false;
};

/// conv1 sums in signed integers of twice the width, so |bias| + 2^width * sum |weight| must stay
/// below 2^(2 width - 1). The product could overflow 64 bits (2^32 * 32 * 2^31), so the weights are
/// compared with the remaining bound instead.
bool fitsConv(const PcoMetadata& metadata, uint32_t count, uint32_t width) {
  const uint64_t bound = uint64_t{1} << (2 * width - 1);
  const uint64_t bias = metadata.bias < 0 ? -static_cast<uint64_t>(metadata.bias)
                                          : static_cast<uint64_t>(metadata.bias);
  uint64_t weights = 0;  // below 2^5 * 2^31
  for (uint32_t i = 0; i < count; i++) {
    const int64_t weight = metadata.weights[i];
    weights += static_cast<uint64_t>(weight < 0 ? -weight : weight);
  }
  return bias < bound && weights <= (bound - bias - 1) >> width;
}

Status readConv(PcoReader& in, PcoMetadata& metadata, uint32_t width, DeltaStates& states) {
  metadata.shift = static_cast<uint32_t>(in.bits(5));
  metadata.bias = static_cast<int64_t>(in.bits(64) ^ uint64_t{1} << 63);
  states.count = static_cast<uint32_t>(in.bits(5)) + 1;
  for (uint32_t i = 0; i < states.count; i++) {
    metadata.weights[i] = static_cast<int32_t>(static_cast<uint32_t>(in.bits(32)) ^ 0x80000000u);
  }
  if (width > 32 || metadata.shift > 2 * width - 1 || !fitsConv(metadata, states.count, width)) {
    return {Code::BadHeader, in.byte()};
  }
  return {};
}

Status readDelta(PcoReader& in, uint32_t formatVersion, uint32_t width, PcoMetadata& metadata,
                 DeltaStates& states) {
  if (formatVersion < 3) {
    states.count = static_cast<uint32_t>(in.bits(3));
    metadata.delta = states.count ? PcoDelta::Consecutive : PcoDelta::None;
    return {};
  }
  const uint64_t delta = in.bits(4);
  if (delta > static_cast<uint64_t>(PcoDelta::Conv1)) return {Code::BadHeader, in.byte()};
  metadata.delta = static_cast<PcoDelta>(delta);
  if (metadata.delta == PcoDelta::Conv1) return readConv(in, metadata, width, states);
  if (metadata.delta == PcoDelta::Consecutive) {
    states.count = static_cast<uint32_t>(in.bits(3));
    states.ofSecondary = in.bits(1);
    return states.count ? Status{} : Status{Code::BadHeader, in.byte()};
  }
  if (metadata.delta == PcoDelta::Lookback) {
    const auto windowLog = static_cast<uint32_t>(in.bits(5)) + 1;
    const auto stateLog = static_cast<uint32_t>(in.bits(4));
    states.ofSecondary = in.bits(1);
    if (windowLog > kMaxWindowLog || stateLog > windowLog) return {Code::BadHeader, in.byte()};
    metadata.window = 1u << windowLog;
    states.count = 1u << stateLog;
  }
  return {};
}

/// Reads the number of bins of a variable and skips the bins.
Status readVariable(PcoReader& in, uint32_t count, PcoVariable& variable) {
  variable.tableLog = static_cast<uint32_t>(in.bits(4));
  variable.binCount = static_cast<uint32_t>(in.bits(15));
  if (variable.tableLog > kPcoMaxTableLog || variable.binCount > 1u << variable.tableLog) {
    return {Code::BadHeader, in.byte()};
  }
  // A table of one state has one bin, or none if no latent is ever read.
  const bool isRead = count > variable.stateCount;
  if (variable.binCount <= 1 && variable.tableLog != 0) return {Code::BadHeader, in.byte()};
  if (variable.binCount == 0 && isRead) return {Code::Corrupt, in.byte()};
  variable.binsAt = in.position();
  const uint64_t bits = uint64_t{variable.binCount} * variable.binBits();
  if (bits > in.left()) return {Code::Truncated, in.byte()};
  in.skip(bits);
  return {};
}

}  // namespace

Status readPcoMetadata(PcoReader& in, uint32_t formatVersion, Number number, uint32_t count,
                       PcoMetadata& metadata) {
  metadata = {};
  if (Status s = readMode(in, formatVersion, number, metadata)) return s;
  const uint32_t width = bitWidth(number);
  const uint32_t primaryWidth = metadata.mode == PcoMode::Dict ? 32 : width;
  DeltaStates states;
  if (Status s = readDelta(in, formatVersion, primaryWidth, metadata, states)) return s;

  if (metadata.delta == PcoDelta::Lookback) {
    PcoVariable& lookbacks = metadata.variables[metadata.variableCount++];
    lookbacks.width = 32;
    lookbacks.isLookback = true;
  }
  metadata.primary = metadata.variableCount;
  metadata.variables[metadata.variableCount++] = {.width = primaryWidth,
                                                  .stateCount = states.count};
  if (metadata.mode != PcoMode::Classic && metadata.mode != PcoMode::Dict) {
    PcoVariable& secondary = metadata.variables[metadata.variableCount++];
    secondary.width = width;
    secondary.stateCount = states.ofSecondary ? states.count : 0;
  }
  // There is one lookback per primary latent that is not in the head.
  const uint32_t looked = count > states.count ? count - states.count : 0;
  for (uint32_t i = 0; i < metadata.variableCount; i++) {
    PcoVariable& variable = metadata.variables[i];
    if (Status s = readVariable(in, variable.isLookback ? looked : count, variable)) return s;
  }
  if (in.isPastEnd()) return {Code::Truncated, in.byte()};
  return in.align() ? Status{} : Status{Code::Corrupt, in.byte()};
}

}  // namespace zw

#endif
