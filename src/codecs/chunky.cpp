// chunky (array → bytes): elements in an order where the first axis is fastest, like interleaved
// samples in TIFF (PlanarConfiguration 1). Name: Zarr v3 "ChunkyCodec", as written by virtual-tiff.
// Full module only.
//
// Parameters: [endian]   0 = none (single bytes only), 1 = little, 2 = big
//
// This codec moves no data: it sets ascending strides, and the final strided copy follows them.
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
