// StepPool: memory for the steps of nested codecs. One per plan. Its size is bounded, since
// metadata controls how many steps are created.
#pragma once

#include "base/buffer.hpp"
#include "codecs/codec.hpp"

namespace zw {

class StepPool {
 public:
  /// Creates `count` steps that live as long as the pool.
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
