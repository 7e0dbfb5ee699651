// Running sums of integers, out[i] = in[0] + … + in[i], modulo 2^bits of an element, and their
// inverse.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

// Elements have 1, 2, 4 or 8 bytes and need no alignment. The buffers must not overlap.

/// Sums `count` elements of `itemBytes` bytes.
void prefixSum(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

/// Sums `step` (>= 1) interleaved sequences: dst[i] = src[i] + dst[i - step]. The first `step`
/// elements are copied.
void prefixSumSteps(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes,
                    size_t step);

/// The inverse of prefixSumSteps: dst[i] = src[i] - src[i - step].
void differences(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes, size_t step);

}  // namespace zw
