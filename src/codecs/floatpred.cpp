// floatpred (array → array): byte planes and differences of neighbouring bytes, TIFF's predictor 3.
// Names: "imagecodecs_floatpred" and "imagecodecs_byteshuffle" in Zarr v2 and v3. Spec: Adobe
// Photoshop TIFF Technical Note 3 (2005). Full module only.
//
//   in each run:   byte 0 of all elements, then byte 1 of all elements, … (byte 0 is the highest or
//                  the lowest, see flags); then encoded[i] = bytes[i] - bytes[i - step] over the
//                  whole run, where the first `step` bytes are unchanged
//
// The encoded array is uint8 with one axis: it has no byte order and cannot be transposed.
//
// Parameters: [run, step, flags]   run: elements per run; must divide the element count
//                                  step: distance between neighbours; must divide `run`
//                                  flags: 1 = take differences, 2 = highest byte first
//
// Trust: one byte in, one byte out; no value in the data is used as a size.
#ifdef ZW_RARE_CODECS

#include "codecs/values.hpp"
#include "kernels/prefix_sum.hpp"
#include "kernels/shuffle.hpp"

namespace zw {
namespace {

enum Flags : uint32_t { kDifferences = 1, kHighFirst = 2, kAllFlags = 3 };

constexpr uint32_t kMaxItem = 8;

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  ValueType type;
  if (step.params.size() != 3 || !findValueType(array.dtype, type)) return Code::BadParameters;
  if (type.perItem != 1 || array.itemBytes < 2) return Code::BadParameters;
  const uint32_t run = step.params[0], distance = step.params[1];
  if (run == 0 || array.itemCount % run != 0) return Code::BadParameters;
  if (distance == 0 || run % distance != 0 || step.params[2] > kAllFlags) {
    return Code::BadParameters;
  }
  const size_t bytes = array.bytes();
  if (Status s = encodeAs(step, static_cast<uint32_t>(DTypeId::Uint8))) return s;
  step.encodedArray.itemCount = bytes;
  step.encodedArray.rank = 1;
  step.encodedArray.shape[0] = static_cast<uint32_t>(bytes);
  return {};
}

/// Index of the plane that holds byte `b` (0 = lowest) of the elements.
size_t planeIndex(const Step& step, uint32_t b) {
  return step.params[2] & kHighFirst ? step.decodedArray.itemBytes - 1 - b : b;
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  const uint32_t itemBytes = step.decodedArray.itemBytes;
  const size_t run = step.params[0], runBytes = run * itemBytes;
  ByteSpan sums;
  if (Status s = work.scratch(ScratchSlot::Codec, runBytes, sums)) return s;
  for (size_t at = 0; at < in.size(); at += runBytes) {
    const uint8_t* bytes = in.data() + at;
    if (step.params[2] & kDifferences) {
      prefixSumSteps(sums.data(), bytes, runBytes, 1, step.params[1]);
      bytes = sums.data();
    }
    const uint8_t* planes[kMaxItem];
    for (uint32_t b = 0; b < itemBytes; b++) planes[b] = bytes + planeIndex(step, b) * run;
    unshufflePlanes(out.data() + at, planes, run, itemBytes);
  }
  result = out.first(in.size());
  return {};
}

/// Subtracts from each byte the one `distance` before it. For the first bytes of a plane these are
/// in the previous plane, `before`, if there is one.
void subtractPlane(uint8_t* out, const uint8_t* plane, const uint8_t* before, size_t run,
                   size_t distance) {
  differences(out, plane, run, 1, distance);
  if (!before) return;
  const uint8_t* last = before + run - distance;
  for (size_t i = 0; i < distance; i++) out[i] = static_cast<uint8_t>(out[i] - last[i]);
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work,
                               ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  const uint32_t itemBytes = step.decodedArray.itemBytes;
  const size_t run = step.params[0], runBytes = run * itemBytes;
  ByteSpan planes;
  if (Status s = work.scratch(ScratchSlot::Codec, runBytes, planes)) return s;
  for (size_t at = 0; at < in.size(); at += runBytes) {
    shuffleBytes(planes.data(), in.data() + at, run, itemBytes);
    const uint8_t* before = nullptr;
    for (uint32_t p = 0; p < itemBytes; p++) {
      // shuffleBytes puts the lowest byte first; planeIndex is its own inverse.
      const uint8_t* plane = planes.data() + planeIndex(step, p) * run;
      const bool subtracts = step.params[2] & kDifferences;
      subtractPlane(out.data() + at + p * run, plane, before, run,
                    subtracts ? step.params[1] : run);
      before = subtracts ? plane : nullptr;
    }
  }
  result = out.first(in.size());
  return {};
}

/// Encoded bytes do not correspond to elements, so there is no encoded fill value.
Status mapFill(const Step&, const uint8_t*, uint8_t* encoded) {
  *encoded = 0;
  return {};
}

}  // namespace

constinit const Codec kFloatPredictorCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = mapFill,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
