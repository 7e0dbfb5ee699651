// Adaptive entropy coding (CCSDS 121.0-B): the extended Rice code of HDF5's szip and of GRIB2's
// template 5.42.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"

namespace zw {

struct AecFormat {
  uint32_t bits = 8;            // of a sample, 1 … 32
  uint32_t blockSamples = 16;   // 1 … kAecMaxBlock
  uint32_t intervalBlocks = 1;  // blocks from one reference sample to the next
  uint32_t keptSamples = 0;     // of an interval; the rest is padding. 0 = all
  bool isSigned = false;
  bool hasDifferences = false;  // samples are coded as differences from their predecessors
  bool isRestricted = false;    // shorter ids for samples of up to 4 bits
  bool padsIntervals = false;   // each interval starts at a byte
};

inline constexpr uint32_t kAecMaxBlock = 256;
inline constexpr uint32_t kAecMaxIntervalBlocks = 65535;

/// False if the format is invalid.
bool isAecFormat(const AecFormat& format);

/// Bytes of a decoded sample: 1, 2 or 4.
inline uint32_t aecSampleBytes(const AecFormat& format) {
  return format.bits > 16 ? 4 : format.bits > 8 ? 2 : 1;
}

/// Decodes `count` samples of a valid format to integers of aecSampleBytes() at any address. Fails
/// with Truncated if the data ends before, and with Corrupt for codes that do not occur. Bytes after
/// the last sample are ignored, as by libaec.
Status aecDecode(const AecFormat& format, ByteView in, uint8_t* out, size_t count);

}  // namespace zw
