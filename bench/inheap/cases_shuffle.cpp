// Byte and bit shuffles, reverted as in decoding and applied as in encoding. 256 KiB: roughly a
// block of a Blosc chunk.
#include "cases.hpp"

namespace zw::bench {

/// `library` is the baseline; if empty, a copy of the same number of bytes.
static void addKernel(Cases& cases, const char* name, const std::string& library, Unshuffle kernel,
                      std::initializer_list<uint32_t> widths) {
  for (size_t bytes : {256 * kKiB, 4 * kMiB}) {
    for (uint32_t itemBytes : widths) {
      const size_t count = bytes / itemBytes;
      addCopyLike(cases,
                  std::string(name) + ' ' + std::to_string(itemBytes) + " B, " + sizeName(bytes),
                  library.empty() ? copyName(bytes) : library, bytes,
                  [=](uint8_t* dst, const uint8_t* src) { kernel(dst, src, count, itemBytes); });
    }
  }
}

void addUnshuffleCases(Cases& cases, Unshuffle bytes, Unshuffle bits) {
  addKernel(cases, "unshuffle", "c-blosc", bytes, {2, 4, 8, 16});
  addKernel(cases, "bit unshuffle", "c-blosc", bits, {1, 2, 4, 8});
}

void addShuffleCases(Cases& cases, Unshuffle bytes, Unshuffle bits, Unshuffle unshuffleBytes) {
  addKernel(cases, "shuffle", "", bytes, {2, 3, 4, 8, 12, 16, 24});
  addKernel(cases, "bit shuffle", "", bits, {1, 2, 4, 8});
  // Widths without a specialised kernel in the native library.
  addKernel(cases, "unshuffle", "", unshuffleBytes, {3, 12, 24});
}

}  // namespace zw::bench
