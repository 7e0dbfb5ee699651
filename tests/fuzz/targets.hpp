// The targets: functions that are given a fuzzer's bytes, and abort where a property does not hold.
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
  /// Bytes at the front that say what to do with the rest; the mutator changes them less often.
  std::function<size_t(ByteView input)> headBytes;
};

/// Every target; those of codecs follow from the list of codecs.
const std::vector<Target>& targets();

// What each file brings.
std::vector<Target> planTargets();
std::vector<Target> bloscTargets();
std::vector<Target> stridedTargets();
std::vector<Target> kernelTargets();
std::vector<Target> zstdFrameTargets();

}  // namespace zw::fuzz

/// A property. Unlike an assert it is always checked; libFuzzer keeps the input that breaks it.
#define ZW_PROPERTY(condition)                                                            \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
