#include <cstring>

#include "cases.hpp"

namespace zw::bench {

void addMemoryCases(Cases& cases) {
  for (size_t bytes : {256 * kKiB, 4 * kMiB, 64 * kMiB}) {
    addCopyLike(cases, "memory.copy " + sizeName(bytes), bytes,
                [bytes](uint8_t* dst, const uint8_t* src) { std::memcpy(dst, src, bytes); });
  }
}

}  // namespace zw::bench
