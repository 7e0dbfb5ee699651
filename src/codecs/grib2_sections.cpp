// Finds the sections of a field in a GRIB 2 message:
//
//   0     "GRIB", 2 bytes, discipline, edition 2, u64 length of the message
//   1, 2  identification, local use
//   3     grid
//   4, 5  product, packing
//   6     bitmap
//   7     data; sections 2 to 7, 3 to 7 or 4 to 7 repeat for further fields
//   8     "7777"
//
// Sections 1 to 7 start with their length (u32) and number. All numbers are big-endian.
//
// Safety: lengths are compared with the rest of the message, and fields are only read from sections
// that have them.
#ifdef ZW_IMAGE_CODECS

#include "base/checked.hpp"
#include "codecs/grib2.hpp"

namespace zw {
namespace {

constexpr size_t kIndicator = 16;
constexpr uint32_t kEnd = 0x37373737, kMagic = 0x47524942;  // "7777", "GRIB"
constexpr uint32_t kAbsent = 0xffffffff;
constexpr uint8_t kBitmapHere = 0, kBitmapBefore = 254, kNoBitmap = 255;

/// Offset of the scanning mode in a grid template; 0 for templates whose points are a list.
size_t scanAt(uint32_t kind) {
  switch (kind) {
    case 0:  // latitudes and longitudes; rotated, stretched, both
    case 1:
    case 2:
    case 3:
    case 40:  // Gaussian
    case 41:
    case 42:
    case 43:
      return 71;
    case 10:  // Mercator
      return 59;
    case 20:  // polar stereographic
    case 30:  // Lambert conformal
    case 31:  // Albers
      return 64;
    case 90:   // space view
    case 140:  // Lambert azimuthal
      return 63;
    default:
      return 0;
  }
}

Status readGrid(ByteView section, GribGrid& grid) {
  if (section.size() < 14) return Code::BadHeader;
  grid = {};
  grid.section = section;
  grid.points = grib32(section, 6);
  grid.kind = grib16(section, 12);
  const size_t scan = scanAt(grid.kind);
  if (scan == 0) return {};
  if (section.size() <= scan) return Code::BadHeader;
  grid.scan = section[scan];
  const uint32_t columns = grib32(section, 30), rows = grib32(section, 34);
  if (columns == kAbsent || rows == kAbsent) return {};  // reduced
  if (uint64_t{columns} * rows != grid.points) return Code::BadHeader;
  grid.columns = columns;
  grid.rows = rows;
  return {};
}

/// Reads section 6. `earlier` is the last bitmap of the message.
Status readBitmap(ByteView section, bool& hasEarlier, ByteView& earlier, GribField& field) {
  if (section.size() < 6) return Code::BadHeader;
  const uint8_t where = section[5];
  field.hasBitmap = where != kNoBitmap;
  if (where == kBitmapHere) {
    earlier = section.subspan(6);
    hasEarlier = true;
  } else if (where == kBitmapBefore) {
    if (!hasEarlier) return Code::BadHeader;
  } else if (where != kNoBitmap) {
    return Code::UnsupportedMessage;  // a bitmap of the centre
  }
  if (field.hasBitmap) field.bitmap = earlier;
  return {};
}

Status readMessage(ByteView in, ByteView& message) {
  if (in.size() < kIndicator) return {Code::Truncated, in.size()};
  if (grib32(in, 0) != kMagic) return Code::BadHeader;
  if (in[7] != 2) return {Code::UnsupportedMessage, 7};
  const uint64_t length = uint64_t{grib32(in, 8)} << 32 | grib32(in, 12);
  if (length > in.size()) return {Code::Truncated, in.size()};
  if (length < kIndicator) return {Code::BadHeader, 8};
  message = in.first(static_cast<size_t>(length));
  return {};
}

/// Checks that the sections of a field fit each other.
Status checkField(const GribField& field) {
  if (field.grid.section.empty() || field.packing.size() < 12) return Code::BadHeader;
  if (!field.hasBitmap && field.values != field.grid.points) return Code::BadHeader;
  const bool fits = field.values <= field.grid.points &&
                    (!field.hasBitmap || field.bitmap.size() >= ceilDiv(field.grid.points, 8));
  return fits ? Status{} : Status{Code::BadHeader};
}

}  // namespace

Status findGribField(ByteView in, uint32_t index, GribField& field) {
  ByteView message, bitmap;
  bool hasBitmap = false;
  if (Status s = readMessage(in, message)) return s;
  for (size_t at = kIndicator; message.size() - at >= 5;) {
    const uint32_t length = grib32(message, at);
    if (length == kEnd) break;
    if (length < 5) return {Code::BadHeader, at};
    if (length > message.size() - at) return {Code::Truncated, message.size()};
    const ByteView section = message.subspan(at, length);
    Status s;
    if (section[4] == 3) s = readGrid(section, field.grid);
    if (section[4] == 5) {
      if (section.size() < 11) return {Code::BadHeader, at};
      field.packing = section;
      field.values = grib32(section, 5);
    }
    if (section[4] == 6) s = readBitmap(section, hasBitmap, bitmap, field);
    if (section[4] == 7 && index-- == 0) {
      field.data = section.subspan(5);
      s = checkField(field);
      return {s.code, at};
    }
    if (s) return {s.code, at};
    at += length;
  }
  return {Code::Truncated, message.size()};
}

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
