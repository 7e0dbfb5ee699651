// Conversions between binary16 and float32, eight numbers at a time. Addresses need no alignment;
// `in` and `out` must not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Converts binary16 to float32, which is exact. NaNs become quiet and keep their sign and payload.
void halvesToFloats(const uint8_t* in, size_t count, uint8_t* out);

/// Rounds float32 to binary16, ties to even. NaNs become quiet and keep their sign and upper bits.
/// Returns false if a finite number became infinite.
bool floatsToHalves(const uint8_t* in, size_t count, uint8_t* out);

}  // namespace zw
