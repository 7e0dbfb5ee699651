#include "chain/plan.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/word_reader.hpp"

namespace zw {

namespace {

bool isComponentWidth(uint32_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/// Checks that the component runs add up to the item and have the data type's component width, if
/// it has one.
Status checkComponents(std::span<const Component> runs, const DTypeInfo& dtype,
                       uint32_t itemBytes) {
  uint64_t total = 0;
  for (const Component& run : runs) {
    if (!isComponentWidth(run.bytes) || run.count == 0) return Code::BadPlan;
    if (dtype.componentBytes && run.bytes != dtype.componentBytes) return Code::BadPlan;
    total += uint64_t{run.bytes} * run.count;
  }
  return total == itemBytes ? Status{} : Status{Code::BadPlan};
}

/// Sets shape and itemCount. The array may have at most `maxBytes` bytes.
Status setShape(ArrayInfo& array, std::span<const uint32_t> shape, uint64_t maxBytes) {
  uint64_t bytes = array.itemBytes;
  array.rank = static_cast<uint32_t>(shape.size());
  for (uint32_t axis = 0; axis < array.rank; axis++) {
    if (shape[axis] == 0) return Code::BadPlan;
    array.shape[axis] = shape[axis];
    if (!checkedMul(bytes, shape[axis], bytes) || bytes > maxBytes) return Code::LimitExceeded;
  }
  if (bytes > maxBytes) return Code::LimitExceeded;
  array.itemCount = static_cast<size_t>(bytes / array.itemBytes);
  return {};
}

}  // namespace

bool isContiguousNative(const ChunkView& view) {
  if (view.swapBytes != 1) return false;
  size_t stride = view.itemBytes;
  for (uint32_t axis = view.rank; axis-- > 0;) {
    if (view.shape[axis] != 1 && view.stride[axis] != stride) return false;
    stride *= view.shape[axis];
  }
  return true;
}

ChainStatus Plan::readFlags(WordReader& reader) {
  const uint32_t flags = reader.next();
  if (flags & ~uint32_t{kBytesOnly | kSkipChecksums}) return {Code::BadPlan};
  isBytesOnly_ = flags & kBytesOnly;
  verifiesChecksums_ = !(flags & kSkipChecksums);
  return {};
}

ChainStatus Plan::readArray(WordReader& reader, uint64_t maxChunkBytes) {
  const DTypeInfo* dtype = dtypeInfo(reader.next());
  if (!dtype) return {Code::UnknownDataType};
  array_.dtype = static_cast<DTypeId>(dtype - dtypeInfo(0));
  array_.itemBytes = reader.next();
  if (array_.itemBytes == 0 || (dtype->itemBytes && array_.itemBytes != dtype->itemBytes)) {
    return {Code::BadPlan};
  }
  if (array_.itemBytes > kMaxItemBytes) return {Code::LimitExceeded};

  const uint32_t runs = reader.next();
  if (runs == 0) return {Code::BadPlan};
  if (runs > kMaxSwapRuns) return {Code::LimitExceeded};
  const std::span<const uint32_t> pairs = reader.take(size_t{2} * runs);
  if (!reader.ok()) return {Code::BadPlan};
  Component* components = makeArray<Component>(components_, runs);
  if (!components) return {Code::OutOfMemory};
  for (uint32_t i = 0; i < runs; i++) components[i] = {pairs[2 * i], pairs[2 * i + 1]};
  array_.components = {components, runs};
  if (Status s = checkComponents(array_.components, *dtype, array_.itemBytes)) return {s};

  const uint32_t rank = reader.next();
  if (rank > kMaxRank) return {Code::LimitExceeded};
  const std::span<const uint32_t> shape = reader.take(rank);
  const std::span<const uint32_t> fill = reader.take((array_.itemBytes + 3) / 4);
  if (!reader.ok()) return {Code::BadPlan};
  fillItem_ = reinterpret_cast<const uint8_t*>(fill.data());
  encodedFillItem_ = fillItem_;
  if (isBytesOnly_ && (array_.dtype != DTypeId::Uint8 || rank != 1)) return {Code::BadPlan};
  return {setShape(array_, shape, maxChunkBytes)};
}

/// Applies an array→array codec to the fill value.
Status Plan::mapFill(Step& step) {
  if (!step.codec->mapFill) return {};
  if (Status s = step.codec->mapFill(step, encodedFillItem_, step.encodedFill)) return s;
  encodedFillItem_ = step.encodedFill;
  return {};
}

/// Prepares step `index` and advances the state to the next one: `position` is the kind of the
/// previous codec (AA at the start), `array` the input of an AA or AB codec, `size` that of a BB
/// codec.
ChainStatus Plan::prepareStep(uint32_t index, CodecKind& position, const ArrayInfo*& array,
                              Size& size) {
  Step& step = step_[index];
  const CodecKind kind = step.codec->kind;
  const bool afterBytes = position != CodecKind::ArrayToArray;
  if (afterBytes != (kind == CodecKind::BytesToBytes)) return {Code::BadOrder, index};
  position = kind;
  if (kind == CodecKind::BytesToBytes) {
    step.decoded = size;
  } else {
    step.decodedArray = *array;
    step.decoded = {array->bytes(), true};
  }
  step.pool = &pool_;
  step.verifiesChecksums = verifiesChecksums_;
  if (Status s = step.codec->prepare(step)) return {s, index};
  if (kind == CodecKind::ArrayToArray) {
    step.encoded = {step.encodedArray.bytes(), true};
    array = &step.encodedArray;
    if (Status s = mapFill(step)) return {s, index};
  }
  if (kind != CodecKind::BytesToBytes) encodedItemBytes_ = array->itemBytes;
  size = step.encoded;
  // Buffers are sized by these numbers, so they must fit 32 bits on wasm32 with room to spare.
  if (uint64_t{size.bytes} > uint64_t{UINT32_MAX} / 2) return {Code::LimitExceeded, index};
  return {};
}

ChainStatus Plan::readSteps(WordReader& reader) {
  stepCount_ = reader.next();
  if (!reader.ok()) return {Code::BadPlan};
  if (stepCount_ > kMaxChainLength) return {Code::LimitExceeded};
  step_ = makeArray<Step>(steps_, stepCount_);
  if (!step_) return {Code::OutOfMemory};

  CodecKind position = isBytesOnly_ ? CodecKind::ArrayToBytes : CodecKind::ArrayToArray;
  const ArrayInfo* array = &array_;
  Size size = decodedSize();
  for (uint32_t i = 0; i < stepCount_; i++) {
    const uint32_t id = reader.next();
    step_[i].codec = findCodec(id);
    step_[i].params = reader.take(reader.next());
    if (!reader.ok()) return {Code::BadPlan, i};
    if (!step_[i].codec) return {Code::UnknownCodec, i};
    if (ChainStatus s = prepareStep(i, position, array, size)) return s;
  }
  if (!reader.atEnd()) return {Code::BadPlan};
  if (position == CodecKind::ArrayToArray) return {Code::BadOrder};  // array→bytes codec missing
  encodedSize_ = size;
  return {};
}

/// Adds a copy from the layout `view` unless the copy would be the identity.
void Plan::addLayout(const ChunkView& view) {
  if (isContiguousNative(view)) return;
  stages_[stageCount_++].view = view;
}

/// Walks the chain from the encoded side. Codecs that only relabel accumulate in `view`. Codecs
/// that move data need their input in C order, so the view is flushed into a copy before them.
ChainStatus Plan::buildStages() {
  // At most one copy before each codec and one after the last.
  stages_ = makeArray<Stage>(stagesBuffer_, size_t{2} * stepCount_ + 1);
  if (!stages_) return {Code::OutOfMemory};
  ChunkView view;
  if (isBytesOnly_) makeContiguous(view, 1, array_.shape.data(), 1);
  for (uint32_t i = stepCount_; i-- > 0;) {
    const Step& step = step_[i];
    if (step.codec->kind == CodecKind::ArrayToBytes) {
      const ArrayInfo& array = step.decodedArray;
      makeContiguous(view, array.rank, array.shape.data(), array.itemBytes);
    }
    if (step.codec->relabel) {
      step.codec->relabel(step, view);
      continue;
    }
    if (step.codec->kind == CodecKind::ArrayToArray) {
      addLayout(view);
      const ArrayInfo& array = step.decodedArray;
      makeContiguous(view, array.rank, array.shape.data(), array.itemBytes);
      view.swapBytes = 1;
    }
    stages_[stageCount_].step = &step;
    stages_[stageCount_++].stepIndex = i;
  }
  isPlain_ = isContiguousNative(view);
  stages_[stageCount_++].view = view;
  stageBytes_ = array_.bytes();
  for (uint32_t i = 0; i < stepCount_; i++) {
    stageBytes_ = std::max({stageBytes_, step_[i].decoded.bytes, step_[i].encoded.bytes});
  }
  return {};
}

ChainStatus Plan::prepare(std::span<const uint32_t> words, uint64_t maxChunkBytes) {
  if (words.empty()) return {Code::BadPlan};
  if (words.size() > kMaxPlanWords) return {Code::LimitExceeded};
  if (Status s = words_.reserve(words.size_bytes())) return {s};
  std::memcpy(words_.data(), words.data(), words.size_bytes());
  WordReader reader({reinterpret_cast<const uint32_t*>(words_.data()), words.size()});
  if (reader.next() != kPlanVersion) return {Code::BadPlan};
  if (ChainStatus s = readFlags(reader)) return s;
  if (ChainStatus s = readArray(reader, maxChunkBytes)) return s;
  if (ChainStatus s = readSteps(reader)) return s;
  return buildStages();
}

}  // namespace zw
