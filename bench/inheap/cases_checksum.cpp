#include "cases.hpp"
#include "kernels/adler32.hpp"
#include "kernels/crc32.hpp"
#include "kernels/crc32c.hpp"

namespace zw::bench {

static void addSum(Cases& cases, const char* name,
                   uint32_t (*sum)(uint32_t, const uint8_t*, size_t)) {
  for (size_t bytes : {16 * kKiB, 4 * kMiB}) {
    // The result is written to memory, so that no run can be optimised away.
    addCopyLike(cases, std::string(name) + ", " + sizeName(bytes), copyName(bytes), bytes,
                [=](uint8_t* dst, const uint8_t* src) {
                  *reinterpret_cast<volatile uint32_t*>(dst) = sum(0, src, bytes);
                });
  }
}

void addChecksumCases(Cases& cases) {
  addSum(cases, "crc32c", crc32c);
  addSum(cases, "crc32", crc32);
  addSum(cases, "adler32", adler32);
}

}  // namespace zw::bench
