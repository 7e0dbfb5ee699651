// Plan: a codec chain bound to one array, checked and sized once, then run for every chunk.
//
// TypeScript writes a plan as 32-bit words (web/src/engine/plan.ts), and trusts nothing to be
// believed here: every word is checked again.
//
//   words = [ kPlanVersion,
//             flags (PlanFlag),
//             dtype id, item bytes, number of component runs, (component bytes, count)…,
//             rank, shape…,
//             fill value as item bytes, padded to whole words,
//             number of codecs, (codec id, number of parameters, parameters…)… ]
//
// Codecs stand in encoding order, as in Zarr metadata: AA* AB BB*.
//
// A plan with the flag BytesOnly holds bytes→bytes codecs alone, possibly none. Its array is uint8
// of rank 1 and stands for bytes whose number is not known beforehand: the length is the most that
// a chunk may decode to. Decoding yields any number of bytes up to it (more is LimitExceeded),
// encoding accepts any number up to it. All memory is sized by the bound, as elsewhere by the
// chunk.
//
// With the flag SkipChecksums the codecs of the plan do not verify checksums of the data (crc32c …,
// gzip, zlib, zstd, xz); sizes and headers are checked as ever. bzip2's library cannot skip them.
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

/// Step number in errors that belong to no codec.
inline constexpr uint32_t kNoStep = 0xffffffff;

/// A status and the codec (position in the chain) that it comes from.
struct [[nodiscard]] ChainStatus {
  Status status;
  uint32_t step = kNoStep;
  explicit operator bool() const { return static_cast<bool>(status); }
};

/// One action of a run, in decoding order. Encoding walks the stages backwards.
struct Stage {
  const Step* step = nullptr;  // the codec that moves data; null for a copy between layouts
  uint32_t stepIndex = kNoStep;
  ChunkView view;  // layout copies: where the decoded side's elements lie in the encoded side
};

class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Reads and checks `words` (copied); `maxChunkBytes` bounds the decoded chunk. On failure the
  /// plan must be thrown away.
  ChainStatus prepare(std::span<const uint32_t> words, uint64_t maxChunkBytes);

  /// The decoded chunk: C order, native byte order.
  const ArrayInfo& array() const { return array_; }
  /// One element of fill value, array().itemBytes bytes.
  const uint8_t* fillItem() const { return fillItem_; }
  /// The same after all array→array codecs: one element as the array→bytes codec is given it.
  ByteView encodedFillItem() const { return {encodedFillItem_, encodedItemBytes_}; }
  /// Stages in decoding order; the last one is always a layout copy into the decoded chunk.
  std::span<const Stage> stages() const { return {stages_, stageCount_}; }
  /// Layout of the decoded chunk's elements in the last stage's input.
  const ChunkView& view() const { return stages_[stageCount_ - 1].view; }
  /// True where the chain holds bytes→bytes codecs alone; array().bytes() is then an upper bound.
  bool isBytesOnly() const { return isBytesOnly_; }
  /// What a chunk decodes to: the array's bytes, exactly or at most.
  Size decodedSize() const { return {array_.bytes(), !isBytesOnly_}; }
  /// True where that layout is the decoded chunk itself, so that the last copy can be left out.
  bool isPlain() const { return isPlain_; }
  /// Size of the bytes that a chunk is encoded to, or their upper bound.
  Size encodedSize() const { return encodedSize_; }
  /// Most bytes between two stages, in either direction.
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

/// True where the elements of `view` lie without gaps in C order and native byte order.
bool isContiguousNative(const ChunkView& view);

}  // namespace zw
