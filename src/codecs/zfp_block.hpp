// Blocks of zfp: 4^dims values of an array, coded independently.
#pragma once

#include "codecs/zfp_bits.hpp"

namespace zw {

inline constexpr uint32_t kZfpMaxDims = 4;
inline constexpr uint32_t kZfpMaxBlock = 256;  // 4^kZfpMaxDims
/// Smaller exponents than this one (of the smallest double) select the reversible mode.
inline constexpr int32_t kZfpMinExponent = -1074;

/// zfp's four parameters, which express all of its modes.
struct ZfpMode {
  uint32_t minBits = 1;  // per block; shorter blocks are padded
  uint32_t maxBits = 0;  // per block; longer blocks are truncated
  uint32_t maxPrecision = 64;
  int32_t minExponent = kZfpMinExponent;

  bool isReversible() const { return minExponent < kZfpMinExponent; }
};

/// Bits before the bit planes of a block: flags, exponent, number of planes. maxBits must be at
/// least this.
template <class T>
uint32_t zfpBlockHeaderBits(const ZfpMode& mode);

/// Maximum number of bits of a block of 4^dims values.
template <class T>
uint64_t zfpMaxBlockBits(const ZfpMode& mode, uint32_t dims);

/// Decodes a block of 4^dims values. Reads a bounded number of bits for any input. T is int32_t,
/// int64_t, float or double.
template <class T>
void zfpDecodeBlock(ZfpReader& in, const ZfpMode& mode, uint32_t dims, T* block);

/// Encodes a block of 4^dims values.
template <class T>
void zfpEncodeBlock(ZfpWriter& out, const ZfpMode& mode, uint32_t dims, const T* block);

}  // namespace zw
