#ifdef ZW_FULL_MODULE

// Trust: memory grows with the bytes decoded, up to a window and a quarter more, never because a
// header states a size; windows above kMaxWindow are rejected. Callers limit the output. Invalid
// dictionaries are rejected, including raw content, and so are frames that need another dictionary
// (their ids differ). Offsets reach neither before the window nor before the dictionary.
#include "codecs/zstd_frame.hpp"

#define XXH_NAMESPACE ZSTD_
#define XXH_STATIC_LINKING_ONLY
#include <common/xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace zw {
namespace {

/// 128 MiB, as used by zstd's highest levels.
constexpr uint64_t kMaxWindow = uint64_t{128} << 20;

/// Minimum number of bytes dropped from before the window at a time, so that it is rarely moved.
size_t droppedBytes(size_t window) {
  return std::max<size_t>(window / 4, 1 << 20);
}

constexpr uint32_t kDictionaryMagic = 0xec30a437, kSkippableMagic = 0x184d2a50;

}  // namespace

struct ZstdFrame::Context {
  zstd::FrameDecoder decoder;
  XXH64_state_t hash;
  uint8_t held[zstd::kMaxBlock];
};

Status ZstdFrame::start(ByteView dictionary) {
  if (!context_) context_ = new (std::nothrow) Context;
  if (!context_) return Code::OutOfMemory;
  part_ = Part::Header;
  in_ = {};
  used_ = heldBytes_ = headBytes_ = 0;
  size_ = delivered_ = 0;
  decoded_ = 0;
  dictionaryId_ = 0;
  context_->decoder.startFrame();
  ZSTD_XXH64_reset(&context_->hash, 0);
  return dictionary.empty() ? Status{} : loadDictionary(dictionary);
}

Status ZstdFrame::loadDictionary(ByteView dictionary) {
  ByteReader reader(dictionary);
  const uint32_t magic = reader.u32();
  dictionaryId_ = reader.u32();
  if (!reader.ok() || magic != kDictionaryMagic) return Code::Corrupt;
  const ByteView rest = dictionary.subspan(reader.at());
  size_t length;
  if (Status s = context_->decoder.readDictionary(rest, length)) return s;
  const ByteView content = rest.subspan(length);
  if (Status s = makeRoom(content.size())) return s;
  std::copy(content.begin(), content.end(), history_);
  size_ = delivered_ = content.size();
  return {};
}

Status ZstdFrame::feed(ByteView in) {
  if (!context_) return Code::Corrupt;
  if (part_ == Part::End && !in.empty()) return Code::TrailingBytes;
  in_ = in;
  used_ = 0;
  return {};
}

Status ZstdFrame::read(ByteSpan out, size_t& made) {
  made = 0;
  if (!context_) return Code::Corrupt;
  bool isWaiting = false;
  while (delivered_ == size_ && !isWaiting) {
    if (part_ == Part::End) return used_ == in_.size() ? Status{} : Status{Code::TrailingBytes};
    if (Status s = step(isWaiting)) return s;
  }
  made = std::min(out.size(), size_ - delivered_);
  if (made > 0) std::memcpy(out.data(), history_ + delivered_, made);
  delivered_ += made;
  return {};
}

/// Takes `bytes` bytes of the frame, which may have come in several pieces. False if some are missing.
bool ZstdFrame::gather(size_t bytes, ByteView& gathered) {
  const size_t taken = std::min(bytes - heldBytes_, in_.size() - used_);
  const ByteView next = in_.subspan(used_, taken);
  used_ += taken;
  if (taken == bytes) {
    gathered = next;
    return true;
  }
  std::copy(next.begin(), next.end(), context_->held + heldBytes_);
  heldBytes_ += taken;
  if (heldBytes_ < bytes) return false;
  heldBytes_ = 0;
  gathered = {context_->held, bytes};
  return true;
}

/// Reads the next part of the frame, or sets `isWaiting` if some of its bytes are missing.
Status ZstdFrame::step(bool& isWaiting) {
  ByteView bytes;
  const auto isMissing = [&](size_t count) { return isWaiting = !gather(count, bytes); };
  switch (part_) {
    case Part::Header:
      return isMissing(1) ? Status{} : readHeader(bytes[0]);
    case Part::Skipped:
      isWaiting = !skip();
      return {};
    case Part::BlockHeader:
      if (isMissing(zstd::BlockHeader::kBytes)) return {};
      if (Status s = readBlockHeader(bytes, header_, block_)) return s;
      part_ = Part::Block;
      return {};
    case Part::Block:
      return isMissing(block_.stored) ? Status{} : readBlock(bytes);
    case Part::Checksum:
      if (isMissing(4)) return {};
      part_ = Part::End;
      return load<uint32_t>(bytes.data()) ==
                     static_cast<uint32_t>(ZSTD_XXH64_digest(&context_->hash))
                 ? Status{}
                 : Status{Code::ChecksumMismatch};
    case Part::End:
      break;
  }
  return {};
}

/// Appends a byte to the header, whose length depends on its bytes.
Status ZstdFrame::readHeader(uint8_t next) {
  head_[headBytes_++] = next;
  if (headBytes_ >= 4 && (load<uint32_t>(head_) & ~15u) == kSkippableMagic) {
    if (headBytes_ < 8) return {};
    toSkip_ = load<uint32_t>(head_ + 4);
    if (toSkip_ > UINT32_MAX - 8) return Code::BadHeader;  // as libzstd does
    part_ = Part::Skipped;
    return {};
  }
  const Status status = readFrameHeader({head_, headBytes_}, header_);
  if (status.code == Code::Truncated) return {};
  if (status) return status.code;
  if (header_.window > kMaxWindow) return Code::BadHeader;
  if (header_.dictionaryId != 0 && header_.dictionaryId != dictionaryId_) return Code::BadVersion;
  part_ = Part::BlockHeader;
  return {};
}

/// Drops bytes of a skippable frame; true after the last.
bool ZstdFrame::skip() {
  const size_t skipped = std::min(toSkip_, in_.size() - used_);
  used_ += skipped;
  toSkip_ -= skipped;
  if (toSkip_ > 0) return false;
  part_ = Part::End;
  return true;
}

Status ZstdFrame::readBlock(ByteView in) {
  // The decoder is fastest with some room after a block.
  constexpr size_t kRoom = zstd::kMaxBlock + 64;
  if (Status s = makeRoom(kRoom)) return s;
  zstd::Output out{history_ + firstReachable(), history_ + size_, history_ + size_ + kRoom};
  if (Status s = context_->decoder.decodeBlock(block_, in, header_.maxBlock, out)) {
    // The size of the output does not limit the frame, so this is damage.
    return s.code == Code::SizeMismatch ? Code::Corrupt : s.code;
  }
  const size_t made = static_cast<size_t>(out.at - (history_ + size_));
  if (header_.hasChecksum) ZSTD_XXH64_update(&context_->hash, history_ + size_, made);
  size_ += made;
  decoded_ += made;
  part_ = !block_.isLast ? Part::BlockHeader : header_.hasChecksum ? Part::Checksum : Part::End;
  const bool isWrong =
      block_.isLast ? decoded_ != header_.contentSize : decoded_ > header_.contentSize;
  return header_.hasContentSize && isWrong ? Status{Code::Corrupt} : Status{};
}

/// Position in the history up to which offsets may reach back. Once a window of bytes has been decoded,
/// they may not reach the dictionary.
size_t ZstdFrame::firstReachable() const {
  return decoded_ > 0 && decoded_ >= header_.window ? size_ - static_cast<size_t>(header_.window)
                                                    : 0;
}

/// Makes room for `bytes` more bytes of history, after all of it has been delivered: drops the bytes
/// before the window if they are many, then grows if needed.
Status ZstdFrame::makeRoom(size_t bytes) {
  const size_t first = firstReachable(), kept = size_ - first;
  if (first >= droppedBytes(kept)) {
    std::memmove(history_, history_ + first, kept);
    size_ = delivered_ = kept;
  }
  if (capacity_ - size_ >= bytes) return {};
  const size_t window = static_cast<size_t>(header_.window);
  const size_t capacity =
      std::max(size_, std::min(size_ + size_ / 2, window + droppedBytes(window))) + bytes;
  auto* const grown = static_cast<uint8_t*>(std::realloc(history_, capacity));
  if (!grown) return Code::OutOfMemory;
  history_ = grown;
  capacity_ = capacity;
  return {};
}

void ZstdFrame::release() {
  delete context_;
  context_ = nullptr;
  std::free(history_);
  history_ = nullptr;
  capacity_ = 0;
  part_ = Part::Header;
  in_ = {};
}

}  // namespace zw

#endif  // ZW_FULL_MODULE
