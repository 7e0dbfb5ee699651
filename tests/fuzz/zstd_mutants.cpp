#include "zstd_mutants.hpp"

#include <algorithm>

#include "codecs/zstd_decoder.hpp"

namespace zw::fuzz {
namespace {

/// Length of the literals section at the front of a compressed block, at most the block's.
size_t literalsLength(ByteView block) {
  uint64_t head = 0;
  std::memcpy(&head, block.data(), std::min<size_t>(block.size(), 5));
  const uint32_t type = head & 3, format = head >> 2 & 3;
  size_t headBytes, stored;
  if (type < 2) {
    headBytes = format == 1 ? 2 : format == 3 ? 3 : 1;
    const size_t size =
        headBytes == 1 ? head >> 3 & 31 : head >> 4 & (headBytes == 2 ? 0xfff : 0xfffff);
    stored = type == 0 ? size : 1;
  } else {
    const uint32_t width = format < 2 ? 10 : format == 2 ? 14 : 18;
    headBytes = (4 + 2 * width + 7) / 8;
    stored = head >> (4 + width) & ((1u << width) - 1);
  }
  return std::min(headBytes + stored, block.size());
}

}  // namespace

std::vector<ZstdMutator::Block> ZstdMutator::blocksOf(ByteView frame, size_t& headBytes) {
  std::vector<Block> blocks;
  zstd::FrameHeader header;
  headBytes = 0;
  if (zstd::readFrameHeader(frame, header)) return blocks;
  headBytes = header.bytes;
  ByteView rest = frame.subspan(headBytes);
  zstd::BlockHeader block{};
  while (!block.isLast) {
    if (rest.size() < zstd::BlockHeader::kBytes || readBlockHeader(rest, header, block)) break;
    rest = rest.subspan(zstd::BlockHeader::kBytes);
    const ByteView stored = rest.first(block.stored);
    const size_t literals =
        block.type == zstd::BlockHeader::Compressed ? literalsLength(stored) : stored.size();
    blocks.push_back({block.type, block.size, stored.first(literals), stored.subspan(literals)});
    rest = rest.subspan(block.stored);
  }
  return blocks;
}

ZstdMutator::ZstdMutator(ByteView frame, ByteView donor, uint32_t seed) : state_(seed) {
  size_t headBytes;
  donated_ = blocksOf(donor, headBytes);
  original_ = blocksOf(frame, headBytes);
  head_ = frame.first(headBytes);
  size_t end = headBytes;
  for (const Block& block : original_) {
    end += zstd::BlockHeader::kBytes + block.literals.size() + block.sequences.size();
  }
  tail_ = frame.subspan(end);
}

uint32_t ZstdMutator::random() {
  state_ = state_ * 1664525 + 1013904223;
  const uint32_t x = state_ ^ state_ >> 15;
  return (x * 0x2c1b3c6d) ^ x >> 12;
}

uint32_t ZstdMutator::below(size_t count) {
  return static_cast<uint32_t>(random() % count);
}

const ZstdMutator::Block& ZstdMutator::anyBlock(const std::vector<Block>& blocks) {
  return blocks[below(blocks.size())];
}

/// Combines sections and blocks of both frames: repeated tables and offsets meet others.
void ZstdMutator::recombine() {
  Block& block = blocks_[below(blocks_.size())];
  const Block& other = anyBlock(donated_.empty() || random() % 2 ? original_ : donated_);
  switch (random() % 5) {
    case 0:
      block.literals = other.literals;
      break;
    case 1:
      block.sequences = other.sequences;
      break;
    case 2:
      block = other;
      break;
    case 3:
      blocks_.insert(blocks_.begin() + below(blocks_.size() + 1), Block(other));
      break;
    default:
      std::swap(block, blocks_[below(blocks_.size())]);
  }
}

void ZstdMutator::print() {
  bytes_.assign(head_.begin(), head_.end());
  starts_.clear();
  hotSpots_.clear();
  const auto mark = [&](size_t from, size_t count) {
    for (size_t at = from; at < std::min(from + count, bytes_.size()); at++) {
      hotSpots_.push_back(static_cast<uint32_t>(at));
    }
  };
  mark(4, head_.size());
  for (const Block& block : blocks_) {
    const bool isLast = &block == &blocks_.back();
    const bool isRepeated = block.type == zstd::BlockHeader::Repeated;
    const size_t stored = block.literals.size() + block.sequences.size();
    const size_t header = isLast | block.type << 1 | (isRepeated ? block.size : stored) << 3;
    starts_.push_back(static_cast<uint32_t>(bytes_.size()));
    for (int shift = 0; shift < 24; shift += 8) {
      bytes_.push_back(static_cast<uint8_t>(header >> shift));
    }
    mark(starts_.back(), 3);
    const size_t literals = bytes_.size();
    bytes_.insert(bytes_.end(), block.literals.begin(), block.literals.end());
    const size_t sequences = bytes_.size();
    bytes_.insert(bytes_.end(), block.sequences.begin(), block.sequences.end());
    if (block.type != zstd::BlockHeader::Compressed) continue;
    mark(literals, 16);                               // header, lengths of streams, tree
    mark(std::max(literals + 2, sequences) - 2, 14);  // an end of a stream, count, modes, tables
    mark(bytes_.size() - 2, 2);
  }
  bytes_.insert(bytes_.end(), tail_.begin(), tail_.end());
}

void ZstdMutator::changeByte() {
  const bool isHot = !hotSpots_.empty() && random() % 2;
  // The magic number stays.
  const size_t at = isHot ? hotSpots_[below(hotSpots_.size())] : 4 + below(bytes_.size() - 4);
  uint8_t& byte = bytes_[at];
  switch (random() % 4) {
    case 0:
      byte = static_cast<uint8_t>(random());
      break;
    case 1:
      byte = static_cast<uint8_t>(byte + below(9) - 4);
      break;
    default:
      byte ^= 1u << below(8);
  }
}

/// Inserts or erases a byte of a block and corrects the block's length.
void ZstdMutator::insertOrErase() {
  const uint32_t block = below(starts_.size());
  const size_t from = starts_[block] + zstd::BlockHeader::kBytes;
  const size_t end = block + 1 < starts_.size() ? starts_[block + 1] : bytes_.size() - tail_.size();
  const auto at = bytes_.begin() + static_cast<ptrdiff_t>(from + below(end - from + 1));
  const bool isErased = random() % 2 && from < end && at < bytes_.end();
  uint8_t* const header = bytes_.data() + starts_[block];
  const uint32_t old = header[0] | header[1] << 8 | header[2] << 16;
  const uint32_t length = old + (isErased ? -8u : 8u);
  for (int i = 0; i < 3; i++) header[i] = static_cast<uint8_t>(length >> (8 * i));
  if (isErased) {
    bytes_.erase(at);
  } else {
    bytes_.insert(at, static_cast<uint8_t>(random()));
  }
}

ByteView ZstdMutator::next() {
  blocks_ = original_;
  const uint32_t choice = random() >> 8;
  const bool isMixed = !blocks_.empty() && choice % 4 == 0;
  for (uint32_t i = 0; isMixed && i <= choice / 4 % 3; i++) recombine();
  print();
  for (uint32_t i = isMixed; i <= choice / 16 % 3; i++) changeByte();
  if (!starts_.empty() && choice / 64 % 8 == 0) insertOrErase();
  return bytes_;
}

}  // namespace zw::fuzz
