// Plan: a codec chain bound to one array, checked and sized once, then run for every chunk.
//
// TypeScript writes a plan as 32-bit words (web/src/engine/plan.ts). The core does not trust them:
// every word is checked again here.
//
//   words = [ kPlanVersion,
//             flags (PlanFlag),
//             dtype id, item bytes, number of component runs, (component bytes, count)…,
//             rank, shape…,
//             fill value as item bytes, padded to whole words,
//             number of codecs, (codec id, number of parameters, parameters…)… ]
//
// Codecs are in encoding order, as in Zarr metadata: AA* AB BB*.
//
// kBytesOnly: the plan holds only bytes→bytes codecs, possibly none. Its array is uint8 of rank 1
// and represents bytes of unknown length: its length is the maximum that a chunk may decode to.
// Decoding yields any number of bytes up to it (more is LimitExceeded), encoding accepts any number
// up to it, and all memory is sized by it.
//
// kSkipChecksums: codecs do not verify checksums of the data (crc32c …, gzip, zlib, zstd, xz).
// Sizes and headers are still checked. libbz2 always verifies its checksums.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "base/status.hpp"
#include "codecs/chunk_view.hpp"
#include "codecs/codec.hpp"
#include "codecs/step_pool.hpp"
#include "kernels/strided_copy.hpp"

namespace zw {

inline constexpr uint32_t kPlanVersion = 2;

enum PlanFlag : uint32_t { kBytesOnly = 1, kSkipChecksums = 2 };

/// Step number of errors that are not a codec's.
inline constexpr uint32_t kNoStep = 0xffffffff;

/// A status and the position in the chain of the codec that returned it.
struct [[nodiscard]] ChainStatus {
  Status status;
  uint32_t step = kNoStep;
  explicit operator bool() const { return static_cast<bool>(status); }
};

/// One pass of a run, in decoding order. Encoding runs the stages backwards.
struct Stage {
  const Step* step = nullptr;  // the codec that moves data; null for a copy between layouts
  uint32_t stepIndex = kNoStep;
  ChunkView view;  // layout copies: where the decoded elements lie in the encoded bytes
};

class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Reads, checks and copies `words`; `maxChunkBytes` limits the decoded chunk. After a failure
  /// the plan must be discarded.
  ChainStatus prepare(std::span<const uint32_t> words, uint64_t maxChunkBytes);

  /// The decoded chunk: C order, native byte order.
  const ArrayInfo& array() const { return array_; }
  /// The fill value: one element of array().itemBytes bytes.
  const uint8_t* fillItem() const { return fillItem_; }
  /// The fill value after all array→array codecs: one element of the array→bytes codec's input.
  ByteView encodedFillItem() const { return {encodedFillItem_, encodedItemBytes_}; }
  /// Stages in decoding order; the last is always a layout copy into the decoded chunk.
  std::span<const Stage> stages() const { return {stages_, stageCount_}; }
  /// Layout of the decoded chunk's elements in the last stage's input.
  const ChunkView& view() const { return stages_[stageCount_ - 1].view; }
  /// True for plans of bytes→bytes codecs only; array().bytes() is then an upper bound.
  bool isBytesOnly() const { return isBytesOnly_; }
  /// Size of a decoded chunk: array().bytes(), exact unless isBytesOnly().
  Size decodedSize() const { return {array_.bytes(), !isBytesOnly_}; }
  /// True if view() is C order and native byte order, so that the last copy can be skipped.
  bool isPlain() const { return isPlain_; }
  /// Size of an encoded chunk, or its upper bound.
  Size encodedSize() const { return encodedSize_; }
  /// Maximum number of bytes between two stages, in either direction.
  size_t stageBytes() const { return stageBytes_; }

 private:
  ChainStatus readFlags(class WordReader& reader);
  ChainStatus readArray(class WordReader& reader, uint64_t maxChunkBytes);
  ChainStatus readSteps(class WordReader& reader);
  Status mapFill(Step& step);
  ChainStatus prepareStep(uint32_t index, CodecKind& position, const ArrayInfo*& array, Size& size);
  ChainStatus buildStages();
  void addLayout(const ChunkView& view);

  Buffer words_;
  Buffer components_;
  Buffer steps_;
  StepPool pool_;
  Buffer stagesBuffer_;
  ArrayInfo array_;
  const uint8_t* fillItem_ = nullptr;
  const uint8_t* encodedFillItem_ = nullptr;
  uint32_t encodedItemBytes_ = 0;
  Step* step_ = nullptr;
  uint32_t stepCount_ = 0;
  Stage* stages_ = nullptr;
  uint32_t stageCount_ = 0;
  bool isPlain_ = false;
  bool isBytesOnly_ = false;
  bool verifiesChecksums_ = true;
  Size encodedSize_;
  size_t stageBytes_ = 0;
};

/// True if the elements of `view` lie in C order without gaps, in native byte order.
bool isContiguousNative(const ChunkView& view);

}  // namespace zw
