// HDF5 keeps both sums below 2^32 by adding the high half to the low one every 360 words. That
// keeps their value modulo 65535 and makes 0 of nothing but 0, so the result is: 0 where every word
// is 0, else the residue in 1..65535. It does not matter when one reduces, and the sums may be
// taken in any order:
//
//   sum1 = Σ w[i],   sum2 = Σ (n - i) w[i]
//
// Byte order does not matter either until the end: reversing the bytes of a word multiplies it by
// 256 modulo 65535 (256 * 256 = 65536 = 1). So words are added as they lie in memory.
#include "kernels/fletcher32.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::U32x4;

constexpr uint32_t kModulus = 65535;

/// Rows of eight words in one stretch: sums of sums per lane reach 65535 * 360 * 359 / 2 < 2^32.
constexpr size_t kRows = 360;
static_assert(uint64_t{65535} * kRows * (kRows - 1) / 2 <= UINT32_MAX);

/// The two sums of the words so far, of any size below 2^64 that is right modulo 65535.
struct Sums {
  uint64_t first = 0;
  uint64_t second = 0;

  /// Follows the words so far by `words` more, whose own sums are given.
  void append(uint64_t words, uint64_t more, uint64_t moreSecond) {
    second = (second + words * first + moreSecond) % kModulus;
    first = (first + more) % kModulus;
  }
};

/// Adds `rows` (at most kRows) rows of eight words. Lane k of `even` gathers words 2k of the rows,
/// of `odd` words 2k + 1; `before` holds the sums of what stood in a lane before each row.
void addRows(const uint8_t* data, size_t rows, Sums& sums) {
  U32x4 even = {}, odd = {}, evenBefore = {}, oddBefore = {};
  for (size_t row = 0; row < rows; row++) {
    const U32x4 pairs = (U32x4)simd::load(data + 16 * row);
    evenBefore += even;
    oddBefore += odd;
    even += pairs & 0xffff;
    odd += pairs >> 16;
  }
  // Word j of a row has 8 - j words from itself to the row's end, and 8 more per row that follows.
  uint64_t first = 0, second = 0;
  for (size_t k = 0; k < 4; k++) {
    first += uint64_t{even[k]} + odd[k];
    second += (uint64_t{evenBefore[k]} + oddBefore[k]) * 8;
    second += even[k] * uint64_t{8 - 2 * k} + odd[k] * uint64_t{7 - 2 * k};
  }
  sums.append(8 * rows, first, second);
}

/// A sum as HDF5 shows it, from its residue: byte order turned round, 65535 for 0 unless `isZero`.
uint32_t shown(uint64_t residue, bool isZero) {
  const auto value = static_cast<uint32_t>(residue * 256 % kModulus);
  return value == 0 && !isZero ? kModulus : value;
}

bool isAllZero(const uint8_t* data, size_t size) {
  return std::all_of(data, data + size, [](uint8_t b) { return b == 0; });
}

}  // namespace

uint32_t fletcher32(const uint8_t* data, size_t size) {
  Sums sums;
  size_t at = 0;
  for (; size - at >= 16;) {
    const size_t rows = std::min((size - at) / 16, kRows);
    addRows(data + at, rows, sums);
    at += 16 * rows;
  }
  for (; size - at >= 2; at += 2) {
    const uint64_t word = load<uint16_t>(data + at);
    sums.append(1, word, word);
  }
  // The high half of a big-endian word is the first byte: the low half as it lies in memory.
  if (at < size) sums.append(1, data[at], data[at]);
  // Residues of 0 tell all zeros from sums that came round; rare enough to look again.
  const bool isZero = (sums.first == 0 || sums.second == 0) && isAllZero(data, size);
  return shown(sums.second, isZero) << 16 | shown(sums.first, isZero);
}

}  // namespace zw
