// Byte swap as one shuffle per 16 bytes.
//
// Fast because: four vectors are in flight per step, which hides the latency of loads (one at a time
// is half as fast); the mask is opaque, so that the engine keeps it in a register. Beyond the caches
// the shuffle is free and the loop runs at the speed of a copy.
//
// Safe because: a buffer of 16 bytes or more is covered by whole vectors, the last of which ends
// exactly at the end and overlaps the one before. Its source is read before anything is written, so
// that dst == src works: the overlapped components are written twice, with the same bytes.
#include "kernels/byteswap.hpp"

#include <cstring>

#include "base/bytes.hpp"
#include "kernels/swap.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::U8x16;

template <uint32_t W>
static void swapLong(uint8_t* dst, const uint8_t* src, size_t bytes) {
  const U8x16 mask = kSwapMask<W>;
  const U8x16 last = simd::swizzle(simd::load(src + bytes - 16), mask);
  size_t at = 0;
  for (; bytes - at >= 64; at += 64) {
    const U8x16 a = simd::load(src + at), b = simd::load(src + at + 16);
    const U8x16 c = simd::load(src + at + 32), d = simd::load(src + at + 48);
    simd::store(dst + at, simd::swizzle(a, mask));
    simd::store(dst + at + 16, simd::swizzle(b, mask));
    simd::store(dst + at + 32, simd::swizzle(c, mask));
    simd::store(dst + at + 48, simd::swizzle(d, mask));
  }
  for (; bytes - at >= 16; at += 16) {
    simd::store(dst + at, simd::swizzle(simd::load(src + at), mask));
  }
  simd::store(dst + bytes - 16, last);
}

void swapCopy(uint8_t* dst, const uint8_t* src, size_t count, uint32_t width) {
  const size_t bytes = count * width;
  if (width == 1) {
    if (dst != src && bytes > 0) std::memcpy(dst, src, bytes);
  } else if (bytes >= 16) {
    if (width==2) swapLong<2>(dst,src,bytes); else if (width==4) swapLong<4>(dst,src,bytes); else if (width==8) swapLong<8>(dst,src,bytes); else swapLong<16>(dst,src,bytes);
  } else {
    for (size_t at = 0; at < bytes; at += width) swapOne(dst + at, src + at, width);
  }
}

}  // namespace zw
