// Variants of a zstd frame that keep most of its structure, so that many pass the first checks.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "support.hpp"

namespace zw::fuzz {

class ZstdMutator {
 public:
  /// @param frame, donor: frames of libzstd, which must outlive this. Blocks of `donor` are mixed in.
  ZstdMutator(ByteView frame, ByteView donor, uint32_t seed);

  /// Returns a variant, valid until the next call.
  ByteView next();

  uint32_t random();

 private:
  /// A block without its header. Raw and repeated blocks are all `literals`.
  struct Block {
    uint32_t type;
    size_t size;  // decoded, for repeated blocks
    ByteView literals, sequences;
  };

  static std::vector<Block> blocksOf(ByteView frame, size_t& headBytes);
  uint32_t below(size_t count);
  const Block& anyBlock(const std::vector<Block>& blocks);
  void recombine();
  void print();
  void changeByte();
  void insertOrErase();

  ByteView head_, tail_;
  std::vector<Block> original_, donated_, blocks_;
  test::Bytes bytes_;
  std::vector<uint32_t> starts_;    // of block headers in bytes_
  std::vector<uint32_t> hotSpots_;  // bytes that decide how others are read
  uint32_t state_;
};

}  // namespace zw::fuzz
