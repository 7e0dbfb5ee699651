// Running sums of integers: out[i] = in[0] + … + in[i], modulo the width of an element.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Sums `count` elements of `itemBytes` (1, 2, 4 or 8) bytes. Any alignment; the buffers must not
/// overlap.
void prefixSum(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

}  // namespace zw
