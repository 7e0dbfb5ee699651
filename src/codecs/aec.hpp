// Adaptive entropy coding (CCSDS 121.0-B): the extended Rice code of HDF5's szip and of GRIB2's
// template 5.42.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"

namespace zw {

struct AecFormat {
  uint32_t bits = 8;           // of a sample, 1 … 32
  uint32_t blockSamples = 16;  // 1 … kAecMaxBlock
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

/// Decodes `count` samples of a valid format to integers of the type Sample (uint8_t, uint16_t or
/// uint32_t), which has at least the bits of a sample, at any address. Fails with Truncated if the data ends before, and with Corrupt for codes that do not
/// occur. Bytes after the last sample are ignored, like libaec does.
template <class Sample>
Status aecDecode(const AecFormat& format, ByteView in, uint8_t* out, size_t count);

extern template Status aecDecode<uint8_t>(const AecFormat&, ByteView, uint8_t*, size_t);
extern template Status aecDecode<uint16_t>(const AecFormat&, ByteView, uint8_t*, size_t);
extern template Status aecDecode<uint32_t>(const AecFormat&, ByteView, uint8_t*, size_t);

}  // namespace zw
