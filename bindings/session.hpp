// Session: everything one thread of JavaScript needs of the core, behind calls that take and return
// integers. It owns all memory; JavaScript only borrows views of it (docs/memory.md).
#pragma once

#include <cstdint>
#include <memory>

#include "chain/run.hpp"
#ifdef ZW_FULL_MODULE
#include "codecs/zstd_frame.hpp"
#endif

namespace zw {

class Session {
 public:
  explicit Session(double maxChunkBytes);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Addresses below are byte offsets into the module's memory; 0 means out of
  // memory. Each stays valid until the same function is called with a larger size, or trim().

  /// Room for `bytes` bytes of input (an encoded or, for encode, a decoded chunk).
  uintptr_t reserveInput(uint32_t bytes);
  /// Room for `bytes` bytes of output. decode, and encode before it writes, reserve it themselves.
  uintptr_t reserveOutput(uint32_t bytes);
  /// Room for `count` 32-bit words: a plan to prepare, or a placement.
  uintptr_t reserveWords(uint32_t count);

  /// Prepares the plan in the first `count` words. Returns its number, or -1 (see errorCode).
  int32_t prepare(uint32_t count);
  /// Forgets a plan; its number may be given to another.
  void release(uint32_t plan);
  /// Bytes of the plan's decoded chunk (the most, for bytes-only plans); 0 for no such plan.
  uint32_t decodedBytes(uint32_t plan) const;

  // Each returns a status code (status_list.inc); errorStep and errorAt say more when it is not Ok.

  /// Decodes `bytes` bytes of input into the output buffer, decodedBytes(plan) of them; for
  /// bytes-only plans outputBytes says how many.
  uint32_t decode(uint32_t plan, uint32_t bytes);
  /// Decodes `bytes` bytes of input and places a part of it in a slab, as the words say:
  /// [slab, offset in it, number of axes, (start, step, count, destination stride)…].
  uint32_t decodePlaced(uint32_t plan, uint32_t bytes);
  /// Writes the plan's fill value where decodePlaced would write elements.
  uint32_t fillPlaced(uint32_t plan);
  /// Encodes a chunk from the elements of a slab, as the words say: [slab, offset in it, (start,
  /// step, count, stride in the slab)…]; other elements are fill value. See encode for the output.
  uint32_t encodePlaced(uint32_t plan);
  /// 1 where all the elements that encodePlaced would read are the plan's fill value, 0 where one
  /// is not, 2 for a failure (see errorCode).
  uint32_t isFillPlaced(uint32_t plan);
  /// Encodes the `bytes` bytes of input, decodedBytes(plan) or for bytes-only plans at most that
  /// many, into the output buffer; outputBytes says how many.
  uint32_t encode(uint32_t plan, uint32_t bytes);

#ifdef ZW_FULL_MODULE
  // One zstd frame, decoded piece by piece, however much it holds. No other call may come between.

  /// Begins a frame whose dictionary is the first bytes of the input; none for 0.
  uint32_t startFrame(uint32_t dictionaryBytes);
  /// Gives it the next bytes, those of the input.
  uint32_t feedFrame(uint32_t bytes);
  /// Decodes what it can into the output buffer; outputBytes is 0 where more bytes are needed.
  uint32_t readFrame();
  /// Truncated unless the frame has ended with the bytes that it was given.
  uint32_t endFrame();
#endif

  uintptr_t outputAddress() const {
    return reinterpret_cast<uintptr_t>(output_.data());
  }
  uint32_t outputBytes() const {
    return outputBytes_;
  }

  /// Makes a slab: memory in which a part of a result is put together from several chunks. Returns
  /// its number (never 0), or 0 without memory. Its contents are undefined at first.
  uint32_t makeSlab(uint32_t bytes);
  uintptr_t slabAddress(uint32_t slab) const;
  void freeSlab(uint32_t slab);

  uint32_t errorCode() const {
    return static_cast<uint32_t>(error_.status.code);
  }
  /// Position in the chain of the codec that failed; 0xffffffff for none.
  uint32_t errorStep() const {
    return error_.step;
  }
  /// Input byte at which the trouble was noticed, if known.
  uint32_t errorAt() const {
    return error_.status.at;
  }

  /// Gives back buffers and library contexts (plans and slabs stay).
  void trim();

 private:
  static constexpr uint32_t kMaxPlans = 1024;
  static constexpr uint32_t kMaxSlabs = 256;

  /// A plan, and the placement in a slab that the words describe.
  struct Target {
    const Plan* plan = nullptr;
    PlacementAxis axes[kMaxRank];
    Placement placement;
    ByteSpan slab;
  };

  const Plan* findPlan(uint32_t plan) const {
    return plan < kMaxPlans ? plans_[plan].get() : nullptr;
  }
  bool findSlab(uint32_t slab, ByteSpan& bytes) const;
  ChainStatus addPlan(uint32_t count, uint32_t& plan);
  Status readTarget(uint32_t plan, Target& target) const;
  Status checkFill(uint32_t plan, bool& isFill) const;
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
