// In-heap benchmarks: what a kernel or codec takes when its data is already in memory, so that no
// border and no JavaScript is in the number. The same program runs natively (main) and as a bare
// WebAssembly module (the exports), driven by run.mjs.
//
// Every case has its own baseline: a copy of as many bytes (memory.copy in WebAssembly, memcpy
// natively), timed in turns with it, since clocks drift; so ratios are worth more than GB/s.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cases.hpp"

#ifdef __EMSCRIPTEN__
extern "C" __attribute__((import_module("bench"), import_name("now"))) double now();
#define ZW_EXPORT(name) extern "C" __attribute__((export_name(#name)))
#else
#include <chrono>
static double now() {  // milliseconds
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(t).count();
}
#define ZW_EXPORT(name) static
#endif

namespace {

using zw::bench::Case;
using zw::bench::Cases;

const Cases& allCases() {
  static const Cases cases = [] {
    Cases list;
    zw::bench::addMemoryCases(list);
    zw::bench::addByteswapCases(list);
    zw::bench::addShuffleCases(list);
    zw::bench::addStridedCopyCases(list);
#ifdef ZW_BENCH_CBLOSC
    zw::bench::addCbloscCases(list);
#endif
    return list;
  }();
  return cases;
}

/// Runs so often in a row that the clock's grain (0.1 ms in some browsers) does not matter.
constexpr double kBatchMilliseconds = 8;

/// Best seconds per run over batches that take at least `minMilliseconds` together.
double measure(const std::function<void()>& run, double minMilliseconds) {
  run();  // touches the pages, warms the caches
  size_t batch = 1;
  double best = 1e30, total = 0;
  while (total < minMilliseconds || best == 1e30) {
    const double start = now();
    for (size_t i = 0; i < batch; i++) run();
    const double spent = now() - start;
    total += spent;
    if (spent >= kBatchMilliseconds) {
      best = std::min(best, spent / static_cast<double>(batch));
    } else {
      batch *= spent * 8 < kBatchMilliseconds ? 8 : 2;  // too short to count
    }
  }
  return best / 1000;
}

}  // namespace

ZW_EXPORT(caseCount) uint32_t caseCount() {
  return static_cast<uint32_t>(allCases().size());
}

ZW_EXPORT(caseName) const char* caseName(uint32_t i) {
  return allCases()[i].name.c_str();
}

ZW_EXPORT(caseBytes) double caseBytes(uint32_t i) {
  return static_cast<double>(allCases()[i].bytes);
}

/// Seconds per run of case i, the best of several.
ZW_EXPORT(run) double run(uint32_t i, double minMilliseconds) {
  return measure(allCases()[i].prepare(), minMilliseconds);
}

/// Seconds for a copy of as many bytes as case i handles.
ZW_EXPORT(copy) double copy(uint32_t i, double minMilliseconds) {
  const size_t bytes = allCases()[i].bytes;
  const zw::bench::Block src = zw::bench::noise(bytes), dst = zw::bench::noise(bytes);
  return measure([&] { std::memcpy(dst.get(), src.get(), bytes); }, minMilliseconds);
}

#ifndef __EMSCRIPTEN__
static void printCase(uint32_t i, double milliseconds, int rounds) {
  double seconds = 1e30, copySeconds = 1e30;
  for (int r = 0; r < rounds; r++) {
    seconds = std::min(seconds, run(i, milliseconds));
    copySeconds = std::min(copySeconds, copy(i, milliseconds));
  }
  std::printf("{\"name\":\"%s\",\"bytes\":%.0f,\"seconds\":%.9g,\"copySeconds\":%.9g}\n",
              caseName(i), caseBytes(i), seconds, copySeconds);
}

/// Without arguments: the names of the cases. Else zw_inheap MILLISECONDS ROUNDS INDEX…: one line
/// of JSON per index.
int main(int argc, char** argv) {
  if (argc < 4) {
    for (uint32_t i = 0; i < caseCount(); i++) std::puts(caseName(i));
    return 0;
  }
  for (int a = 3; a < argc; a++) {
    const auto i = static_cast<uint32_t>(std::atoi(argv[a]));
    if (i < caseCount()) printCase(i, std::atof(argv[1]), std::atoi(argv[2]));
  }
}
#endif
