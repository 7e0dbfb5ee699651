// Coordinates of GRIB 2 grids. Lambert conformal: Snyder, Map Projections (USGS 1395), chapter 15.
#ifdef ZW_IMAGE_CODECS

#include "codecs/grib2_coordinates.hpp"

#include <cmath>
#include <limits>

#include "base/math.hpp"

namespace zw {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRadians = kPi / 180;

double signedDegrees(ByteView section, size_t at) {
  const uint32_t word = grib32(section, at);
  const double magnitude = static_cast<double>(word & 0x7fffffff) * 1e-6;
  return word >> 31 ? -magnitude : magnitude;
}

double longitudeAt(ByteView section, size_t at) {
  return grib32(section, at) * 1e-6;
}

/// The radius of the earth in metres; 0 if it is not a sphere of a known size.
double earthRadius(ByteView section) {
  switch (section[14]) {
    case 0:
      return 6367470;
    case 1: {
      double radius = grib32(section, 16);
      for (int digits = section[15]; digits > 0; digits--) radius /= 10;
      return radius;
    }
    case 6:
      return 6371229;
    case 8:
      return 6371200;
    default:
      return 0;
  }
}

/// The angle of a vector from the vertical axis.
double angleOf(double x, double y) {
  if (y == 0) return x < 0 ? -kPi / 2 : kPi / 2;
  const double angle = std::atan(x / y);
  return y > 0 ? angle : x < 0 ? angle - kPi : angle + kPi;
}

/// tan(45° + latitude / 2)
double conformal(double latitude) {
  const double angle = kPi / 4 + latitude * kRadians / 2;
  return sine(angle) / cosine(angle);
}

}  // namespace

GribAxis::GribAxis(const GribGrid& grid, bool isLongitude) : isLongitude_(isLongitude) {
  start_ = isLongitude ? longitudeAt(grid.section, 50) : signedDegrees(grid.section, 46);
  step_ = longitudeAt(grid.section, isLongitude ? 63 : 67);
  const bool isNegative = isLongitude ? (grid.scan & kScanWest) : !(grid.scan & kScanNorth);
  if (isNegative) step_ = -step_;
}

double GribAxis::operator[](size_t i) const {
  const double value = start_ + step_ * static_cast<double>(i);
  if (!isLongitude_) return value;
  if (value >= 360) return value - 360;
  return value < 0 && start_ >= 0 ? value + 360 : value;
}

bool GribAxis::turn(size_t columns, size_t& by) const {
  const GribAxis& longitudes = *this;
  if (columns < 2) return false;
  const double step = longitudes[1] - longitudes[0];
  const double rest = std::fabs(step * static_cast<double>(columns) - 360);
  if (!(step > 0) || !(rest < step / 4)) return false;
  double lowest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < columns; i++) {
    const double longitude = fromWest(longitudes[i]);
    if (longitude < lowest) {
      lowest = longitude;
      by = i;
    }
  }
  return true;
}

Status GribLambert::read(const GribGrid& grid) {
  const ByteView section = grid.section;
  if (section.size() < 73) return Code::BadHeader;
  const double radius = earthRadius(section);
  if (radius == 0) return Code::UnsupportedMessage;
  const double first = signedDegrees(section, 65), second = signedDegrees(section, 69);
  const double parallel = cosine(first * kRadians);
  cone_ = std::fabs(first - second) < 1e-10 ? sine(first * kRadians)
                                            : logarithm(parallel / cosine(second * kRadians)) /
                                                  logarithm(conformal(second) / conformal(first));
  if (!(std::fabs(cone_) > 1e-10) || !(std::fabs(first) < 90) || !(std::fabs(second) < 90)) {
    return Code::BadHeader;
  }
  scale_ = radius * parallel * power(conformal(first), cone_) / cone_;
  centre_ = longitudeAt(section, 51);
  if (centre_ > 180) centre_ -= 360;
  double longitude = longitudeAt(section, 42);
  if (longitude > 180) longitude -= 360;
  const double distance = scale_ / power(conformal(signedDegrees(section, 38)), cone_);
  double angle = longitude - centre_;
  if (angle > 180) angle -= 360;
  if (angle < -180) angle += 360;
  x_ = distance * sine(cone_ * angle * kRadians);
  y_ = distance * cosine(cone_ * angle * kRadians);
  columnStep_ = grib32(section, 55) * (grid.scan & kScanWest ? -1e-3 : 1e-3);
  rowStep_ = grib32(section, 59) * (grid.scan & kScanNorth ? 1e-3 : -1e-3);
  return {};
}

double GribLambert::degrees(bool isLongitude, double column, double row) const {
  const double sign = cone_ < 0 ? -1 : 1;
  const double x = sign * (x_ + columnStep_ * column), y = sign * (y_ - rowStep_ * row);
  if (isLongitude) return angleOf(x, y) / cone_ / kRadians + centre_;
  const double distance = sign * std::sqrt(x * x + y * y);
  return 2 * std::atan(power(scale_ / distance, 1 / cone_)) / kRadians - 90;
}

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
