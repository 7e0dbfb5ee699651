// floatpred (array → array): bytes of elements in planes, and differences of neighbouring bytes:
// TIFF's predictor 3. Names: "imagecodecs_floatpred" and "imagecodecs_byteshuffle" in Zarr v2 and
// v3. Spec: Adobe Photoshop TIFF Technical Note 3 (2005). Full module only.
//
//   in every run:   byte 0 of all elements, then byte 1 of all elements, …   (0 the highest or the
//                   lowest byte)
//                   encoded[i] = bytes[i] - bytes[i - step] over all of them, the first `step` as
//                   they are
//
// The encoded array is of uint8 and has one axis: no byte order and no transpose applies to it.
//
// Parameters: [run, step, flags]   elements of a run, which must divide the array; how far apart
//                                  neighbours are, which must divide the run; flags 1: differences
//                                  are taken, 2: the highest byte comes first
//
// Trust: one byte in, one byte out; nothing in the data sizes anything.
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
  if (step.params.size() != 3 || !valueTypeOf(array.dtype, type)) return Code::BadParameters;
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

/// Number of the plane that holds byte `b` (0 the lowest) of the elements.
size_t planeOf(const Step& step, uint32_t b) {
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
    for (uint32_t b = 0; b < itemBytes; b++) planes[b] = bytes + planeOf(step, b) * run;
    unshufflePlanes(out.data() + at, planes, run, itemBytes);
  }
  result = out.first(in.size());
  return {};
}

/// Bytes less those `distance` before them, of which the first belong to the plane before.
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
      // Planes are in the order of bytes in memory, the lowest first; planeOf is its own inverse.
      const uint8_t* plane = planes.data() + planeOf(step, p) * run;
      const bool subtracts = step.params[2] & kDifferences;
      subtractPlane(out.data() + at + p * run, plane, before, run,
                    subtracts ? step.params[1] : run);
      before = subtracts ? plane : nullptr;
    }
  }
  result = out.first(in.size());
  return {};
}

/// Bytes of several elements: no fill value stands for them.
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
