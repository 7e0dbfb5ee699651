#include "chain/run.hpp"

#include <cstring>
#include <utility>

#include "base/checked.hpp"

namespace zw {
namespace {

/// Axes of the copy from a view to an array in C order.
struct LayoutAxes {
  CopyAxis axes[kMaxRank];

  explicit LayoutAxes(const ChunkView& view) {
    size_t stride = view.itemBytes;
    for (uint32_t axis = view.rank; axis-- > 0;) {
      axes[axis] = {view.shape[axis], view.stride[axis], stride};
      stride *= view.shape[axis];
    }
  }
  /// Swaps source and destination, for encoding.
  void reverse(uint32_t rank) {
    for (uint32_t axis = 0; axis < rank; axis++) {
      std::swap(axes[axis].srcStride, axes[axis].dstStride);
    }
  }
};

Status copyLayout(const ChunkView& view, bool encoding, const uint8_t* src, uint8_t* dst,
                  Buffer& scratch) {
  LayoutAxes layout(view);
  if (encoding) layout.reverse(view.rank);
  StridedCopy copy;
  const std::span<const CopyAxis> axes(layout.axes, view.rank);
  if (Status s = prepareStridedCopy(axes, view.itemBytes, view.swapBytes, copy)) return s;
  runStridedCopy(copy, src, dst, &scratch);
  return {};
}

size_t viewBytes(const ChunkView& view) {
  size_t bytes = view.itemBytes;
  for (uint32_t axis = 0; axis < view.rank; axis++) bytes *= view.shape[axis];
  return bytes;
}

/// Provides the stage buffer that a stage does not read from. The two do not simply alternate: a
/// stage that only strips bytes leaves its result in the buffer of its input.
class StageTargets {
 public:
  StageTargets(const Plan& plan, StageBuffers& buffers) : plan_(plan), buffers_(buffers) {}

  Status next(ByteView reading, ByteSpan& out) {
    const ByteSpan ping = buffers_.ping.first(buffers_.ping.capacity());
    Buffer& buffer = startsInside(reading, ping) ? buffers_.pong : buffers_.ping;
    if (Status s = buffer.reserve(plan_.stageBytes())) return s;
    out = buffer.first(plan_.stageBytes());
    return {};
  }

 private:
  const Plan& plan_;
  StageBuffers& buffers_;
};

/// Checks the size that a stage decoded to.
Status checkDecoded(Size expected, size_t bytes) {
  if (expected.exact && bytes != expected.bytes) return {Code::SizeMismatch, bytes};
  if (bytes > expected.bytes) return {Code::LimitExceeded, bytes};
  return {};
}

/// Runs every stage except the final layout copy. `current` is the input and then the result, in
/// any buffer. If `last` is not empty, the last stage writes there, which saves the final copy.
ChainStatus runDecodeStages(const Plan& plan, ByteView& current, ByteSpan last,
                            StageBuffers& buffers, Workspace& work) {
  const std::span<const Stage> stages = plan.stages();
  StageTargets targets(plan, buffers);
  for (size_t i = 0; i + 1 < stages.size(); i++) {
    const Stage& stage = stages[i];
    ByteSpan out = i + 2 == stages.size() ? last : ByteSpan{};
    if (out.empty()) {
      if (Status s = targets.next(current, out)) return {s, stage.stepIndex};
    }
    if (!stage.step) {
      // The output of bytes→bytes codecs was checked below; the stored bytes are checked only here.
      if (Status s = checkDecoded({viewBytes(stage.view), true}, current.size())) return {s};
      const uint8_t* const from = current.data();
      if (Status s = copyLayout(stage.view, false, from, out.data(), buffers.copy)) return {s};
      current = out.first(viewBytes(stage.view));
      continue;
    }
    const Step& step = *stage.step;
    const ByteSpan room = out.first(step.decoded.bytes);
    if (Status s = step.codec->decode(step, current, room, work, current)) {
      return {s, stage.stepIndex};
    }
    if (Status s = checkDecoded(step.decoded, current.size())) return {s, stage.stepIndex};
  }
  // Without a codec that moves data, nothing has checked the size so far.
  return {checkDecoded({viewBytes(plan.view()), !plan.isBytesOnly()}, current.size())};
}

/// Checks a placement against the chunk and the destination in 64-bit arithmetic, and converts it
/// to copy axes. Every element of the chunk is selected at most once, so that a placement has at
/// most as many elements as the chunk.
Status placementAxes(const Plan& plan, const Placement& placement, size_t destinationBytes,
                     CopyAxis* axes, size_t& srcOffset, bool& empty) {
  const ChunkView& view = plan.view();
  if (plan.isBytesOnly() || placement.axes.size() != view.rank) return Code::BadPlacement;
  uint64_t dstEnd = view.itemBytes;
  srcOffset = 0;
  empty = false;
  for (uint32_t i = 0; i < view.rank; i++) {
    const PlacementAxis& axis = placement.axes[i];
    if (axis.count == 0) {
      empty = true;
      return {};
    }
    if (axis.step == 0 && axis.count > 1) return Code::BadPlacement;
    // These fit in 64 bits, since the fields have 32; the sum over the axes may not.
    const uint64_t lastIndex = axis.start + uint64_t{axis.step} * (axis.count - 1);
    const uint64_t length = uint64_t{axis.dstStride} * (axis.count - 1);
    if (lastIndex >= view.shape[i] || !checkedAdd(dstEnd, length, dstEnd)) {
      return Code::BadPlacement;
    }
    srcOffset += size_t{axis.start} * view.stride[i];
    // With a single element the step is not used, and its product could overflow.
    axes[i] = {axis.count, axis.count > 1 ? axis.step * view.stride[i] : 0, axis.dstStride};
  }
  const bool fits = checkedAdd(dstEnd, placement.dstOffset, dstEnd) && dstEnd <= destinationBytes;
  return fits ? Status{} : Status{Code::BadPlacement};
}

/// True if the placement covers every element of the chunk.
bool isWholeChunk(const Plan& plan, const Placement& placement) {
  for (uint32_t i = 0; i < placement.axes.size(); i++) {
    if (placement.axes[i].count != plan.array().shape[i]) return false;
  }
  return true;
}

/// Runs the stages before `end` backwards. `current` is the input and then the result, which is
/// always in `out`.
ChainStatus runEncodeStages(const Plan& plan, size_t end, ByteSpan out, StageBuffers& buffers,
                            Workspace& work, ByteView& current) {
  const std::span<const Stage> stages = plan.stages();
  const uint8_t* const given = current.data();
  StageTargets targets(plan, buffers);
  for (size_t i = end; i-- > 0;) {
    const Stage& stage = stages[i];
    if (!stage.step && isContiguousNative(stage.view)) continue;
    ByteSpan target = out;
    if (i > 0) {
      if (Status s = targets.next(current, target)) return {s, stage.stepIndex};
    }
    if (!stage.step) {
      const uint8_t* const from = current.data();
      if (Status s = copyLayout(stage.view, true, from, target.data(), buffers.copy)) return {s};
      current = target.first(viewBytes(stage.view));
      continue;
    }
    const Step& step = *stage.step;
    if (!step.codec->encode) return {Code::EncodeUnsupported, stage.stepIndex};
    const ByteSpan room = target.first(step.encoded.bytes);
    if (Status s = step.codec->encode(step, current, room, work, current)) {
      return {s, stage.stepIndex};
    }
  }
  if (current.data() == given && given != out.data()) {  // no stage moved the data
    if (!current.empty()) std::memcpy(out.data(), current.data(), current.size());
    current = out.first(current.size());
  }
  return {};
}

/// Writes the fill value to every element of the last stage's input.
Status fillLayout(const Plan& plan, uint8_t* out) {
  const ChunkView& view = plan.view();
  CopyAxis axes[kMaxRank];
  for (uint32_t i = 0; i < view.rank; i++) axes[i] = {view.shape[i], 0, view.stride[i]};
  StridedCopy copy;
  if (Status s = prepareStridedCopy({axes, view.rank}, view.itemBytes, view.swapBytes, copy)) {
    return s;
  }
  runStridedCopy(copy, plan.fillItem(), out, nullptr);
  return {};
}

/// True if `length` items, `stride` bytes apart, all equal `item`.
bool equalsItem(const uint8_t* at, size_t length, size_t stride, ByteView item) {
  if (stride == item.size()) {
    // The first equals `item` and each equals its predecessor: compare the row with itself,
    // shifted.
    return std::memcmp(at, item.data(), item.size()) == 0 &&
           std::memcmp(at, at + stride, (length - 1) * stride) == 0;
  }
  for (size_t i = 0; i < length; i++) {
    if (std::memcmp(at + i * stride, item.data(), item.size()) != 0) return false;
  }
  return true;
}

/// The same over several axes, the last innermost; all lengths are at least 1.
bool equalsItem(const uint8_t* at, std::span<const CopyAxis> axes, ByteView item) {
  if (axes.empty()) return std::memcmp(at, item.data(), item.size()) == 0;
  const CopyAxis& inner = axes.back();
  size_t index[kMaxRank] = {};
  for (;;) {
    if (!equalsItem(at, inner.length, inner.dstStride, item)) return false;
    size_t axis = axes.size() - 1;
    for (;;) {
      if (axis == 0) return true;
      axis--;
      at += axes[axis].dstStride;
      if (++index[axis] < axes[axis].length) break;
      at -= axes[axis].dstStride * axes[axis].length;
      index[axis] = 0;
    }
  }
}

}  // namespace

ChainStatus decodeChunk(const Plan& plan, ByteView encoded, ByteSpan out, StageBuffers& stages,
                        Workspace& work, ByteView& result) {
  ByteView current = encoded;
  const ByteSpan last = plan.isPlain() ? out : ByteSpan{};
  if (ChainStatus s = runDecodeStages(plan, current, last, stages, work)) return s;
  result = out.first(current.size());
  if (!plan.isPlain()) {
    return {copyLayout(plan.view(), false, current.data(), out.data(), stages.copy)};
  }
  // A bytes-only chunk may be empty, or start anywhere in `out`.
  if (current.data() != out.data() && !current.empty()) {
    std::memmove(out.data(), current.data(), current.size());
  }
  return {};
}

ChainStatus decodePlaced(const Plan& plan, ByteView encoded, const Placement& placement,
                         ByteSpan destination, StageBuffers& stages, Workspace& work) {
  CopyAxis axes[kMaxRank];
  size_t srcOffset = 0;
  bool empty = false;
  if (Status s = placementAxes(plan, placement, destination.size(), axes, srcOffset, empty)) {
    return {s};
  }
  const ChunkView& view = plan.view();
  StridedCopy copy;
  if (!empty) {
    const std::span<const CopyAxis> used(axes, view.rank);
    if (Status s = prepareStridedCopy(used, view.itemBytes, view.swapBytes, copy)) return {s};
  }
  ByteView current = encoded;
  ByteSpan last;
  if (!empty && isWholeChunk(plan, placement) && isPlainCopy(copy)) {
    last = destination.subspan(placement.dstOffset, plan.array().bytes());
  }
  if (ChainStatus s = runDecodeStages(plan, current, last, stages, work)) return s;
  if (empty) return {};
  uint8_t* to = destination.data() + placement.dstOffset;
  if (current.data() == to) return {};
  runStridedCopy(copy, current.data() + srcOffset, to, &stages.copy);
  return {};
}

Status fillPlaced(const Plan& plan, const Placement& placement, ByteSpan destination) {
  CopyAxis axes[kMaxRank];
  size_t srcOffset = 0;
  bool empty = false;
  if (Status s = placementAxes(plan, placement, destination.size(), axes, srcOffset, empty)) {
    return s;
  }
  if (empty) return {};
  const ChunkView& view = plan.view();
  for (uint32_t i = 0; i < view.rank; i++) axes[i].srcStride = 0;
  StridedCopy copy;
  if (Status s = prepareStridedCopy({axes, view.rank}, view.itemBytes, 1, copy)) return s;
  runStridedCopy(copy, plan.fillItem(), destination.data() + placement.dstOffset, nullptr);
  return {};
}

Status isFillPlaced(const Plan& plan, const Placement& placement, ByteView source, bool& isFill) {
  CopyAxis axes[kMaxRank];
  size_t chunkOffset = 0;
  bool empty = false;
  if (Status s = placementAxes(plan, placement, source.size(), axes, chunkOffset, empty)) return s;
  const ChunkView& view = plan.view();
  isFill = empty || equalsItem(source.data() + placement.dstOffset, {axes, view.rank},
                               {plan.fillItem(), view.itemBytes});
  return {};
}

ChainStatus encodePlaced(const Plan& plan, ByteView source, const Placement& placement,
                         ByteSpan out, StageBuffers& buffers, Workspace& work, ByteView& result) {
  CopyAxis axes[kMaxRank];
  size_t chunkOffset = 0;
  bool empty = false;
  if (Status s = placementAxes(plan, placement, source.size(), axes, chunkOffset, empty)) {
    return {s};
  }
  const ChunkView& view = plan.view();
  const bool isWhole = !empty && isWholeChunk(plan, placement);
  StridedCopy copy;
  if (!empty) {
    for (uint32_t i = 0; i < view.rank; i++) std::swap(axes[i].srcStride, axes[i].dstStride);
    const std::span<const CopyAxis> used(axes, view.rank);
    if (Status s = prepareStridedCopy(used, view.itemBytes, view.swapBytes, copy)) return {s};
  }
  const size_t last = plan.stages().size() - 1;
  const size_t bytes = viewBytes(view);
  if (isWhole && isPlainCopy(copy)) {
    result = source.subspan(placement.dstOffset, bytes);
    return runEncodeStages(plan, last, out, buffers, work, result);
  }
  StageTargets targets(plan, buffers);
  ByteSpan target = out;
  if (last > 0) {
    if (Status s = targets.next({}, target)) return {s};
  }
  if (!isWhole) {
    if (Status s = fillLayout(plan, target.data())) return {s};
  }
  if (!empty) {
    const uint8_t* const from = source.data() + placement.dstOffset;
    uint8_t* const to = target.data() + chunkOffset;
    runStridedCopy(copy, from, to, &buffers.copy);
  }
  result = target.first(bytes);
  return runEncodeStages(plan, last, out, buffers, work, result);
}

ChainStatus encodeChunk(const Plan& plan, ByteView decoded, ByteSpan out, StageBuffers& buffers,
                        Workspace& work, ByteView& result) {
  if (Status s = checkDecoded(plan.decodedSize(), decoded.size())) return {s};
  result = decoded;
  return runEncodeStages(plan, plan.stages().size(), out, buffers, work, result);
}

}  // namespace zw
