// Byte swap: copies components, reversing the bytes of each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Copies `count` components of `width` bytes (1, 2, 4, 8 or 16) from src to dst with the bytes of
/// each in reverse order; width 1 is a plain copy. Any alignment. `dst == src` is allowed, any
/// other overlap is not. Reads and writes exactly count * width bytes.
void swapCopy(uint8_t* dst, const uint8_t* src, size_t count, uint32_t width);

}  // namespace zw
