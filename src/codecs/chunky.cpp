// chunky (array → bytes): elements with the first axis the fastest, as TIFF interleaves samples
// ("PlanarConfiguration 1"). Name: Zarr v3 "ChunkyCodec", as virtual-tiff writes it. Full module
// only.
//
// Parameters: [endian]   0 not given, 1 little, 2 big; single bytes need none
//
// Nothing moves here: the view's strides ascend, and the materialise pass does the rest.
#ifdef ZW_RARE_CODECS

#include "codecs/chunk_view.hpp"
#include "codecs/codec.hpp"

namespace zw {
namespace {

enum Endian : uint32_t { kNotGiven = 0, kLittle = 1, kBig = 2 };

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  const bool isPlain = array.components.size() == 1 && array.dtype != DTypeId::Bool;
  if (step.params.size() != 1 || !isPlain || step.params[0] > kBig) return Code::BadParameters;
  if (step.params[0] == kNotGiven && array.components[0].bytes > 1) return Code::MissingEndian;
  step.encoded = {array.bytes(), true};
  return {};
}

void relabel(const Step& step, ChunkView& view) {
  view.swapBytes = step.params[0] == kBig ? step.decodedArray.components[0].bytes : 1;
  size_t stride = view.itemBytes;
  for (uint32_t axis = 0; axis < view.rank; axis++) {
    view.stride[axis] = stride;
    stride *= view.shape[axis];
  }
}

}  // namespace

constinit const Codec kChunkyCodec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .relabel = relabel,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
