// Running sums of integers, out[i] = in[0] + … + in[i], modulo the width of an element; and their
// inverse, differences.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Sums `count` elements of `itemBytes` (1, 2, 4 or 8) bytes. Any alignment; the buffers must not
/// overlap.
void prefixSum(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

/// Sums elements that are `step` (>= 1) apart, for `step` interleaved sequences:
/// dst[i] = src[i] + dst[i - step], the first `step` elements as they are. The rest as above.
void prefixSumSteps(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes,
                    size_t step);

/// The inverse: dst[i] = src[i] - src[i - step], the first `step` elements as they are.
void differences(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes, size_t step);

}  // namespace zw
