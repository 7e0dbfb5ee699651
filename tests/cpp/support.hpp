// Helpers of the native tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace zw::test {

using Bytes = std::vector<uint8_t>;

/// Amount of work: a sample in `npm test`, everything in `npm test -- whole`.
inline size_t amount(size_t sample, size_t whole) {
  static const char* const variable = std::getenv("ZARR_WASM_WHOLE");
  return variable != nullptr && *variable == '1' ? whole : sample;
}

/// Exactly `size` bytes on the heap, at `offset` bytes after the start of the allocation, so that
/// AddressSanitizer detects accesses one byte past either end at any alignment.
class ExactBlock {
 public:
  explicit ExactBlock(size_t size, size_t offset = 0)
      : block_(new uint8_t[size + offset]), size_(size), offset_(offset) {}
  ExactBlock(const Bytes& bytes, size_t offset = 0) : ExactBlock(bytes.size(), offset) {
    if (!bytes.empty()) std::memcpy(data(), bytes.data(), bytes.size());
  }

  uint8_t* data() { return block_.get() + offset_; }
  const uint8_t* data() const { return block_.get() + offset_; }
  size_t size() const { return size_; }
  ByteSpan span() { return {data(), size_}; }
  ByteView view() const { return {data(), size_}; }
  Bytes copy() const { return Bytes(data(), data() + size_); }

 private:
  std::unique_ptr<uint8_t[]> block_;
  size_t size_;
  size_t offset_;
};

/// Reproducible random bytes.
inline Bytes randomBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (size_t i = 0; i < size; i += 4) {
    const auto word = static_cast<uint32_t>(random());
    std::memcpy(bytes.data() + i, &word, std::min<size_t>(4, size - i));
  }
  return bytes;
}

/// Reproducible compressible bytes: runs, slopes and some noise.
inline Bytes smoothBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  uint32_t value = seed;
  for (size_t i = 0; i < size; i++) {
    if (random() % 16 == 0) value += static_cast<uint32_t>(random() % 5);
    bytes[i] = static_cast<uint8_t>((value + i / 64) & 0xff);
  }
  return bytes;
}

/// Sizes around the edges of vectors, blocks and pages.
inline const std::vector<size_t>& edgeSizes() {
  static const std::vector<size_t> sizes = {
      0,   1,   2,   3,   7,   8,    15,   16,   17,   31,   32,   33,   63,    64,    65,   127,
      128, 129, 255, 256, 257, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537};
  return sizes;
}

}  // namespace zw::test
