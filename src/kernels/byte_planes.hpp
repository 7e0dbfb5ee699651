// Sixteen byte planes at a time: what the byte and bit shuffles share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zw {

/// Bytes i … i+63 of sixteen planes, joined to 64 records of 16 bytes at dst, dst + distance, …
void join16Planes(uint8_t* dst, size_t distance, const uint8_t* const* planes, size_t i);

/// The first `planes` (<= 16) bytes of 64 records at src, src + distance, … split into planes of 64
/// bytes at dst, dst + count, … All 16 bytes of each record are read.
void split16Planes(uint8_t* dst, size_t count, uint32_t planes, const uint8_t* src,
                   size_t distance);

}  // namespace zw
