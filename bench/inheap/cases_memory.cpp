// The baseline: memory.copy in WebAssembly, memcpy natively.
#include <cstring>

#include "cases.hpp"

namespace zw::bench {

void addMemoryCases(Cases& cases) {
  for (size_t bytes : {16 * kKiB, 256 * kKiB, 4 * kMiB, 8 * kMiB, 64 * kMiB}) {
    addCopyLike(cases, copyName(bytes), "", bytes,
                [bytes](uint8_t* dst, const uint8_t* src) { std::memcpy(dst, src, bytes); });
  }
}

}  // namespace zw::bench
