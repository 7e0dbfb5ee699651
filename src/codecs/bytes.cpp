// bytes (array → bytes): elements in C order, each component in the stated byte order.
// Spec: Zarr v3 "bytes" codec; the draft called it "endian". Zarr v1 and v2 state the byte order in
// the dtype, field by field for structured types.
//
// Parameters: [endian]         0 = none, 1 = little, 2 = big, for all components
//             [3, e0, e1, …]   one endian (1 or 2) per component run of a struct
//
// With a uniform byte order this codec moves no data: it relabels the view, and the final strided
// copy swaps bytes. Structs with components of several widths or orders use a variant that copies
// item by item.
//
// Booleans are normalised to 0 and 1 in both directions, so that callers may count or add them. Any
// nonzero byte is true, as in NumPy. They use a variant that copies.
#include <cstring>

#include "codecs/chunk_view.hpp"
#include "codecs/codec.hpp"
#include "kernels/bits.hpp"
#include "kernels/byteswap.hpp"

namespace zw {
namespace {

enum Endian : uint32_t { kNotGiven = 0, kLittle = 1, kBig = 2, kPerComponent = 3 };

/// Endian of component run `i`.
uint32_t runEndian(const Step& step, size_t i) {
  return step.params[0] == kPerComponent ? step.params[1 + i] : step.params[0];
}

/// True if the bytes of run `i` must be reversed on a little-endian host.
bool isSwapped(const Step& step, size_t i) {
  return step.decodedArray.components[i].bytes > 1 && runEndian(step, i) == kBig;
}

Status checkEndian(const Step& step) {
  const auto runs = step.decodedArray.components;
  if (step.params.empty()) return Code::BadParameters;
  const bool perComponent = step.params[0] == kPerComponent;
  if (step.params.size() != (perComponent ? 1 + runs.size() : 1)) return Code::BadParameters;
  for (size_t i = 0; i < runs.size(); i++) {
    const uint32_t endian = runEndian(step, i);
    if (endian > kBig) return Code::BadParameters;
    if (endian == kNotGiven && runs[i].bytes > 1) return Code::MissingEndian;
  }
  return {};
}

/// Copies items and reverses the components of swapped runs. Used in both directions, since the
/// swap is its own inverse.
Status copySwappingRuns(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ArrayInfo& array = step.decodedArray;
  if (in.size() != array.bytes()) return {Code::SizeMismatch, in.size()};
  const uint8_t* src = in.data();
  uint8_t* dst = out.data();
  for (size_t item = 0; item < array.itemCount; item++) {
    for (size_t i = 0; i < array.components.size(); i++) {
      const Component run = array.components[i];
      const size_t bytes = size_t{run.bytes} * run.count;
      if (isSwapped(step, i)) {
        swapCopy(dst, src, run.count, run.bytes);
      } else {
        std::memcpy(dst, src, bytes);
      }
      src += bytes;
      dst += bytes;
    }
  }
  result = out.first(in.size());
  return {};
}

/// Replaces kBytesCodec for items that mix widths or byte orders.
constexpr Codec kMixedBytesCodec = {
    .kind = CodecKind::ArrayToBytes,
    .decode = copySwappingRuns,
    .encode = copySwappingRuns,
};

/// Normalises booleans, in both directions.
Status copyAsBooleans(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (in.size() != step.decodedArray.bytes()) return {Code::SizeMismatch, in.size()};
  copyBooleans(in.data(), in.size(), out.data());
  result = out.first(in.size());
  return {};
}

/// Replaces kBytesCodec for booleans.
constexpr Codec kBooleanBytesCodec = {
    .kind = CodecKind::ArrayToBytes,
    .decode = copyAsBooleans,
    .encode = copyAsBooleans,
};

/// The width to reverse if all components are alike, or 0.
uint32_t uniformSwap(const Step& step) {
  const auto runs = step.decodedArray.components;
  const uint32_t first = isSwapped(step, 0) ? runs[0].bytes : 1;
  for (size_t i = 1; i < runs.size(); i++) {
    if ((isSwapped(step, i) ? runs[i].bytes : 1) != first) return 0;
  }
  return first;
}

Status prepare(Step& step) {
  if (Status s = checkEndian(step)) return s;
  step.encoded = {step.decodedArray.bytes(), true};
  if (step.decodedArray.dtype == DTypeId::Bool) {
    step.codec = &kBooleanBytesCodec;
  } else if (uniformSwap(step) == 0) {
    step.codec = &kMixedBytesCodec;
  }
  return {};
}

void relabel(const Step& step, ChunkView& view) {
  view.swapBytes = uniformSwap(step);
}

}  // namespace

constinit const Codec kBytesCodec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .relabel = relabel,
};

}  // namespace zw
