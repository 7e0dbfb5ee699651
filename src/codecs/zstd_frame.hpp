// Decoder for one zstd frame of unknown decoded size, in pieces, optionally with a dictionary: for
// metadata files (Icechunk). Full module only.
#pragma once

#include "base/buffer.hpp"
#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/zstd_decoder.hpp"

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
  Status end() const { return part_ == Part::End ? Status{} : Status{Code::Truncated}; }
  /// Frees all memory.
  void release();

 private:
  enum class Part : uint8_t { Header, Skipped, BlockHeader, Block, Checksum, End };
  static constexpr size_t kMaxHeader = 18;
  struct Context;

  Status loadDictionary(ByteView dictionary);
  bool gather(size_t bytes, ByteView& gathered);
  Status step(bool& isWaiting);
  Status readHeader(uint8_t next);
  bool skip();
  Status readBlock(ByteView in);
  Status makeRoom(size_t bytes);
  size_t firstReachable() const;

  Context* context_ = nullptr;
  Part part_ = Part::Header;
  ByteView in_;
  size_t used_ = 0;       // of in_
  size_t heldBytes_ = 0;  // of the part that is being gathered

  uint8_t head_[kMaxHeader] = {};
  size_t headBytes_ = 0;
  zstd::FrameHeader header_{};
  zstd::BlockHeader block_{};
  size_t toSkip_ = 0;

  uint8_t* history_ = nullptr;  // the dictionary's content, then decoded bytes
  size_t capacity_ = 0;
  size_t size_ = 0;
  size_t delivered_ = 0;  // position in history_ up to which read() has returned bytes
  uint64_t decoded_ = 0;  // in total
  uint32_t dictionaryId_ = 0;
};

}  // namespace zw
