// Byte and bit shuffles as decoding undoes them. 256 KiB: about a block of a Blosc chunk.
#include "cases.hpp"

namespace zw::bench {

static void addKernel(Cases& cases, const char* name, Unshuffle kernel,
                      std::initializer_list<uint32_t> widths) {
  for (size_t bytes : {256 * kKiB, 4 * kMiB}) {
    for (uint32_t itemBytes : widths) {
      const size_t count = bytes / itemBytes;
      addCopyLike(cases,
                  std::string(name) + ' ' + std::to_string(itemBytes) + " B, " + sizeName(bytes),
                  "c-blosc", bytes,
                  [=](uint8_t* dst, const uint8_t* src) { kernel(dst, src, count, itemBytes); });
    }
  }
}

void addUnshuffleCases(Cases& cases, Unshuffle bytes, Unshuffle bits) {
  addKernel(cases, "unshuffle", bytes, {2, 4, 8, 16});
  addKernel(cases, "bit unshuffle", bits, {1, 2, 4, 8});
}

}  // namespace zw::bench
