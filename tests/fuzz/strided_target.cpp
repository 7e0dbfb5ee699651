// strided: compares the strided copy with its reference, for arbitrary shapes and strides, in
// buffers that end at the last element.
//
// Input: two alignments, swap, item size, rank, room, position and length per axis, source stride
// per axis, gap before each axis, bytes of the source
#include <algorithm>
#include <numeric>

#include "input.hpp"
#include "kernels/strided_copy.hpp"
#include "scalar.hpp"
#include "support.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

// Bytes of all elements: enough for a few tiles, and occasionally for many.
constexpr size_t kFewBytes = 1 << 11;
constexpr size_t kMaxBytes = 1 << 14;
constexpr size_t kMaxSpan = 1 << 16;

struct Layout {
  std::vector<CopyAxis> axes;
  uint32_t itemBytes = 1;
  uint32_t swapBytes = 1;
  size_t srcBytes = 0;
  size_t dstBytes = 0;
};

/// Source strides: gapless in any order, repeating, or arbitrary.
size_t sourceStride(Input& input, size_t gapless) {
  switch (input.u8() % 8) {
    case 0:
      return 0;
    case 1:
      return input.u8();
    case 2:
      return input.u16();
    case 3:
      return size_t{64} * input.u8();
    default:
      return gapless;
  }
}

bool chooseLayout(Input& input, Layout& layout) {
  static constexpr uint32_t kSwaps[] = {1, 1, 2, 4, 8, 16};
  layout.swapBytes = input.oneOf(kSwaps);
  layout.itemBytes = layout.swapBytes * input.between(1, 20);
  const uint32_t rank = input.between(0, 7);
  layout.axes.resize(rank);
  std::vector<uint32_t> order(rank);  // of the destination's axes, innermost first
  std::iota(order.begin(), order.end(), 0u);
  const size_t room = input.u8() % 8 == 0 ? kMaxBytes : kFewBytes;
  size_t elements = 1;
  for (uint32_t i = 0; i < rank; i++) {
    std::swap(order[i], order[input.between(i, rank - 1)]);
    const size_t max = std::max<size_t>(1, room / layout.itemBytes / elements);
    layout.axes[i].length = std::min<size_t>(max, input.u8() % 8 == 0 ? input.u16() : input.u8());
    elements *= std::max<size_t>(1, layout.axes[i].length);
  }
  size_t gapless = layout.itemBytes, stride = layout.itemBytes;
  layout.srcBytes = layout.dstBytes = layout.itemBytes;
  for (uint32_t i = rank; i-- > 0;) {
    CopyAxis& axis = layout.axes[i];
    axis.srcStride = sourceStride(input, gapless);
    gapless *= std::max<size_t>(1, axis.length);
    layout.srcBytes += axis.srcStride * (axis.length ? axis.length - 1 : 0);
  }
  for (const uint32_t i : order) {
    CopyAxis& axis = layout.axes[i];
    stride += input.u8() % 4 == 0 ? input.u8() : 0;
    axis.dstStride = stride;
    layout.dstBytes += stride * (axis.length ? axis.length - 1 : 0);
    stride *= std::max<size_t>(1, axis.length);
  }
  return layout.srcBytes <= kMaxSpan && layout.dstBytes <= kMaxSpan;
}

void run(ByteView bytes) {
  Input input(bytes);
  Layout layout;
  const size_t srcOffset = input.u8() % 16, dstOffset = input.u8() % 16;
  if (!chooseLayout(input, layout)) return;
  ExactBlock src(layout.srcBytes, srcOffset);
  const ByteView data = input.rest();
  for (size_t i = 0; i < src.size(); i++) {
    src.data()[i] = data.empty() ? static_cast<uint8_t>(i ^ i >> 8) : data[i % data.size()];
  }
  StridedCopy copy;
  ZW_PROPERTY(!prepareStridedCopy(layout.axes, layout.itemBytes, layout.swapBytes, copy));
  ExactBlock dst(layout.dstBytes, dstOffset);
  Bytes expected(layout.dstBytes, 0xa5);
  std::memset(dst.data(), 0xa5, dst.size());
  Buffer scratch;
  runStridedCopy(copy, src.data(), dst.data(), &scratch);
  scalar::stridedCopy(layout.axes, layout.itemBytes, layout.swapBytes, src.data(), expected.data());
  ZW_PROPERTY(dst.copy() == expected);
}

}  // namespace

std::vector<Target> stridedTargets() {
  return {{"strided", run, nullptr}};
}

}  // namespace zw::fuzz
