// reshape (array → array): another shape for the same elements in C order. Spec: zarr-extensions.
//
// Parameters: [lengths…] of the encoded array; their product is the number of elements. TypeScript
// resolves lists of dimensions and -1.
#include <cstring>

#include "base/checked.hpp"
#include "codecs/values.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  if (step.params.size() > kMaxRank) return Code::LimitExceeded;
  ArrayInfo& encoded = step.encodedArray;
  encoded = array;
  encoded.rank = static_cast<uint32_t>(step.params.size());
  uint64_t count = 1;
  for (uint32_t axis = 0; axis < encoded.rank; axis++) {
    encoded.shape[axis] = step.params[axis];
    if (!checkedMul(count, step.params[axis], count)) return Code::BadParameters;
  }
  return count == array.itemCount ? Status{} : Status{Code::BadParameters};
}

/// Both sides are in C order, so no data moves.
Status decode(const Step& step, ByteView in, ByteSpan, Workspace&, ByteView& result) {
  result = in;
  return checkBytes(step.encodedArray, in);
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  std::memcpy(out.data(), in.data(), in.size());
  result = out.first(in.size());
  return {};
}
#endif

}  // namespace

constinit const Codec kReshapeCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
