// grib2 (array → bytes): one field of a GRIB 2 message (WMO FM 92). Names: Zarr v3 "grib2",
// "gribberish". Decoder only; images module only.
//
//   message   of one or more fields (grib2_sections.cpp), whose values are packed
//             (grib2_packing.cpp, grib2_groups.cpp); a bitmap marks the points that have values
//
// The array has the points of the grid, rows one after the other, each in the direction of the
// first row and column as scanned; for grids that are not rectangles, in the order of the message.
// Points without a value are NaN. Bytes after the message are ignored.
//
// Parameters: [field, variable, flags]
//   variable   0 values; 1 latitudes, 2 longitudes: of the rows and columns of a regular grid, or of
//              the points of a Lambert conformal one
//   flags      1 = turn grids around the globe so that they start at 180° W, 2 = northern row first
//
// Trust: the grid must have the chunk's number of points before anything is decoded.
#ifdef ZW_IMAGE_CODECS

#include <algorithm>
#include <limits>

#include "codecs/codec.hpp"
#include "codecs/grib2.hpp"
#include "codecs/grib2_coordinates.hpp"

namespace zw {
namespace {

enum Variable : uint32_t { kValues, kLatitudes, kLongitudes };
enum Flag : uint32_t { kFromWest = 1, kNorthFirst = 2 };

/// An array of elements at any address.
template <class Float>
struct Elements {
  uint8_t* bytes;

  Float get(size_t i) const { return load<Float>(bytes + i * sizeof(Float)); }
  void set(size_t i, Float value) const { store(bytes + i * sizeof(Float), value); }
  uint8_t* at(size_t i) const { return bytes + i * sizeof(Float); }
};

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  if (step.params.size() != 3) return Code::BadParameters;
  if (step.params[1] > kLongitudes || step.params[2] > (kFromWest | kNorthFirst)) {
    return Code::BadParameters;
  }
  if (array.dtype != DTypeId::Float32 && array.dtype != DTypeId::Float64) {
    return Code::BadParameters;
  }
  // A message may have fields that are not decoded.
  const Size compressed = compressedSize({array.bytes(), true});
  step.encoded = upperBound(16 * uint64_t{compressed.bytes});
  return {};
}

/// Moves `values` packed elements from the end of the array to the points that have them.
template <class Float>
Status spread(const GribField& field, Elements<Float> out) {
  const size_t points = field.grid.points;
  size_t from = points - field.values;
  for (size_t i = 0; i < points;) {
    const size_t run = std::min<size_t>(8, points - i);
    const uint8_t bits = field.bitmap[i / 8];
    if (bits == 0xff && run == 8 && points - from >= 8) {
      std::memmove(out.at(i), out.at(from), 8 * sizeof(Float));
      from += 8;
      i += 8;
      continue;
    }
    for (size_t bit = 0; bit < run; bit++, i++) {
      if ((bits >> (7 - bit) & 1) == 0) {
        if (i >= from) return Code::Corrupt;  // more values than points
        out.set(i, std::numeric_limits<Float>::quiet_NaN());
      } else {
        if (from == points) return Code::Corrupt;  // fewer values than points
        out.set(i, out.get(from++));
      }
    }
  }
  return from == points ? Status{} : Status{Code::Corrupt};
}

template <class Float>
void reverse(Elements<Float> out, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    const Float value = out.get(i);
    out.set(i, out.get(count - 1 - i));
    out.set(count - 1 - i, value);
  }
}

/// Brings the points of a rectangle into rows that run in the same direction.
template <class Float>
Status straighten(const GribGrid& grid, Elements<Float> out, Workspace& work) {
  const bool hasColumns = (grid.scan & kScanColumns) != 0;
  const size_t length = hasColumns ? grid.rows : grid.columns;
  const size_t lines = hasColumns ? grid.columns : grid.rows;
  for (size_t line = 1; (grid.scan & kScanAlternating) && line < lines; line += 2) {
    reverse(Elements<Float>{out.at(line * length)}, length);
  }
  if (!hasColumns) return {};
  ByteSpan copy;
  const size_t bytes = grid.points * sizeof(Float);
  if (Status s = work.scratch(ScratchSlot::Codec, bytes, copy)) return s;
  std::memcpy(copy.data(), out.bytes, bytes);
  const Elements<Float> columns = {copy.data()};
  for (size_t row = 0; row < grid.rows; row++) {
    for (size_t column = 0; column < grid.columns; column++) {
      out.set(row * grid.columns + column, columns.get(column * grid.rows + row));
    }
  }
  return {};
}

// ---- gribberish's options

template <class Float>
Status adjust(const GribGrid& grid, uint32_t flags, Elements<Float> out, Workspace& work) {
  const size_t columns = grid.columns, rows = grid.rows, rowBytes = columns * sizeof(Float);
  if (rows == 0 || columns == 0) return {};
  ByteSpan row;
  if (Status s = work.scratch(ScratchSlot::Codec, rowBytes, row)) return s;
  size_t by = 0;
  if ((flags & kFromWest) && grid.kind == 0 && GribAxis(grid, true).turn(columns, by) && by > 0) {
    const size_t moved = by * sizeof(Float);
    for (size_t i = 0; i < rows; i++) {
      uint8_t* const to = out.at(i * columns);
      std::memcpy(row.data(), to, moved);
      std::memmove(to, to + moved, rowBytes - moved);
      std::memcpy(to + rowBytes - moved, row.data(), moved);
    }
  }
  if ((flags & kNorthFirst) && (grid.scan & kScanNorth)) {
    for (size_t i = 0; i < rows / 2; i++) {
      uint8_t* const south = out.at(i * columns);
      uint8_t* const north = out.at((rows - 1 - i) * columns);
      std::memcpy(row.data(), south, rowBytes);
      std::memcpy(south, north, rowBytes);
      std::memcpy(north, row.data(), rowBytes);
    }
  }
  return {};
}

/// Writes the latitudes or longitudes of a grid: of the rows or columns, or of all points.
template <class Float>
Status writeCoordinates(const GribField& field, Variable variable, uint32_t flags, size_t count,
                        Elements<Float> out, Workspace& work) {
  const GribGrid& grid = field.grid;
  const bool isLongitude = variable == kLongitudes;
  if (grid.columns == 0) return Code::UnsupportedMessage;
  if (grid.kind == 30) {
    GribLambert lambert;
    if (Status s = lambert.read(grid)) return s;
    if (grid.points != count) return Code::SizeMismatch;
    for (size_t i = 0; i < count; i++) {
      const double value = lambert.degrees(isLongitude, static_cast<double>(i % grid.columns),
                                           static_cast<double>(i / grid.columns));
      out.set(i, static_cast<Float>(value));
    }
    return adjust(grid, flags, out, work);
  }
  if (grid.kind != 0) return Code::UnsupportedMessage;
  if (count != (isLongitude ? grid.columns : grid.rows)) return Code::SizeMismatch;
  const GribAxis axis(grid, isLongitude);
  size_t by = 0;
  const bool isTurned = isLongitude && (flags & kFromWest) && axis.turn(grid.columns, by);
  for (size_t i = 0; i < count; i++) {
    const double value = axis[(i + by) % count];
    out.set(i, static_cast<Float>(isTurned ? GribAxis::fromWest(value) : value));
  }
  if (!isLongitude && (flags & kNorthFirst) && (grid.scan & kScanNorth)) reverse(out, count);
  return {};
}

template <class Float>
Status decodeAs(const Step& step, const GribField& field, ByteSpan out, Workspace& work) {
  const GribGrid& grid = field.grid;
  const Elements<Float> elements = {out.data()};
  const auto variable = static_cast<Variable>(step.params[1]);
  const size_t count = step.decodedArray.itemCount;
  if (variable != kValues) {
    return writeCoordinates(field, variable, step.params[2], count, elements, work);
  }
  if (grid.points != count) return Code::SizeMismatch;
  uint8_t* const packed = elements.at(count - field.values);
  if (Status s = unpackGrib<Float>(field, work, packed)) return s;
  if (field.hasBitmap) {
    if (Status s = spread(field, elements)) return s;
  }
  if (grid.columns > 0) {
    if (Status s = straighten(grid, elements, work)) return s;
  }
  return step.params[2] ? adjust(grid, step.params[2], elements, work) : Status{};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  GribField field;
  if (Status s = findGribField(in, step.params[0], field)) return s;
  result = out.first(step.decodedArray.bytes());
  return step.decodedArray.dtype == DTypeId::Float32 ? decodeAs<float>(step, field, out, work)
                                                     : decodeAs<double>(step, field, out, work);
}

}  // namespace

constinit const Codec kGrib2Codec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
