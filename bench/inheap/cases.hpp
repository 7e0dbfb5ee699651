// The list of benchmark cases. A case is a name, the bytes that one run produces, and a function
// that makes its data ready and returns what is to be timed. To add some: write a file with a
// function addXCases, declare it below, call it in main.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zw::bench {

struct Case {
  std::string name;
  size_t bytes;
  std::function<std::function<void()>()> prepare;
};
using Cases = std::vector<Case>;

inline constexpr size_t kKiB = 1024, kMiB = 1024 * 1024;

/// Uninitialised memory shared by the copies of a lambda; starts at a cache line, as the buffers of
/// the core should.
using Block = std::shared_ptr<uint8_t[]>;
inline Block block(size_t bytes) {
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  return Block(static_cast<uint8_t*>(memory), [](uint8_t* p) { std::free(p); });
}

/// A block of reproducible noise.
inline Block noise(size_t bytes) {
  Block b = block(bytes);
  uint32_t state = 12345;
  for (size_t i = 0; i < bytes; i++) {
    state = state * 1664525u + 1013904223u;
    b[i] = static_cast<uint8_t>(state >> 24);
  }
  return b;
}

/// Adds a case whose run is `work(dst, src)` on two blocks of `bytes` bytes.
template <class Work>
void addCopyLike(Cases& cases, std::string name, size_t bytes, Work work) {
  cases.push_back({std::move(name), bytes, [bytes, work] {
                     Block src = noise(bytes), dst = noise(bytes);
                     return [=] { work(dst.get(), src.get()); };
                   }});
}

/// "4 MiB", "256 KiB".
inline std::string sizeName(size_t bytes) {
  return bytes >= kMiB ? std::to_string(bytes / kMiB) + " MiB"
                       : std::to_string(bytes / kKiB) + " KiB";
}

void addMemoryCases(Cases& cases);
void addByteswapCases(Cases& cases);
void addShuffleCases(Cases& cases);
void addStridedCopyCases(Cases& cases);
#ifdef ZW_BENCH_CBLOSC
void addCbloscCases(Cases& cases);
#endif

}  // namespace zw::bench
