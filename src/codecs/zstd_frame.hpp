// One zstd frame decoded piece by piece, possibly with a dictionary: metadata files that do not say
// how much they hold (Icechunk). Only the full module has it.
#pragma once

#include "base/bytes.hpp"
#include "base/status.hpp"

typedef struct ZSTD_DCtx_s ZSTD_DCtx;

namespace zw {

class ZstdFrame {
 public:
  ZstdFrame() = default;
  ~ZstdFrame() { release(); }
  ZstdFrame(const ZstdFrame&) = delete;
  ZstdFrame& operator=(const ZstdFrame&) = delete;

  /// Begins a frame. `dictionary` is a formatted one (with entropy tables), or empty; it is copied.
  Status start(ByteView dictionary);
  /// Takes the next bytes of the frame, which must stay where they are until read makes nothing.
  Status feed(ByteView in);
  /// Decodes into `out`; `made` is 0 where more of the frame is needed, or it has ended.
  Status read(ByteSpan out, size_t& made);
  /// Truncated unless the frame has ended.
  Status end() const { return hasEnded_ ? Status{} : Status{Code::Truncated}; }
  /// Gives back all memory.
  void release();

 private:
  ZSTD_DCtx* context_ = nullptr;
  ByteView in_;
  size_t used_ = 0;
  bool hasEnded_ = false;
};

}  // namespace zw
