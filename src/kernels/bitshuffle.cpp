// Bit shuffle and unshuffle as 8 × 8 bit transposes, 16 of them side by side.
//
// Unshuffling takes 16 bytes of each of the eight bit rows that make up one byte of the elements:
// byte k of row j holds bit j of elements 8 k … 8 k + 7. The bytes k of the eight vectors form a
// bit matrix. All 16 matrices are transposed at once by three rounds of exchanging bits between
// pairs of vectors (blocks of 4 × 4 bits, then 2 × 2, then single bits). Afterwards vector e holds
// the byte of elements e, 8 + e, 16 + e, …, and zips put these in order. The result is one byte
// plane of a byte shuffle. Planes of 512 elements are collected in a block that stays in the
// first-level cache, and are joined into elements from there. Shuffling runs the same steps in
// reverse; a bit transpose is its own inverse.
//
// Speed: 72 operations transpose 1024 bits. Each 64-byte line of a bit row is read (or written) at
// once, so rows whose distance is a power of two do not evict one another (64 rows of 8-byte
// elements would share one set). The masks are opaque, since compilers otherwise rewrite the
// exchanges into longer sequences.
//
// Safety: as in shuffle.cpp, leftover elements are covered by one more block that ends with the
// last element, which is harmless since the buffers do not overlap. Blocks start at multiples of
// eight elements, which are whole bytes of each bit row. Fewer elements than the smallest block are
// handled bit by bit.
#include "kernels/bitshuffle.hpp"

#include <algorithm>

#include "kernels/byte_planes.hpp"
#include "kernels/row.hpp"
#include "kernels/shuffle.hpp"
#include "kernels/zips.hpp"
#include "simd/u8x16.hpp"

namespace zw {

using simd::load;
using simd::store;
using simd::U8x16;

namespace {

/// Bytes of a bit row that one block covers: a cache line, or a vector if there are fewer elements.
/// Each byte stands for eight elements.
constexpr int kLine = 64, kVector = 16;

/// Maximum number of byte planes that are collected before they are joined.
constexpr uint32_t kPlanes = 16;

struct Masks {
  U8x16 four = simd::opaque(simd::fill(0x0f));
  U8x16 two = simd::opaque(simd::fill(0x33));
  U8x16 one = simd::opaque(simd::fill(0x55));
};

/// Exchanges the bits of b that `mask` selects with the bits of a that are `Shift` places higher.
/// Bits that cross bytes in the shift of 16-bit lanes are masked off.
template <int Shift>
ZW_INLINE void exchangeBits(U8x16& a, U8x16& b, U8x16 mask) {
  const U8x16 difference = (simd::shiftRight16<Shift>(a) ^ b) & mask;
  b ^= difference;
  a ^= simd::shiftLeft16<Shift>(difference);
}

/// Transposes: bit e of byte k of vector j becomes bit j of byte k of vector e.
ZW_INLINE void transposeBits(U8x16 (&v)[8], const Masks& masks) {
  ZW_UNROLL for (int j = 0; j < 4; j++) exchangeBits<4>(v[j], v[j + 4], masks.four);
  ZW_UNROLL for (int h = 0; h < 8; h += 4) {
    exchangeBits<2>(v[h], v[h + 2], masks.two);
    exchangeBits<2>(v[h + 1], v[h + 3], masks.two);
    exchangeBits<1>(v[h], v[h + 1], masks.one);
    exchangeBits<1>(v[h + 2], v[h + 3], masks.one);
  }
}

/// Joins eight bit rows into 8 * Bytes consecutive bytes of one byte plane.
template <int Bytes>
ZW_INLINE void joinBits(uint8_t* plane, const uint8_t* rows, size_t rowBytes, const Masks& masks) {
  for (int k = 0; k < Bytes; k += 16, plane += 128) {
    U8x16 v[8];
    ZW_UNROLL for (int j = 0; j < 8; j++) v[j] = load(rows + j * rowBytes + k);
    transposeBits(v, masks);
    join<8, 1>(v);
    ZW_UNROLL for (int q = 0; q < 8; q++) store(plane + 16 * q, v[q]);
  }
}

/// Puts bytes e and 8 + e side by side, forming 16-bit records of pairs of elements.
struct PairMask {
  static constexpr int at(size_t i) { return static_cast<int>(i % 2 * 8 + i / 2); }
};

/// The inverse of joinBits.
template <int Bytes>
ZW_INLINE void splitBits(uint8_t* rows, size_t rowBytes, const uint8_t* plane, const Masks& masks) {
  alignas(64) uint8_t lines[8][Bytes];
  for (int k = 0; k < Bytes; k += 16, plane += 128) {
    U8x16 v[8];
    ZW_UNROLL for (int q = 0; q < 8; q++) {
      v[q] = simd::swizzle(load(plane + 16 * q), simd::constant<PairMask>());
    }
    join<8, 2>(v);
    transposeBits(v, masks);
    ZW_UNROLL for (int j = 0; j < 8; j++) store(lines[j] + k, v[j]);
  }
  for (int j = 0; j < 8; j++, rows += rowBytes) copyVectors(rows, lines[j], Bytes / 16);
}

/// Unshuffles 8 * Bytes elements, whose bits start at byte `at` of each bit row.
template <int Bytes>
void unshuffleBlock(uint8_t* dst, const uint8_t* src, size_t rowBytes, size_t at,
                    uint32_t itemBytes, const Masks& masks) {
  constexpr int kElements = 8 * Bytes;
  dst += at * 8 * itemBytes;
  src += at;
  if (itemBytes == 1) return joinBits<Bytes>(dst, src, rowBytes, masks);
  alignas(64) uint8_t block[kPlanes][kElements];
  for (uint32_t b = 0; b < itemBytes; b += kPlanes) {
    const uint32_t planes = itemBytes < kPlanes ? itemBytes : kPlanes;
    const uint32_t first = b + planes <= itemBytes ? b : itemBytes - planes;
    const uint8_t* list[kPlanes];
    for (uint32_t p = 0; p < planes; p++) {
      joinBits<Bytes>(block[p], src + (first + p) * 8 * rowBytes, rowBytes, masks);
      list[p] = block[p];
    }
    if (planes == itemBytes) return unshufflePlanes(dst, list, kElements, itemBytes);
    for (int i = 0; i < kElements; i += 64) {
      join16Planes(dst + i * itemBytes + first, itemBytes, list, static_cast<size_t>(i));
    }
  }
}

/// The inverse of unshuffleBlock.
template <int Bytes>
void shuffleBlock(uint8_t* dst, const uint8_t* src, size_t rowBytes, size_t at, uint32_t itemBytes,
                  const Masks& masks) {
  constexpr int kElements = 8 * Bytes;
  dst += at;
  src += at * 8 * itemBytes;
  if (itemBytes == 1) return splitBits<Bytes>(dst, rowBytes, src, masks);
  alignas(64) uint8_t block[kPlanes][kElements];
  for (uint32_t b = 0; b < itemBytes; b += kPlanes) {
    const uint32_t planes = itemBytes < kPlanes ? itemBytes : kPlanes;
    const uint32_t first = b + planes <= itemBytes ? b : itemBytes - planes;
    if (planes == itemBytes) {
      shuffleBytes(block[0], src, kElements, itemBytes);
    } else {
      for (int i = 0; i < kElements; i += 64) {
        split16Planes(block[0] + i, kElements, planes, src + i * itemBytes + first, itemBytes);
      }
    }
    for (uint32_t p = 0; p < planes; p++) {
      splitBits<Bytes>(dst + (first + p) * 8 * rowBytes, rowBytes, block[p], masks);
    }
  }
}

using Block = void (*)(uint8_t* dst, const uint8_t* src, size_t rowBytes, size_t at,
                       uint32_t itemBytes, const Masks& masks);

/// Runs `block`, which covers `step` bytes of each bit row, over whole rows. step <= rowBytes.
void forEachBlock(Block block, size_t step, uint8_t* dst, const uint8_t* src, size_t rowBytes,
                  uint32_t itemBytes) {
  const Masks masks;
  for (size_t at = 0; at < rowBytes; at += step) {
    block(dst, src, rowBytes, at + step <= rowBytes ? at : rowBytes - step, itemBytes, masks);
  }
}

/// Shuffles bit by bit, for fewer elements than a block has.
void splitBitByBit(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  std::fill_n(dst, count * itemBytes, uint8_t{0});
  for (size_t i = 0; i < count; i++) {
    for (size_t bit = 0; bit < size_t{8} * itemBytes; bit++) {
      const uint32_t value = (src[i * itemBytes + bit / 8] >> (bit % 8)) & 1u;
      uint8_t& out = dst[bit * (count / 8) + i / 8];
      out = static_cast<uint8_t>(out | value << (i % 8));
    }
  }
}

/// The inverse of splitBitByBit.
void joinBitByBit(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  std::fill_n(dst, count * itemBytes, uint8_t{0});
  for (size_t i = 0; i < count; i++) {
    for (size_t bit = 0; bit < size_t{8} * itemBytes; bit++) {
      const uint32_t value = (src[bit * (count / 8) + i / 8] >> (i % 8)) & 1u;
      uint8_t& out = dst[i * itemBytes + bit / 8];
      out = static_cast<uint8_t>(out | value << (bit % 8));
    }
  }
}

}  // namespace

void bitunshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  const size_t rowBytes = count / 8;
  if (rowBytes >= kLine) {
    forEachBlock(unshuffleBlock<kLine>, kLine, dst, src, rowBytes, itemBytes);
  } else if (rowBytes >= kVector) {
    forEachBlock(unshuffleBlock<kVector>, kVector, dst, src, rowBytes, itemBytes);
  } else {
    joinBitByBit(dst, src, count, itemBytes);
  }
}

void bitshuffle(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  const size_t rowBytes = count / 8;
  if (rowBytes >= kLine) {
    forEachBlock(shuffleBlock<kLine>, kLine, dst, src, rowBytes, itemBytes);
  } else if (rowBytes >= kVector) {
    forEachBlock(shuffleBlock<kVector>, kVector, dst, src, rowBytes, itemBytes);
  } else {
    splitBitByBit(dst, src, count, itemBytes);
  }
}

}  // namespace zw
