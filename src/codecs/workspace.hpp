// Workspace: memory and library contexts that codecs reuse from chunk to chunk. One per session,
// never shared between threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/limits.hpp"

namespace zw {

/// Scratch buffers, named after the code that uses them. A codec owns its slot while it runs.
enum class ScratchSlot : uint8_t {
  BloscBlock,
  BloscStage,
  Codec,
  Image,
  NestedFirst,  // two per depth of nested codecs
  NestedLast = NestedFirst + 2 * kMaxNesting - 1,
  Count
};

/// Library contexts, created at first use.
enum class ContextId : uint8_t {
  Inflate,
  ZstdDecode,
  Deflate,
  ZstdEncode,
  Lz4Encode,
  Lz4hcEncode,
  Lzma,
  FitsRandom,
  Count
};

class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { releaseAll(); }

  /// Limits each scratch buffer to `bytes`; larger requests fail with LimitExceeded.
  void setScratchLimit(size_t bytes) { scratchLimit_ = bytes; }

  /// Sets the scratch limit for chunks of at most `maxChunkBytes`, so that no header can request
  /// more than the array itself needs. Codecs size their scratch by the chunk or by its encoded
  /// bound, and never use more than twice that.
  void setChunkLimit(uint64_t maxChunkBytes) {
    const uint64_t bytes = 2 * maxChunkBytes + (1 << 20);
    setScratchLimit(static_cast<size_t>(std::min<uint64_t>(bytes, SIZE_MAX / 2)));
  }

  /// Provides a scratch buffer of `bytes` bytes with unspecified contents, valid until the next
  /// request for the same slot.
  Status scratch(ScratchSlot slot, size_t bytes, ByteSpan& out) {
    if (bytes > scratchLimit_) return Code::LimitExceeded;
    Buffer& buffer = scratch_[static_cast<uint8_t>(slot)];
    if (Status s = buffer.reserve(bytes)) return s;
    out = buffer.first(bytes);
    return {};
  }

  /// Returns the context `id`, created by `make` at first use and destroyed with the workspace.
  /// Null if out of memory.
  template <class T>
  T* context(ContextId id, T* (*make)(), void (*destroy)(void*)) {
    Context& slot = contexts_[static_cast<uint8_t>(id)];
    if (!slot.object) slot = {make(), destroy};
    return static_cast<T*>(slot.object);
  }

  /// Frees all memory; it is allocated again when needed.
  void releaseAll() {
    for (Buffer& buffer : scratch_) buffer.release();
    for (Context& slot : contexts_) {
      if (slot.object) slot.destroy(slot.object);
      slot = {};
    }
  }

 private:
  struct Context {
    void* object = nullptr;
    void (*destroy)(void*) = nullptr;
  };

  Buffer scratch_[static_cast<uint8_t>(ScratchSlot::Count)];
  Context contexts_[static_cast<uint8_t>(ContextId::Count)];
  size_t scratchLimit_ = SIZE_MAX;
};

}  // namespace zw
