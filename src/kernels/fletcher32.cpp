// HDF5 keeps both sums below 2^32 by adding the high half to the low half every 360 words. That
// preserves their value modulo 65535 and only maps 0 to 0, so the result is 0 if every word is 0,
// and otherwise the residue in 1..65535. Reductions may therefore happen at any time, and the sums
// may be computed in any order:
//
//   sum1 = Σ w[i],   sum2 = Σ (n - i) w[i]
//
// Byte order does not matter until the end either: reversing the bytes of a word multiplies it by
// 256 modulo 65535 (256 * 256 = 65536 = 1). So words are added in native order.
#include "kernels/fletcher32.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::U32x4;

constexpr uint32_t kModulus = 65535;

/// Rows of eight words per stretch: sums of sums per lane reach 65535 * 360 * 359 / 2 < 2^32.
constexpr size_t kRows = 360;
static_assert(uint64_t{65535} * kRows * (kRows - 1) / 2 <= UINT32_MAX);

/// The two sums of the words so far, correct modulo 65535.
struct Sums {
  uint64_t first = 0;
  uint64_t second = 0;

  /// Appends `words` words with the given sums.
  void append(uint64_t words, uint64_t more, uint64_t moreSecond) {
    second = (second + words * first + moreSecond) % kModulus;
    first = (first + more) % kModulus;
  }
};

/// Adds `rows` (at most kRows) rows of eight words. Lane k of `even` sums words 2k of the rows,
/// lane k of `odd` words 2k + 1. `evenBefore` and `oddBefore` sum the values of those lanes before
/// each row.
void addRows(const uint8_t* data, size_t rows, Sums& sums) {
  U32x4 even = {}, odd = {}, evenBefore = {}, oddBefore = {};
  for (size_t row = 0; row < rows; row++) {
    const U32x4 pairs = (U32x4)simd::load(data + 16 * row);
    evenBefore += even;
    oddBefore += odd;
    even += pairs & 0xffff;
    odd += pairs >> 16;
  }
  // Word j of a row is counted 8 - j times for its row, and 8 more times for each following row.
  uint64_t first = 0, second = 0;
  for (size_t k = 0; k < 4; k++) {
    first += uint64_t{even[k]} + odd[k];
    second += (uint64_t{evenBefore[k]} + oddBefore[k]) * 8;
    second += even[k] * uint64_t{8 - 2 * k} + odd[k] * uint64_t{7 - 2 * k};
  }
  sums.append(8 * rows, first, second);
}

/// The sum in HDF5's form: big-endian, and 65535 for a residue of 0 unless `isZero`.
uint32_t toHdf5(uint64_t residue, bool isZero) {
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
  // An odd last byte is the high half of a big-endian word, which is the low half in native order.
  if (at < size) sums.append(1, data[at], data[at]);
  // A residue of 0 is either all zeros or a multiple of 65535; rare enough for another pass.
  const bool isZero = (sums.first == 0 || sums.second == 0) && isAllZero(data, size);
  return toHdf5(sums.second, isZero) << 16 | toHdf5(sums.first, isZero);
}

}  // namespace zw
