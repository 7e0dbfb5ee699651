// In-heap benchmarks as a native program, run by Google Benchmark under the names of the cases.
//
//   PROGRAM --list-cases                              the cases, a line of JSON each
//   PROGRAM [--inputs=FOLDER] [--benchmark_…]         see --help
//
// FOLDER holds the input chunks: `npm run bench` creates them in build/bench/inputs. Without it,
// cases with an input are skipped with an error.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>

#include "cases.hpp"

namespace {

using zw::bench::Case;
using zw::bench::Input;

/// The file of a case's input: its name without the colon.
std::string inputPath(const std::string& folder, std::string name) {
  std::erase(name, ':');
  return folder + '/' + name + ".bin";
}

bool readInput(const std::string& path, Input& input) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return false;
  bool ok = std::fseek(file, 0, SEEK_END) == 0;
  const long bytes = ok ? std::ftell(file) : -1;
  std::rewind(file);
  if (bytes >= 0)
    input = {zw::bench::block(static_cast<size_t>(bytes)), static_cast<size_t>(bytes)};
  ok = bytes >= 0 && std::fread(input.data.get(), 1, input.bytes, file) == input.bytes;
  std::fclose(file);
  return ok;
}

/// The function registered for a case. Google Benchmark calls it at least once per repetition; data
/// is prepared once.
auto benchmarkOf(const Case& oneCase, const std::string& folder) {
  return [=, run = std::function<void()>()](benchmark::State& state) mutable {
    if (!run) {
      Input input;
      if (!oneCase.input.empty() && !readInput(inputPath(folder, oneCase.input), input)) {
        state.SkipWithError("the input is not in --inputs");
        return;
      }
      run = oneCase.prepare(input);
      run();  // faults in the pages, warms the caches
    }
    for (auto _ : state) run();
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(oneCase.bytes));
  };
}

}  // namespace

int main(int argc, char** argv) {
  const zw::bench::Cases cases = zw::bench::allCases();
  benchmark::Initialize(&argc, argv);  // removes its own arguments
  std::string folder;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--list-cases") == 0) {
      for (const Case& oneCase : cases) std::puts(zw::bench::caseLine(oneCase).c_str());
      return 0;
    }
    if (std::strncmp(argv[i], "--inputs=", 9) != 0) return 1;
    folder = argv[i] + 9;
  }
  for (const Case& oneCase : cases) {
    benchmark::RegisterBenchmark(oneCase.name.c_str(), benchmarkOf(oneCase, folder))->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
}
