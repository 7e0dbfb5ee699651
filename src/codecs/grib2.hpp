// GRIB edition 2 (WMO FM 92): the sections of a field, and its packed values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Big-endian numbers of sections; signed ones have a sign bit and a magnitude.
inline uint32_t grib16(ByteView section, size_t at) {
  return static_cast<uint32_t>(section[at] << 8 | section[at + 1]);
}
inline uint32_t grib32(ByteView section, size_t at) {
  return loadBigEndian(section.data() + at);
}
inline int32_t gribSigned16(ByteView section, size_t at) {
  const auto magnitude = static_cast<int32_t>(grib16(section, at) & 0x7fff);
  return section[at] & 0x80 ? -magnitude : magnitude;
}

enum GribScan : uint8_t {
  kScanWest = 0x80,        // along i from east to west
  kScanNorth = 0x40,       // along j from south to north
  kScanColumns = 0x20,     // points of a column are consecutive
  kScanAlternating = 0x10  // every other row (or column) runs backwards
};

/// The grid of a field.
struct GribGrid {
  uint32_t kind = 0;  // number of the template
  uint32_t points = 0;
  uint32_t columns = 0, rows = 0;  // 0 if the points do not form a rectangle
  uint8_t scan = 0;
  ByteView section;
};

/// One field of a message. Section lengths are checked, and so is the grid.
struct GribField {
  GribGrid grid;
  ByteView packing;     // section 5
  uint32_t values = 0;  // number of packed values
  bool hasBitmap = false;
  ByteView bitmap;  // a bit per point, highest first
  ByteView data;    // of section 7
};

/// Finds the field with this index in a message.
Status findGribField(ByteView in, uint32_t index, GribField& field);

/// How packed integers become values: (x * binary + reference) * decimal.
struct GribScale {
  double reference;
  double binary;
  double decimal;

  double operator()(double x) const { return (x * binary + reference) * decimal; }
};

/// Reads the scale of section 5, which has at least 20 bytes.
GribScale readGribScale(ByteView packing);

/// Decodes the values of a field to floats (Float: float or double) at any address. Missing ones are
/// NaN.
template <class Float>
Status unpackGrib(const GribField& field, Workspace& work, uint8_t* out);

/// The same for complex packing (templates 5.2 and 5.3).
template <class Float>
Status unpackGribGroups(const GribField& field, uint8_t* out);

}  // namespace zw
