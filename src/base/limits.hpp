// Limits of the core. The compile-time ones bound fixed tables; the others are defaults that a
// session may raise. TypeScript enforces its own (docs/errors.md) before anything reaches the core.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Most axes of an array (NumPy's own limit).
inline constexpr uint32_t kMaxRank = 64;
/// Most codecs in one chain.
inline constexpr uint32_t kMaxChainLength = 64;
/// Most codecs that may be nested in one another.
inline constexpr uint32_t kMaxNesting = 4;
/// Most bytes in one element (a fixed string or structured type).
inline constexpr uint32_t kMaxItemBytes = 1u << 20;
/// Most byte-order runs in one structured element.
inline constexpr uint32_t kMaxSwapRuns = 4096;
/// Most words in a plan.
inline constexpr uint32_t kMaxPlanWords = 1u << 16;
/// Default for the most bytes of one decoded chunk: 1 GiB.
inline constexpr uint64_t kDefaultMaxChunkBytes = uint64_t{1} << 30;

}  // namespace zw
