// In-heap benchmarks as a bare WebAssembly module: what a kernel or codec takes when its data is
// already in memory, so that no border and no JavaScript is in the number. The same cases natively:
// main_native.cpp. bench/engines.mjs drives both.
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

/// Runs so often in a row that the clock's grain does not matter, and so seldom that other work on
/// the machine leaves some of them alone.
constexpr double kBatchMilliseconds = 2;

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
  return static_cast<uint32_t>(cases().size());
}

/// Case i as a line of JSON; valid until the next call.
ZW_EXPORT(caseJson) const char* caseJson(uint32_t i) {
  static std::string line;
  line = zw::bench::caseLine(cases()[i]);
  return line.c_str();
}

/// Room for the input of the cases that are run next.
ZW_EXPORT(inputRoom) uint8_t* inputRoom(uint32_t bytes) {
  input = {zw::bench::block(bytes), bytes};
  return input.data.get();
}

/// Seconds per run of case i, the best of several.
ZW_EXPORT(run) double run(uint32_t i, double minMilliseconds) {
  return measure(cases()[i].prepare(input), minMilliseconds);
}
