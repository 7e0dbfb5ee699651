// Streaming decoder for a zstd frame, optionally with a dictionary: for metadata files of unknown
// decoded size (Icechunk). Full module only.
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

  /// Starts a frame. `dictionary` is empty, or a formatted dictionary (with entropy tables), which
  /// is copied.
  Status start(ByteView dictionary);
  /// Sets the next bytes of the frame, which must stay valid until read() returns no bytes.
  Status feed(ByteView in);
  /// Decodes into `out`. `made` is 0 if more input is needed or the frame has ended.
  Status read(ByteSpan out, size_t& made);
  /// Fails with Truncated unless the frame has ended.
  Status end() const { return hasEnded_ ? Status{} : Status{Code::Truncated}; }
  /// Frees all memory.
  void release();

 private:
  ZSTD_DCtx* context_ = nullptr;
  ByteView in_;
  size_t used_ = 0;
  bool hasEnded_ = false;
};

}  // namespace zw
