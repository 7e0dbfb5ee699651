// Fuzz targets: functions that take a fuzzer's bytes and abort if a property is violated.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace zw::fuzz {

struct Target {
  std::string name;
  std::function<void(ByteView input)> run;
  /// Number of leading bytes that select what to do with the rest; the mutator changes them less
  /// often.
  std::function<size_t(ByteView input)> headBytes;
};

/// All targets; those for codecs are generated from the list of codecs.
const std::vector<Target>& targets();

// The targets of each file.
std::vector<Target> planTargets();
std::vector<Target> bloscTargets();
std::vector<Target> stridedTargets();
std::vector<Target> kernelTargets();
std::vector<Target> accumulateTargets();
std::vector<Target> zstdFrameTargets();
std::vector<Target> zstdTargets();
std::vector<Target> libraryTargets();

}  // namespace zw::fuzz

/// Aborts if a property is violated, in all builds; libFuzzer keeps the input.
#define ZW_PROPERTY(condition)                                                            \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
