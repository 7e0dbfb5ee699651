// In-heap benchmarks as a bare WebAssembly module: measures kernels and codecs on data in memory,
// without calls across the JavaScript boundary. main_native.cpp has the same cases natively.
// bench/engines.mjs drives both.
#include <algorithm>

#include "cases.hpp"

extern "C" __attribute__((import_module("bench"), import_name("now"))) double now();
#define ZW_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

const zw::bench::Cases& cases() {
  static const zw::bench::Cases list = zw::bench::allCases();
  return list;
}

zw::bench::Input input;

/// Minimum time of a batch of runs: long enough for the resolution of the clock, short enough that
/// other load on the machine leaves some batches undisturbed.
constexpr double kBatchMilliseconds = 2;

/// Minimum seconds per run over batches of at least `minMilliseconds` in total.
double measure(const std::function<void()>& run, double minMilliseconds) {
  run();  // faults in the pages, warms the caches
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
  return static_cast<uint32_t>(cases().size());
}

/// Case i as a line of JSON; valid until the next call.
ZW_EXPORT(caseJson) const char* caseJson(uint32_t i) {
  static std::string line;
  line = zw::bench::caseLine(cases()[i]);
  return line.c_str();
}

/// Buffer for the input of the next cases.
ZW_EXPORT(inputRoom) uint8_t* inputRoom(uint32_t bytes) {
  input = {zw::bench::block(bytes), bytes};
  return input.data.get();
}

/// Seconds per run of case i, the minimum of several batches.
ZW_EXPORT(run) double run(uint32_t i, double minMilliseconds) {
  return measure(cases()[i].prepare(input), minMilliseconds);
}
