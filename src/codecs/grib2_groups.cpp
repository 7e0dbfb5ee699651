// Complex packing of GRIB 2 (templates 5.2 and 5.3): integers in groups of different widths.
//
//   5.3: 1 or 2 first values, then the minimum of the differences
//   [reference of each group], [width], [length]     each list fills whole bytes
//   integers of each group, without their group's reference
//
// With template 5.3 the integers are first- or second-order differences, less their minimum. All
// bits of an integer, or all bits but the lowest, may mark a missing value; for groups of width 0,
// those of its reference. Missing values take no part in the differences.
//
// Safety: all lists are within the data before they are read, lengths add up to the number of
// values, and there are not more groups than values. Sums are computed modulo 2^64.
#ifdef ZW_IMAGE_CODECS

#include <algorithm>
#include <limits>

#include "base/checked.hpp"
#include "codecs/grib2.hpp"
#include "kernels/high_bits.hpp"

namespace zw {
namespace {

constexpr size_t kRun = 512;
constexpr size_t kGroupBytes = 47, kDifferenceBytes = 49;  // of section 5
constexpr uint32_t kMaxExtraBytes = 4;

/// A list of numbers of the same width.
struct List {
  ByteView in;
  uint64_t at = 0;
  uint32_t bits = 0;

  uint32_t operator[](uint32_t i) const {
    return bits ? highBits(in.data(), at + uint64_t{i} * bits, bits) : 0;
  }
};

struct Groups {
  uint32_t count;
  uint32_t missingKinds;  // 0, 1 or 2 marks
  uint32_t widthBase, lengthBase, lengthFactor, lastLength;
  List references, widths, lengths;
  uint64_t dataAt;  // of the integers, in bits

  uint32_t width(uint32_t i) const { return widthBase + widths[i]; }
  uint64_t length(uint32_t i) const {
    return i + 1 == count ? lastLength : lengthBase + uint64_t{lengthFactor} * lengths[i];
  }
};

/// The differences of template 5.3; order 0 = none.
struct Differences {
  uint32_t order = 0;
  int64_t first[2] = {};
  int64_t minimum = 0;
};

/// Reads the numbers before the lists; `at` is the position after them.
Status readDifferences(const GribField& field, Differences& differences, size_t& at) {
  if (grib16(field.packing, 9) != 3) return {};
  if (field.packing.size() < kDifferenceBytes) return Code::BadHeader;
  const uint32_t order = field.packing[47], bytes = field.packing[48];
  if (order == 0) return {};
  if (order > 2 || bytes > kMaxExtraBytes) return Code::UnsupportedMessage;
  if (field.data.size() < bytes * (order + 1)) return Code::Truncated;
  const List numbers = {field.data, 0, 8 * bytes};
  differences.order = order;
  for (uint32_t i = 0; i < order; i++) differences.first[i] = numbers[i];
  if (bytes > 0) {
    const uint32_t value = numbers[order], sign = 1u << (8 * bytes - 1);
    const int64_t magnitude = value & ~sign;
    differences.minimum = value & sign ? -magnitude : magnitude;
  }
  at = bytes * (order + 1);
  return {};
}

/// Places a list after bit `at`, and moves `at` to the byte after it; false if the data ends before.
bool placeList(const GribField& field, uint32_t count, uint32_t bits, uint64_t& at, List& list) {
  list = {field.data, at, bits};
  at = ceilDiv(at + uint64_t{count} * bits, 8) * 8;
  return bits <= 32 && at <= uint64_t{field.data.size()} * 8;
}

Status readGroups(const GribField& field, size_t at, Groups& groups) {
  const ByteView packing = field.packing;
  if (packing.size() < kGroupBytes) return Code::BadHeader;
  groups.missingKinds = packing[22];
  groups.count = grib32(packing, 31);
  groups.widthBase = packing[35];
  groups.lengthBase = grib32(packing, 37);
  groups.lengthFactor = packing[41];
  groups.lastLength = grib32(packing, 42);
  if (groups.missingKinds > 2) return Code::UnsupportedMessage;
  if (groups.count > field.values) return Code::Corrupt;
  groups.dataAt = uint64_t{at} * 8;
  const bool isWhole =
      placeList(field, groups.count, packing[19], groups.dataAt, groups.references) &&
      placeList(field, groups.count, packing[36], groups.dataAt, groups.widths) &&
      placeList(field, groups.count, packing[46], groups.dataAt, groups.lengths);
  return isWhole ? Status{} : Status{Code::Truncated};
}

/// Turns integers into values, in sequence.
template <class Float>
class Output {
 public:
  Output(const GribScale& scale, const Differences& differences, uint8_t* out)
      : scale_(scale), differences_(differences), out_(out) {}

  void missing() { put(std::numeric_limits<Float>::quiet_NaN()); }

  void integer(uint64_t x) {
    if (differences_.order > 0) x = restored(x);
    put(static_cast<Float>(scale_(static_cast<double>(static_cast<int64_t>(x)))));
  }

 private:
  /// Undoes the differences.
  uint64_t restored(uint64_t x) {
    if (defined_ < differences_.order) {
      x = static_cast<uint64_t>(differences_.first[defined_++]);
    } else {
      x += static_cast<uint64_t>(differences_.minimum) + last_;
      if (differences_.order == 2) x += last_ - beforeLast_;
    }
    beforeLast_ = last_;
    last_ = x;
    return x;
  }

  void put(Float value) {
    store(out_, value);
    out_ += sizeof(Float);
  }

  const GribScale scale_;
  const Differences differences_;
  uint8_t* out_;
  uint32_t defined_ = 0;  // defined values, up to the order
  uint64_t last_ = 0, beforeLast_ = 0;
};

/// The smallest integer of `bits` bits that marks a missing value; above all integers if none does.
uint64_t smallestMark(uint32_t bits, uint32_t kinds) {
  if (kinds == 0) return UINT64_MAX;
  const uint64_t all = (uint64_t{1} << bits) - 1;
  return kinds == 2 && all > 0 ? all - 1 : all;
}

/// Decodes a group of `length` integers of `width` bits from bit `at`, which the data has.
template <class Float>
void decodeGroup(const GribField& field, uint32_t reference, uint64_t at, uint32_t width,
                 size_t length, uint64_t mark, Output<Float>& output) {
  uint32_t run[kRun];
  for (size_t done = 0; done < length;) {
    const size_t size = std::min(kRun, length - done);
    unpackHighBits(field.data, at + uint64_t{done} * width, width, size, run);
    for (size_t i = 0; i < size; i++) {
      if (run[i] >= mark) {
        output.missing();
      } else {
        output.integer(uint64_t{reference} + run[i]);
      }
    }
    done += size;
  }
}

}  // namespace

template <class Float>
Status unpackGribGroups(const GribField& field, uint8_t* out) {
  Differences differences;
  Groups groups;
  size_t at = 0;
  if (Status s = readDifferences(field, differences, at)) return s;
  if (Status s = readGroups(field, at, groups)) return s;
  Output<Float> output(readGribScale(field.packing), differences, out);
  const uint64_t end = uint64_t{field.data.size()} * 8;
  const uint64_t referenceMark = smallestMark(field.packing[19], groups.missingKinds);
  uint64_t bit = groups.dataAt;
  size_t left = field.values;
  for (uint32_t i = 0; i < groups.count; i++) {
    const uint64_t length = groups.length(i);
    const uint32_t width = groups.width(i), reference = groups.references[i];
    if (length > left || width > 32) return {Code::Corrupt, bit / 8};
    left -= static_cast<size_t>(length);
    if (width > 0) {
      if (length * width > end - bit) return {Code::Truncated, field.data.size()};
      decodeGroup(field, reference, bit, width, static_cast<size_t>(length),
                  smallestMark(width, groups.missingKinds), output);
      bit += length * width;
    } else if (reference >= referenceMark) {
      for (uint64_t n = length; n > 0; n--) output.missing();
    } else {
      for (uint64_t n = length; n > 0; n--) output.integer(reference);
    }
  }
  // A constant field may have no groups.
  for (; left > 0 && groups.count == 0; left--) output.integer(0);
  return left > 0 ? Status{Code::Corrupt} : Status{};
}

template Status unpackGribGroups<float>(const GribField&, uint8_t*);
template Status unpackGribGroups<double>(const GribField&, uint8_t*);

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
