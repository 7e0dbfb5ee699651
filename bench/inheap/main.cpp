// In-heap benchmarks: what a kernel or codec takes when its data is already in memory, so that no
// border and no JavaScript is in the number. The same program runs natively (main) and as a bare
// WebAssembly module (the exports); bench/engines.mjs drives both.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

const std::vector<Case>& cases() {
  static const std::vector<Case> list = zw::bench::allCases();
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
  const Case& c = cases()[i];
  line = "{\"name\":\"" + c.name + "\",\"over\":\"" + c.over + "\",\"input\":\"" + c.input +
         "\",\"bytes\":" + std::to_string(c.bytes) + "}";
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

#ifndef __EMSCRIPTEN__
static bool readInput(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file || std::fseek(file, 0, SEEK_END) != 0) return false;
  const auto bytes = static_cast<uint32_t>(std::ftell(file));
  std::rewind(file);
  const bool ok = std::fread(inputRoom(bytes), 1, bytes, file) == bytes;
  std::fclose(file);
  return ok;
}

/// Without arguments: the cases, one line each. Else PROGRAM INDEX MILLISECONDS [INPUT FILE]:
/// seconds per run.
int main(int argc, char** argv) {
  if (argc < 3) {
    for (uint32_t i = 0; i < caseCount(); i++) std::puts(caseJson(i));
    return 0;
  }
  const auto i = static_cast<uint32_t>(std::atoi(argv[1]));
  if (i >= caseCount() || (argc > 3 && !readInput(argv[3]))) return 1;
  std::printf("%.9g\n", run(i, std::atof(argv[2])));
}
#endif
