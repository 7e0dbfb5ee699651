// transpose (array → array): permutes the axes. Spec: Zarr v3 "transpose" codec.
//
// Parameters: [order…], one per axis: encoded axis i is decoded axis order[i]
//   encoded.shape[i] = decoded.shape[order[i]],  encoded[b] = decoded[a] with b[i] = a[order[i]]
// TypeScript resolves "C" and "F" of the draft specification to permutations.
//
// This codec moves no data: decoded axis order[i] gets the stride of encoded axis i.
#include "codecs/chunk_view.hpp"
#include "codecs/codec.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  if (step.params.size() != array.rank) return Code::BadPermutation;
  uint64_t seen = 0;  // a bit per axis: kMaxRank is 64
  static_assert(kMaxRank <= 64);
  step.encodedArray = array;
  for (uint32_t i = 0; i < array.rank; i++) {
    const uint32_t axis = step.params[i];
    if (axis >= array.rank || (seen >> axis & 1)) return Code::BadPermutation;
    seen |= uint64_t{1} << axis;
    step.encodedArray.shape[i] = array.shape[axis];
  }
  return {};
}

void relabel(const Step& step, ChunkView& view) {
  const ChunkView encoded = view;
  for (uint32_t i = 0; i < encoded.rank; i++) {
    view.shape[step.params[i]] = encoded.shape[i];
    view.stride[step.params[i]] = encoded.stride[i];
  }
}

}  // namespace

constinit const Codec kTransposeCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .relabel = relabel,
};

}  // namespace zw
