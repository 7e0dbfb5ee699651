// Blocks of zfp: 4^dims values of an array, coded by themselves.
#pragma once

#include "codecs/zfp_bits.hpp"

namespace zw {

inline constexpr uint32_t kZfpMaxDims = 4;
inline constexpr uint32_t kZfpMaxBlock = 256;  // 4^kZfpMaxDims
/// Exponents below this one (of the smallest double) mean the reversible mode.
inline constexpr int32_t kZfpMinExponent = -1074;

/// zfp's four parameters, to which all its modes come down.
struct ZfpMode {
  uint32_t minBits = 1;  // per block; fewer are padded
  uint32_t maxBits = 0;  // per block; what does not fit is cut off
  uint32_t maxPrecision = 64;
  int32_t minExponent = kZfpMinExponent;

  bool isReversible() const { return minExponent < kZfpMinExponent; }
};

/// Bits in front of a block's bit planes: flags, exponent, number of planes. maxBits must not be
/// less.
template <class T>
uint32_t zfpBlockHeaderBits(const ZfpMode& mode);

/// The most bits that a block of 4^dims values takes.
template <class T>
uint64_t zfpMostBlockBits(const ZfpMode& mode, uint32_t dims);

/// Decodes a block of 4^dims values. Reads a bounded number of bits, whatever they are. T is
/// int32_t, int64_t, float or double.
template <class T>
void zfpDecodeBlock(ZfpReader& in, const ZfpMode& mode, uint32_t dims, T* block);

template <class T>
void zfpEncodeBlock(ZfpWriter& out, const ZfpMode& mode, uint32_t dims, const T* block);

}  // namespace zw
