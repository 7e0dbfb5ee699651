// packbits (array → bytes): stores only bits `first` … `last` of each element, without gaps.
// Spec: zarr-extensions "packbits" (v3). Not the numcodecs codec of that name.
//
//   [padding]   number of padding bits, one byte, before or after the bits; may be absent
//   bits        bits first … last of each component, lowest first, in C order; a complex element is
//               two components. Bit i is bit i % 8 (counted from the lowest) of byte i / 8, and
//               zeros fill the last byte. (The specification leaves the order within a byte open;
//               this is the order that zarrs writes.)
//
// Parameters: [padding, first, last]   padding: 0 absent, 1 in the first byte, 2 in the last
//
// Decoding sign-extends signed integers and fills all other unstored bits with zeros.
//
// Trust: the encoded size follows from the array alone, and a padding byte must agree with it.
#include <cstring>

#include "base/checked.hpp"
#include "codecs/values.hpp"
#include "kernels/bits.hpp"

namespace zw {
namespace {

enum Padding : uint32_t { kNone = 0, kFirstByte = 1, kLastByte = 2 };

struct Layout {
  BitField field;
  size_t count;      // components
  size_t dataBytes;  // without the padding byte
  uint8_t padding;   // bits
};

Layout makeLayout(const Step& step) {
  const ArrayInfo& array = step.decodedArray;
  const DTypeInfo* dtype = dtypeInfo(static_cast<uint32_t>(array.dtype));
  Layout layout;
  const uint32_t first = step.params[1], last = step.params[2];
  layout.field = {dtype->componentBytes, first, last - first + 1,
                  dtype->typeClass == DTypeClass::Signed};
  layout.count = array.bytes() / dtype->componentBytes;
  const uint64_t bits = uint64_t{layout.count} * layout.field.bits;
  layout.dataBytes = static_cast<size_t>(ceilDiv(bits, 8));
  layout.padding = static_cast<uint8_t>((8 - bits % 8) % 8);
  return layout;
}

Status prepare(Step& step) {
  const DTypeInfo* dtype = dtypeInfo(static_cast<uint32_t>(step.decodedArray.dtype));
  if (step.params.size() != 3 || dtype->bits == 0) return Code::BadParameters;
  const uint32_t padding = step.params[0], first = step.params[1], last = step.params[2];
  if (padding > kLastByte || first > last || last >= dtype->bits) return Code::BadParameters;
  step.encoded = {makeLayout(step).dataBytes + (padding != kNone), true};
  return {};
}

/// True if all bits are packed, so that the encoded bytes equal the elements.
bool isWhole(const BitField& field) {
  return field.bits == 8 * field.bytes;
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (in.size() != step.encoded.bytes) return {Code::SizeMismatch, in.size()};
  const Layout layout = makeLayout(step);
  const uint32_t padding = step.params[0];
  const size_t at = padding == kFirstByte ? 0 : layout.dataBytes;
  if (padding != kNone && in[at] != layout.padding) return {Code::BadHeader, at};
  const ByteView data = in.subspan(padding == kFirstByte, layout.dataBytes);
  result = out.first(step.decodedArray.bytes());
  if (isWhole(layout.field)) {
    result = data;
  } else if (layout.field.bits == 1 && layout.field.bytes == 1 && layout.field.first == 0 &&
             !layout.field.isSigned) {
    unpackBooleans(BitOrder::LowFirst, data.data(), layout.count, out.data());
  } else {
    unpackFields(layout.field, data.data(), layout.count, out.data());
  }
  return {};
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  const Layout layout = makeLayout(step);
  const uint32_t padding = step.params[0];
  if (padding != kNone) out[padding == kFirstByte ? 0 : layout.dataBytes] = layout.padding;
  uint8_t* data = out.data() + (padding == kFirstByte);
  if (isWhole(layout.field)) {
    std::memcpy(data, in.data(), in.size());
  } else if (step.decodedArray.dtype == DTypeId::Bool) {
    packBooleans(BitOrder::LowFirst, in.data(), layout.count, data);
  } else {
    packFields(layout.field, in.data(), layout.count, data);
  }
  result = out.first(step.encoded.bytes);
  return {};
}
#endif

}  // namespace

constinit const Codec kPackbitsCodec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
