#include "plan_input.hpp"

#include "base/word_reader.hpp"

namespace zw::fuzz {
namespace {

/// Wide enough for any sum below.
using Wide = unsigned __int128;

/// A valid placement: any part of the chunk, with gaps between elements.
void choosePacked(Input& input, const ArrayInfo& array, PlacementChoice& choice) {
  size_t stride = array.itemBytes;
  for (uint32_t axis = array.rank; axis-- > 0;) {
    PlacementAxis& chosen = choice.axes[axis];
    const uint32_t length = array.shape[axis];
    chosen.start = input.u8() % length;
    chosen.step = 1 + input.u8() % 4;
    chosen.count = (length - chosen.start + chosen.step - 1) / chosen.step;
    chosen.count -= std::min(chosen.count, uint32_t{input.u8()} % 4);
    stride += input.u8() % 8 == 7 ? 3 : 0;
    chosen.dstStride = static_cast<uint32_t>(stride);
    stride *= std::max(1u, chosen.count);
  }
  choice.dstOffset = input.u8() % 32;
  choice.destinationBytes = choice.dstOffset + stride + input.u8() % 4;
  choice.isDistinct = choice.destinationBytes <= 4 * kMaxChunk;
}

/// Any 32-bit number; often small, or near a power of two, so that sums and products of several
/// overflow.
uint32_t anyWord(Input& input) {
  const uint8_t choice = input.u8();
  if (choice < 64) return choice % 8;
  if (choice < 192) return (uint32_t{1} << choice % 32) + input.u8() % 4 - 1;
  return choice < 224 ? input.u16() : input.u32();
}

/// Arbitrary numbers, which must be rejected or harmless.
void chooseAnything(Input& input, PlacementChoice& choice) {
  for (PlacementAxis& axis : choice.axes) {
    axis.start = anyWord(input);
    axis.step = anyWord(input);
    axis.count = anyWord(input);
    axis.dstStride = anyWord(input);
  }
  choice.dstOffset = anyWord(input);
  if (input.u8() % 8 == 0) choice.dstOffset = SIZE_MAX - choice.dstOffset;
  choice.destinationBytes = input.u16();
}

}  // namespace

PlanInput readPlanInput(ByteView input) {
  Input reader(input);
  PlanInput result;
  const ByteView words = reader.bytes(size_t{4} * reader.u16());
  result.words.resize(words.size() / 4);
  if (!result.words.empty())
    std::memcpy(result.words.data(), words.data(), result.words.size() * 4);
  result.placement = reader.bytes(reader.u8());
  result.data = reader.rest();
  return result;
}

size_t planHeadBytes(ByteView input) {
  return input.size() - readPlanInput(input).data.size();
}

std::vector<uint32_t> codecIds(std::span<const uint32_t> words) {
  WordReader reader(words);
  reader.take(3);  // version, flags, data type
  const size_t itemBytes = reader.next();
  reader.take(size_t{2} * reader.next());
  reader.take(reader.next());
  reader.take((itemBytes + 3) / 4);
  std::vector<uint32_t> ids;
  for (uint32_t left = reader.next(); left > 0 && reader.ok(); left--) {
    ids.push_back(reader.next());
    reader.take(reader.next());
  }
  return ids;
}

bool PlacementChoice::isInside(const ArrayInfo& array) const {
  Wide end = Wide{dstOffset} + array.itemBytes;
  for (uint32_t i = 0; i < array.rank; i++) {
    const PlacementAxis& axis = axes[i];
    if (axis.count == 0) return true;
    const Wide steps = axis.count - 1;
    if (steps > 0 && axis.step == 0) return false;
    if (axis.start + axis.step * steps >= array.shape[i]) return false;
    end += axis.dstStride * steps;
  }
  return end <= destinationBytes;
}

PlacementChoice choosePlacement(ByteView bytes, const ArrayInfo& array) {
  Input input(bytes);
  PlacementChoice choice;
  choice.axes.resize(array.rank);
  if (input.u8() % 4 == 3) {
    chooseAnything(input, choice);
  } else {
    choosePacked(input, array, choice);
  }
  return choice;
}

}  // namespace zw::fuzz
