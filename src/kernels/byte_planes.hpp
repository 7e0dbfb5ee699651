// Joins and splits sixteen byte planes at a time, for the byte and bit shuffles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Joins bytes i … i + 63 of sixteen planes into 64 records of 16 bytes at dst, dst + distance, …
void join16Planes(uint8_t* dst, size_t distance, const uint8_t* const* planes, size_t i);

/// Splits the first `planes` (<= 16) bytes of 64 records at src, src + distance, … into planes of
/// 64 bytes at dst, dst + count, … All 16 bytes of each record are read.
void split16Planes(uint8_t* dst, size_t count, uint32_t planes, const uint8_t* src,
                   size_t distance);

}  // namespace zw
