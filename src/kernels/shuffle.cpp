// Byte shuffle and unshuffle as transposes of small byte matrices in registers.
//
// Unshuffling joins byte planes into elements. Given 16 bytes of each of four planes, two rounds of
// zips (bytes, then pairs of bytes) yield 16 records of four bytes in element order. Items of 2
// bytes take one round, items of 8 a third one. Items of 3 and of 5 to 7 bytes are padded to 4 or 8
// with dummy planes. A swizzle then packs the records, and each store is a whole vector whose
// surplus the next store overwrites.
//
// For 9 bytes and more the rounds are split into two passes over 64 elements and 16 planes, with
// records of four bytes in a 1 KiB block in between (byte_planes.cpp). This takes as many
// instructions as a version in registers, since 16 planes use all of them and engines then spill,
// at a third of the speed. Each cache line of each plane is also read at once, four planes at a
// time, so planes whose distance is a power of two do not evict one another from the first-level
// cache. Wider items are processed 16 planes at a time, the last 16 overlapping the ones before.
//
// Shuffling runs the same steps in reverse. It writes whole 64-byte lines of each plane, for the
// same reason and because partly written lines are transferred twice.
//
// Safety: leftover elements are covered by one more whole block that ends with the last element.
// Source and destination do not overlap, so processing elements twice is harmless. If vectors reach
// past the elements, as for odd item sizes, the loop stops early, and the last one or two blocks go
// through a buffer. Fewer elements than a block are handled by plain loops.
#include "kernels/shuffle.hpp"

#include <algorithm>

#include "kernels/byte_planes.hpp"
#include "kernels/records.hpp"
#include "kernels/row.hpp"
#include "kernels/zips.hpp"

namespace zw {

namespace {

/// Items of 2 to 8 bytes are unshuffled 16 at a time, others in blocks of 64.
constexpr size_t kSmallBlock = 16, kBlock = 64;
constexpr uint32_t kMaxSmall = 8;

void joinSmall(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes) {
  const Keep keep(1);
  switch (itemBytes) {
    case 2:
      return joinRecords<2, 1>(dst, from, 2, count, keep);
    case 3:
      return joinRecords<3, 1>(dst, from, 3, count, keep);
    case 4:
      return joinRecords<4, 1>(dst, from, 4, count, keep);
    case 8:
      return joinRecords<8, 1>(dst, from, 8, count, keep);
    default:
      return joinRecords<0, 1>(dst, from, itemBytes, count, keep);
  }
}

/// Items of 9 to 16 bytes.
void joinMedium(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes) {
  const uint8_t* planes[16];
  for (uint32_t b = 0; b < 16; b++) planes[b] = from[b < itemBytes ? b : itemBytes - 1];
  const size_t slack = itemBytes < 16;
  size_t i = 0;
  for (; count - i >= kBlock + slack; i += kBlock) {
    join16Planes(dst + i * itemBytes, itemBytes, planes, i);
  }
  for (; i < count; i += kBlock) {
    const size_t start = std::min(i, count - kBlock);
    uint8_t last[kBlock * 16];
    join16Planes(last, itemBytes, planes, start);
    copyVectors(dst + start * itemBytes, last, static_cast<int>(4 * itemBytes));
  }
}

void joinWide(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes) {
  for (size_t at = 0; at < count; at += kBlock) {
    const size_t i = std::min(at, count - kBlock);
    for (uint32_t b = 0; b < itemBytes; b += 16) {
      const uint32_t first = std::min(b, itemBytes - 16);
      const uint8_t* planes[16];
      for (uint32_t p = 0; p < 16; p++) planes[p] = from[first + p];
      join16Planes(dst + i * itemBytes + first, itemBytes, planes, i);
    }
  }
}

void splitSmall(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
                uint32_t itemBytes) {
  const Keep keep(1);
  switch (itemBytes) {
    case 2:
      return splitRecords<2, 1>(dst, distance, src, 2, count, keep);
    case 3:
      return splitRecords<3, 1>(dst, distance, src, 3, count, keep);
    case 4:
      return splitRecords<4, 1>(dst, distance, src, 4, count, keep);
    case 8:
      return splitRecords<8, 1>(dst, distance, src, 8, count, keep);
    default:
      return splitRecords<0, 1>(dst, distance, src, itemBytes, count, keep);
  }
}

/// Items of 9 to 16 bytes.
void splitMedium(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
                 uint32_t itemBytes) {
  const size_t slack = itemBytes < 16;
  size_t i = 0;
  for (; count - i >= kBlock + slack; i += kBlock) {
    split16Planes(dst + i, distance, itemBytes, src + i * itemBytes, itemBytes);
  }
  for (; i < count; i += kBlock) {
    const size_t start = std::min(i, count - kBlock);
    uint8_t last[kBlock * 16];
    copyVectors(last, src + start * itemBytes, static_cast<int>(4 * itemBytes));
    split16Planes(dst + start, distance, itemBytes, last, itemBytes);
  }
}

void splitWide(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
               uint32_t itemBytes) {
  for (size_t at = 0; at < count; at += kBlock) {
    const size_t i = std::min(at, count - kBlock);
    for (uint32_t b = 0; b < itemBytes; b += 16) {
      const uint32_t first = std::min(b, itemBytes - 16);
      split16Planes(dst + first * distance + i, distance, 16, src + i * itemBytes + first,
                    itemBytes);
    }
  }
}

}  // namespace

U8x16 packMask(size_t recordBytes, size_t paddedBytes) {
  U8x16 mask = {};
  const size_t bytes = 16 / paddedBytes * recordBytes;
  for (size_t i = 0; i < bytes; i++) {
    mask[i] = static_cast<uint8_t>(i / recordBytes * paddedBytes + i % recordBytes);
  }
  return mask;
}

U8x16 groupMask(size_t recordBytes, size_t paddedBytes, size_t itemBytes) {
  const size_t records = 16 / paddedBytes;
  U8x16 mask;
  ZW_NO_UNROLL for (size_t i = 0; i < 16; i++) {
    const size_t lane = i / itemBytes, byte = lane / records * itemBytes + i % itemBytes;
    mask[i] = byte < recordBytes ? static_cast<uint8_t>(lane % records * recordBytes + byte) : 0x80;
  }
  return mask;
}

void joinPlanes(uint8_t* dst, const Planes& from, size_t count, uint32_t itemBytes) {
  if (itemBytes == 1) {
    copyBytes(dst, from[0], count);
  } else if (count < (itemBytes <= kMaxSmall ? kSmallBlock : kBlock)) {
    for (size_t i = 0; i < count; i++) {
      for (uint32_t b = 0; b < itemBytes; b++) dst[i * itemBytes + b] = from[b][i];
    }
  } else if (itemBytes <= kMaxSmall) {
    joinSmall(dst, from, count, itemBytes);
  } else if (itemBytes <= 16) {
    joinMedium(dst, from, count, itemBytes);
  } else {
    joinWide(dst, from, count, itemBytes);
  }
}

void splitPlanes(uint8_t* dst, size_t distance, const uint8_t* src, size_t count,
                 uint32_t itemBytes) {
  if (itemBytes == 1) {
    copyBytes(dst, src, count);
  } else if (count < kBlock) {
    for (size_t i = 0; i < count; i++) {
      for (uint32_t b = 0; b < itemBytes; b++) dst[b * distance + i] = src[i * itemBytes + b];
    }
  } else if (itemBytes <= kMaxSmall) {
    splitSmall(dst, distance, src, count, itemBytes);
  } else if (itemBytes <= 16) {
    splitMedium(dst, distance, src, count, itemBytes);
  } else {
    splitWide(dst, distance, src, count, itemBytes);
  }
}

void shuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  splitPlanes(dst, count, src, count, itemBytes);
}

void unshuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  joinPlanes(dst, {src, count, nullptr}, count, itemBytes);
}

void unshufflePlanes(uint8_t* dst, const uint8_t* const* planes, size_t count, uint32_t itemBytes) {
  joinPlanes(dst, {nullptr, 0, planes}, count, itemBytes);
}

}  // namespace zw
