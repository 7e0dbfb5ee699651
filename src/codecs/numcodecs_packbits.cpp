// packbits of numcodecs (array → array): booleans, eight per byte of a one-dimensional uint8 array.
// Names: Zarr v2 "packbits", v3 "numcodecs.packbits".
//
//   byte 0   number of padding bits, 0 … 7
//   byte 1…  elements in C order, the first in the highest bit; then padding bits
//
// Parameters: none
//
// Trust: the number of padding bits must match the shape of the array.
#include "codecs/values.hpp"
#include "kernels/bits.hpp"

namespace zw {
namespace {

constexpr size_t kHeader = 1;

uint8_t paddingBits(const ArrayInfo& array) {
  return static_cast<uint8_t>((8 - array.itemCount % 8) % 8);
}

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  if (!step.params.empty() || array.itemBytes != 1) return Code::BadParameters;
  if (Status s = encodeAs(step, static_cast<uint32_t>(DTypeId::Uint8))) return s;
  ArrayInfo& packed = step.encodedArray;
  packed.itemCount = kHeader + (array.itemCount + 7) / 8;
  packed.rank = 1;
  packed.shape[0] = static_cast<uint32_t>(packed.itemCount);
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  const ArrayInfo& array = step.decodedArray;
  if (in[0] != paddingBits(array)) return Code::BadHeader;
  unpackBooleans(BitOrder::HighFirst, in.data() + kHeader, array.itemCount, out.data());
  result = out.first(array.bytes());
  return {};
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ArrayInfo& array = step.decodedArray;
  if (Status s = checkBytes(array, in)) return s;
  out[0] = paddingBits(array);
  packBooleans(BitOrder::HighFirst, in.data(), array.itemCount, out.data() + kHeader);
  result = out.first(step.encodedArray.bytes());
  return {};
}
#endif

/// Encoded bytes do not correspond to elements, so there is no encoded fill value.
Status mapFill(const Step&, const uint8_t*, uint8_t* encoded) {
  *encoded = 0;
  return {};
}

}  // namespace

constinit const Codec kNumcodecsPackbitsCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = mapFill,
};

}  // namespace zw
