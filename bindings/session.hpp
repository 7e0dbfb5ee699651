// Session: the interface of the core for one JavaScript thread, with functions that take and return
// integers; bindings.cpp wraps decode and encode in typed arrays. It owns all memory; JavaScript only borrows views of it (docs/memory.md).
#pragma once

#include <cstdint>
#include <memory>

#include "chain/run.hpp"
#ifdef ZW_FULL_MODULE
#include "codecs/zstd_frame.hpp"
#include "kernels/reduce.hpp"
#endif
#ifdef ZW_RARE_CODECS
#include "kernels/histogram.hpp"
#endif

namespace zw {

class Session {
 public:
  explicit Session(uint32_t maxChunkBytes);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Addresses are byte offsets into the module's memory; 0 means out of memory. Each stays valid
  // until the same function is called with a larger size.

  /// Reserves `bytes` bytes for the input: an encoded chunk, or a decoded one for encode.
  uintptr_t reserveInput(uint32_t bytes);
  /// Reserves `count` 32-bit words for a plan or a placement.
  uintptr_t reserveWords(uint32_t count);

  /// Prepares the plan in the first `count` words. Returns its number, or -1 (see errorCode).
  int32_t prepare(uint32_t count);
  /// Destroys a plan; its number may be reused.
  void release(uint32_t plan);
  /// Size of the plan's decoded chunk (the maximum, for bytes-only plans); 0 if there is no such
  /// plan.
  uint32_t decodedBytes(uint32_t plan) const;

  // The following return a status code (status_list.inc). errorStep() and errorAt() describe a
  // failure.

  /// Decodes `bytes` bytes of input into the output buffer: decodedBytes(plan) bytes, or
  /// outputBytes() for bytes-only plans.
  uint32_t decode(uint32_t plan, uint32_t bytes);
  /// Decodes chunks in the first `bytes` bytes of input and writes a part of each to a slab, until
  /// one fails. The words are placements: [slab, number of axes, then `count` times (position of the
  /// chunk in the input, its length, offset in the slab, (start, step, count, stride in the slab)
  /// for each axis)…]. A length of 0xffffffff writes the plan's fill value.
  uint32_t placeChunks(uint32_t plan, uint32_t count, uint32_t bytes);
  /// Encodes a chunk from elements of a slab, selected by a placement as in placeChunks, into the
  /// output buffer; outputBytes() is the size. Other elements are the fill value.
  uint32_t encodePlaced(uint32_t plan);
  /// Returns 1 if all elements that encodePlaced would read equal the plan's fill value, 0 if not,
  /// and 2 on failure (see errorCode).
  uint32_t isFillPlaced(uint32_t plan);
  /// Encodes `bytes` bytes of input (decodedBytes(plan), or at most that many for bytes-only plans)
  /// into the output buffer; outputBytes() is the size.
  uint32_t encode(uint32_t plan, uint32_t bytes);

#ifdef ZW_FULL_MODULE
  /// Reduces blocks of a box, the first `bytes` bytes of the input, to elements in the output
  /// buffer; outputBytes() is the size. The words: [method, number, 1 if means are rounded to odd,
  /// bytes per element, number of axes, (length, factor)…] (kernels/reduce.hpp).
  uint32_t reduce(uint32_t bytes);

  // One zstd frame, decoded piece by piece, however much it holds. No other call may come between.

  /// Starts a frame. The dictionary is the first `dictionaryBytes` bytes of the input; 0 = none.
  uint32_t startFrame(uint32_t dictionaryBytes);
  /// Passes the first `bytes` bytes of the input to the frame.
  uint32_t feedFrame(uint32_t bytes);
  /// Decodes a piece into the output buffer; outputBytes() is 0 if more input is needed.
  uint32_t readFrame();
  /// Fails with Truncated unless the frame has ended.
  uint32_t endFrame();
#endif

#ifdef ZW_RARE_CODECS
  // Reductions to a state (kernels/accumulate.hpp). States are slabs; `bytes` bytes of input are tables.

  /// Adds a box, a slab, to a state. The words: [box, state, request…] (readAccumulation).
  uint32_t accumulate(uint32_t bytes);
  /// Adds the elements of another state, the input, to a state; without input, clears the state. The
  /// words: [state, form…] (readStateForm).
  uint32_t mergeState(uint32_t bytes);
  /// Adds a box to a histogram. The words: [box, slab of counts, request…] (readHistogram).
  uint32_t histogram(uint32_t bytes);
#endif

  uintptr_t outputAddress() const {
    return reinterpret_cast<uintptr_t>(output_.data());
  }
  uint32_t outputBytes() const {
    return outputBytes_;
  }

  /// Allocates a slab, in which a part of a result is assembled from several chunks. Returns its
  /// number, or 0 if out of memory. The contents are unspecified.
  uint32_t makeSlab(uint32_t bytes);
  uintptr_t slabAddress(uint32_t slab) const;
  void freeSlab(uint32_t slab);

  uint32_t errorCode() const {
    return static_cast<uint32_t>(error_.status.code);
  }
  /// Position in the chain of the codec that failed, or 0xffffffff.
  uint32_t errorStep() const {
    return error_.step;
  }
  /// Byte offset in the input at which the error was detected, if known.
  uint32_t errorAt() const {
    return error_.status.at;
  }

 private:
  static constexpr uint32_t kMaxPlans = 1024;
  static constexpr uint32_t kMaxSlabs = 256;

  /// A plan, and the placements in a slab that the words describe.
  struct Target {
    const Plan* plan = nullptr;
    ByteSpan slab;
    std::span<const uint32_t> words;  // the placements that were not read yet
    // The placement that was read last:
    PlacementAxis axes[kMaxRank];
    Placement placement;
    uint32_t position = 0;
    uint32_t bytes = 0;
  };

  const Plan* findPlan(uint32_t plan) const {
    return plan < kMaxPlans ? plans_[plan].get() : nullptr;
  }
  bool findSlab(uint32_t slab, ByteSpan& bytes) const;
  ChainStatus addPlan(uint32_t count, uint32_t& plan);
  Code readTarget(uint32_t plan, Target& target) const;
  static Code readPlacement(Target& target);
  ChainStatus placeNext(Target& target, ByteView input);
#ifdef ZW_FULL_MODULE
  Status readReduction(BlockReduction& reduction) const;
#endif
#ifdef ZW_RARE_CODECS
  WordReader kernelWords() const {
    return WordReader({reinterpret_cast<const uint32_t*>(words_.data()), wordCount_});
  }
  Status findBoxes(WordReader& words, ByteSpan& box, ByteSpan& state) const;
  Status addToState(uint32_t bytes);
  Status addState(uint32_t bytes);
  Status addToHistogram(uint32_t bytes);
#endif
  uint32_t finish(ChainStatus status);
  uint32_t finish(ChainStatus status, ByteView output);

  uint64_t maxChunkBytes_;
  Buffer input_;
  Buffer output_;
  Buffer words_;
  uint32_t outputBytes_ = 0;
  uint32_t wordCount_ = 0;
  StageBuffers stages_;
  Workspace work_;
#ifdef ZW_FULL_MODULE
  ZstdFrame frame_;
#endif
  ChainStatus error_;
  std::unique_ptr<Plan> plans_[kMaxPlans];
  Buffer slabs_[kMaxSlabs];
};

}  // namespace zw
