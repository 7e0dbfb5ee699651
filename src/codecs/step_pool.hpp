// StepPool: where the steps of nested codecs live. One per plan; bounded, for it is filled on the
// word of the metadata.
#pragma once

#include "base/buffer.hpp"
#include "codecs/codec.hpp"

namespace zw {

class StepPool {
 public:
  /// Makes `count` steps, which live as long as the pool.
  Status make(size_t count, std::span<Step>& steps) {
    if (used_ == kMaxLists || count > kMaxChainLength) return Code::LimitExceeded;
    Step* const made = makeArray<Step>(lists_[used_], count);
    if (!made) return Code::OutOfMemory;
    used_++;
    steps = {made, count};
    return {};
  }

 private:
  static constexpr uint32_t kMaxLists = 16;

  Buffer lists_[kMaxLists];
  uint32_t used_ = 0;
};

}  // namespace zw
