// Limits of the core. kDefaultMaxChunkBytes is a default; the others are fixed. TypeScript enforces
// its own limits (docs/errors.md) before anything reaches the core.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Maximum number of axes (NumPy's limit).
inline constexpr uint32_t kMaxRank = 64;
/// Maximum number of codecs in a chain.
inline constexpr uint32_t kMaxChainLength = 64;
/// Maximum depth of nested codecs.
inline constexpr uint32_t kMaxNesting = 4;
/// Maximum size of an element (fixed-length string or struct), in bytes.
inline constexpr uint32_t kMaxItemBytes = 1u << 20;
/// Maximum number of component runs in a struct.
inline constexpr uint32_t kMaxSwapRuns = 4096;
/// Maximum number of 32-bit words in a plan.
inline constexpr uint32_t kMaxPlanWords = 1u << 16;
/// Default for the maximum size of a decoded chunk: 1 GiB.
inline constexpr uint64_t kDefaultMaxChunkBytes = uint64_t{1} << 30;

}  // namespace zw
