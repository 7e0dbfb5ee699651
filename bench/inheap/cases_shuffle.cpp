// Byte and bit shuffles, both directions, and the same by c-blosc where it is linked.
#include "cases.hpp"
#include "kernels/bitshuffle.hpp"
#include "kernels/shuffle.hpp"

namespace zw::bench {

using Kernel = void (*)(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

static void addKernel(Cases& cases, const char* name, Kernel kernel) {
  for (size_t bytes : {256 * kKiB, 4 * kMiB, 64 * kMiB}) {
    for (uint32_t itemBytes : {1u, 2u, 3u, 4u, 7u, 8u, 12u, 16u, 24u}) {
      const size_t count = bytes / itemBytes / 8 * 8;
      addCopyLike(cases,
                  std::string(name) + ' ' + std::to_string(itemBytes) + " B, " + sizeName(bytes),
                  count * itemBytes,
                  [=](uint8_t* dst, const uint8_t* src) { kernel(dst, src, count, itemBytes); });
    }
  }
}

void addShuffleCases(Cases& cases) {
  addKernel(cases, "unshuffle", unshuffleBytes);
  addKernel(cases, "shuffle", shuffleBytes);
  addKernel(cases, "bit-unshuffle", bitunshuffle);
  addKernel(cases, "bit-shuffle", bitshuffle);
}

#ifdef ZW_BENCH_CBLOSC
// c-blosc's own kernels with its own choice of instruction set; not in its public header, but in
// its static library.
extern "C" {
void blosc_internal_shuffle(size_t, size_t, const uint8_t*, const uint8_t*);
void blosc_internal_unshuffle(size_t, size_t, const uint8_t*, const uint8_t*);
int blosc_internal_bitshuffle(size_t, size_t, const uint8_t*, const uint8_t*, const uint8_t*);
int blosc_internal_bitunshuffle(size_t, size_t, const uint8_t*, const uint8_t*, const uint8_t*);
}

static uint8_t* scratch() {
  static const Block b = block(64 * kMiB);
  return b.get();
}

void addCbloscCases(Cases& cases) {
  addKernel(cases, "c-blosc unshuffle", [](uint8_t* dst, const uint8_t* src, size_t n, uint32_t t) {
    blosc_internal_unshuffle(t, n * t, src, dst);
  });
  addKernel(cases, "c-blosc shuffle", [](uint8_t* dst, const uint8_t* src, size_t n, uint32_t t) {
    blosc_internal_shuffle(t, n * t, src, dst);
  });
  addKernel(cases, "c-blosc bit-unshuffle",
            [](uint8_t* dst, const uint8_t* src, size_t n, uint32_t t) {
              blosc_internal_bitunshuffle(t, n * t, src, dst, scratch());
            });
  addKernel(cases, "c-blosc bit-shuffle",
            [](uint8_t* dst, const uint8_t* src, size_t n, uint32_t t) {
              blosc_internal_bitshuffle(t, n * t, src, dst, scratch());
            });
}
#endif

}  // namespace zw::bench
