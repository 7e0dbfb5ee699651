// Targets that run plans: decode-<codec> for each codec that moves bytes, chain for any chain, and
// roundtrip for chains that encode.
//
// Properties: results do not depend on previous contents of buffers. Placing writes the same bytes
// as decoding and a plain copy, and no others, whether or not it succeeds. Encoding and decoding
// restores the elements.
#include <cstring>

#include "plan_input.hpp"
#include "scalar.hpp"
#include "support.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

/// Memory of a session. A shared one keeps the contents that earlier inputs have left.
struct Memory {
  StageBuffers stages;
  Workspace work;
  Memory() { work.setScratchLimit(2 * kMaxChunk + (1 << 20)); }
};

Memory& keptMemory() {
  static Memory memory;
  return memory;
}

/// The status code and bytes of a run.
struct Outcome {
  Code code = Code::Ok;
  Bytes bytes;
  bool operator==(const Outcome&) const = default;
};

bool prepare(Plan& plan, std::span<const uint32_t> words) {
  if (plan.prepare(words, kMaxChunk)) return false;
  ZW_PROPERTY(plan.array().bytes() <= kMaxChunk);
  return plan.stageBytes() <= kMaxStage && plan.encodedSize().bytes <= kMaxStage;
}

Outcome decode(const Plan& plan, ByteView encoded, Memory& memory, uint8_t garbage) {
  ExactBlock out(plan.array().bytes());
  std::memset(out.data(), garbage, out.size());
  ByteView result;
  const ChainStatus s = decodeChunk(plan, encoded, out.span(), memory.stages, memory.work, result);
  if (s) return {s.status.code, {}};
  ZW_PROPERTY(result.data() == out.data() && result.size() <= out.size());
  ZW_PROPERTY(plan.isBytesOnly() || result.size() == out.size());
  return {Code::Ok, Bytes(result.begin(), result.end())};
}

Outcome encode(const Plan& plan, ByteView decoded) {
  ExactBlock out(plan.encodedSize().bytes);
  ByteView result;
  Memory& memory = keptMemory();
  const ChainStatus s = encodeChunk(plan, decoded, out.span(), memory.stages, memory.work, result);
  if (s) return {s.status.code, {}};
  return {Code::Ok, Bytes(result.begin(), result.end())};
}

constexpr uint8_t kUntouched = 0xa5;

/// Copies the elements of a placement one by one. `srcStep` is false for a fill value.
void placeSlowly(const PlacementChoice& choice, const ArrayInfo& array, const uint8_t* from,
                 bool isFill, Bytes& destination) {
  for (uint32_t axis = 0; axis < array.rank; axis++) {
    if (choice.axes[axis].count == 0) return;  // the offset is unbounded then
  }
  std::vector<CopyAxis> axes(array.rank);
  size_t stride = array.itemBytes, start = 0;
  for (uint32_t axis = array.rank; axis-- > 0;) {
    const PlacementAxis& chosen = choice.axes[axis];
    axes[axis] = {chosen.count, isFill ? 0 : chosen.step * stride, chosen.dstStride};
    if (!isFill) start += chosen.start * stride;
    stride *= array.shape[axis];
  }
  scalar::stridedCopy(axes, array.itemBytes, 1, from + start,
                      destination.data() + choice.dstOffset);
}

/// True if the bytes outside a placement are unchanged.
bool isRestUntouched(const PlacementChoice& choice, const ArrayInfo& array,
                     const ExactBlock& destination) {
  Bytes named(destination.size(), 0);
  const Bytes item(array.itemBytes, 1);
  placeSlowly(choice, array, item.data(), true, named);
  for (size_t i = 0; i < named.size(); i++) {
    if (!named[i] && destination.data()[i] != kUntouched) return false;
  }
  return true;
}

/// Compares filling with a copy of single elements.
void checkFilled(const Plan& plan, const PlacementChoice& choice) {
  const ArrayInfo& array = plan.array();
  const bool isInside = !plan.isBytesOnly() && choice.isInside(array);
  const Code code = isInside ? Code::Ok : Code::BadPlacement;
  ExactBlock destination(Bytes(choice.destinationBytes, kUntouched));
  bool isFill = false;
  ZW_PROPERTY(fillPlaced(plan, choice.placement(), destination.span()).code == code);
  ZW_PROPERTY(isFillPlaced(plan, choice.placement(), destination.view(), isFill).code == code);
  if (isInside && !choice.isDistinct) {  // the order of writing is unspecified
    ZW_PROPERTY(isRestUntouched(choice, array, destination));
    return;
  }
  Bytes filled(destination.size(), kUntouched);
  if (isInside) placeSlowly(choice, array, plan.fillItem(), true, filled);
  ZW_PROPERTY(destination.copy() == filled && isFill == isInside);
}

/// Compares decodePlaced with `whole`, the result of decoding the chunk.
void checkPlaced(const Plan& plan, const PlanInput& input, const Outcome& whole) {
  const ArrayInfo& array = plan.array();
  const PlacementChoice choice = choosePlacement(input.placement, array);
  if (choice.destinationBytes > 4 * kMaxChunk) return;
  ExactBlock destination(Bytes(choice.destinationBytes, kUntouched));
  const ExactBlock encoded(Bytes(input.data.begin(), input.data.end()));
  Memory& memory = keptMemory();
  const ChainStatus s = decodePlaced(plan, encoded.view(), choice.placement(), destination.span(),
                                     memory.stages, memory.work);
  checkFilled(plan, choice);
  const bool isInside = !plan.isBytesOnly() && choice.isInside(array);
  ZW_PROPERTY(isInside || s.status.code == Code::BadPlacement);
  if (!isInside) ZW_PROPERTY(destination.copy() == Bytes(destination.size(), kUntouched));
  if (!choice.isDistinct || plan.isBytesOnly()) return;
  ZW_PROPERTY(s.status.code == whole.code);
  if (s) {
    ZW_PROPERTY(isRestUntouched(choice, array, destination));
  } else {
    Bytes expected(destination.size(), kUntouched);
    placeSlowly(choice, array, whole.bytes.data(), false, expected);
    ZW_PROPERTY(destination.copy() == expected);
  }
}

void runDecode(const PlanInput& input) {
  Plan plan;
  if (!prepare(plan, input.words)) return;
  const ExactBlock encoded(Bytes(input.data.begin(), input.data.end()));
  const Outcome whole = decode(plan, encoded.view(), keptMemory(), 0x00);
  Memory fresh;
  ZW_PROPERTY(decode(plan, encoded.view(), fresh, 0xff) == whole);
  if (!input.placement.empty()) checkPlaced(plan, input, whole);
}

/// A target for plans with a single codec, plus `bytes` if an array needs it.
Target decodeTarget(CodecId codec) {
  const auto id = static_cast<uint32_t>(codec);
  const auto run = [id](ByteView bytes) {
    const PlanInput input = readPlanInput(bytes);
    bool isFound = false;
    for (const uint32_t found : codecIds(input.words)) {
      isFound = isFound || found == id;
      if (found != id && found != static_cast<uint32_t>(CodecId::Bytes)) return;
    }
    if (isFound) runDecode(input);
  };
  return {std::string("decode-") + codecName(id), run, planHeadBytes};
}

/// Fidelity of a chain.
enum class Fidelity { Exact, Settles, Lossy };

/// Exact: decoding restores the encoded elements. Settles: it does so from the second round trip
/// on.
Fidelity codecFidelity(CodecId codec) {
  switch (codec) {
    case CodecId::Packbits:
    case CodecId::NumcodecsPackbits:
      return Fidelity::Settles;
    case CodecId::Delta:
    case CodecId::Astype:
    case CodecId::FixedScaleOffset:
    case CodecId::Quantize:
    case CodecId::Bitround:
    case CodecId::ScaleOffset:
    case CodecId::CastValue:
    case CodecId::Zfp:
      return Fidelity::Lossy;
    default:
      return Fidelity::Exact;
  }
}

Fidelity chainFidelity(std::span<const uint32_t> words) {
  Fidelity worst = Fidelity::Exact;
  for (const uint32_t id : codecIds(words)) {
    worst = std::max(worst, codecFidelity(static_cast<CodecId>(id)));
  }
  return worst;
}

/// The data, repeated or truncated to the size of the plan's array.
Bytes repeatToSize(const Plan& plan, ByteView data) {
  Bytes elements(plan.isBytesOnly() ? std::min(data.size(), plan.array().bytes())
                                    : plan.array().bytes());
  for (size_t i = 0; i < elements.size() && !data.empty(); i++) elements[i] = data[i % data.size()];
  return elements;
}

/// Encodes and decodes; false if the elements cannot be encoded.
bool roundTrip(const Plan& plan, const Bytes& elements, Fidelity fidelity, Bytes& back) {
  const ExactBlock decoded(elements);
  const Outcome encoded = encode(plan, decoded.view());
  if (encoded.code == Code::EncodeUnsupported) return false;  // decoder only
  if (encoded.code != Code::Ok) {
    ZW_PROPERTY(fidelity == Fidelity::Lossy);
    return false;
  }
  const ExactBlock bytes(encoded.bytes);
  const Outcome outcome = decode(plan, bytes.view(), keptMemory(), 0xcc);
  ZW_PROPERTY(outcome.code == Code::Ok || fidelity == Fidelity::Lossy);
  back = outcome.bytes;
  return outcome.code == Code::Ok;
}

void runRoundTrip(ByteView bytes) {
  const PlanInput input = readPlanInput(bytes);
  Plan plan;
  if (!prepare(plan, input.words)) return;
  Fidelity fidelity = chainFidelity(input.words);
  // Nonzero bytes become 1.
  if (plan.array().dtype == DTypeId::Bool) fidelity = std::max(fidelity, Fidelity::Settles);
  const Bytes elements = repeatToSize(plan, input.data);
  Bytes once, twice;
  if (!roundTrip(plan, elements, fidelity, once)) return;
  if (fidelity == Fidelity::Exact) ZW_PROPERTY(once == elements);
  if (fidelity != Fidelity::Settles) return;
  ZW_PROPERTY(roundTrip(plan, once, fidelity, twice));
  ZW_PROPERTY(once == twice);
}

}  // namespace

std::vector<Target> planTargets() {
  std::vector<Target> list;
#define ZW_CODEC(Id, name)                                  \
  if (k##Id##Codec.decode || CodecId::Id == CodecId::Bytes) \
    list.push_back(decodeTarget(CodecId::Id));
#define ZW_CODEC_FULL ZW_CODEC
#define ZW_CODEC_IMAGE ZW_CODEC
#include "codecs/codec_list.inc"
#undef ZW_CODEC
#undef ZW_CODEC_FULL
#undef ZW_CODEC_IMAGE
  const auto chain = [](ByteView bytes) { runDecode(readPlanInput(bytes)); };
  list.push_back({"chain", chain, planHeadBytes});
  list.push_back({"roundtrip", runRoundTrip, planHeadBytes});
  return list;
}

}  // namespace zw::fuzz
