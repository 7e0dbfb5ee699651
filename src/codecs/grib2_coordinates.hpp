// Latitudes and longitudes of GRIB 2 grids, as the codec of gribberish returns them.
#pragma once

#include "codecs/grib2.hpp"

namespace zw {

/// Latitudes of the rows or longitudes of the columns of a regular grid (template 3.0), in degrees.
class GribAxis {
 public:
  GribAxis(const GribGrid& grid, bool isLongitude);

  double operator[](size_t i) const;

  /// How many columns to turn a grid around the globe so that it starts at 180° W; false if it does
  /// not go around the globe from west to east.
  bool turn(size_t columns, size_t& by) const;

  static double fromWest(double longitude) {
    return longitude >= 180 ? longitude - 360 : longitude;
  }

 private:
  bool isLongitude_;
  double start_, step_;
};

/// Points of a Lambert conformal grid (template 3.30) on a sphere.
class GribLambert {
 public:
  /// Fails with UnsupportedMessage if the earth is not a sphere, and with BadHeader for other
  /// invalid parameters.
  Status read(const GribGrid& grid);

  /// The latitude or longitude of a point, in degrees.
  double degrees(bool isLongitude, double column, double row) const;

 private:
  double cone_ = 1, scale_ = 0, centre_ = 0;             // scale: radius * F, in Snyder's terms
  double x_ = 0, y_ = 0, columnStep_ = 0, rowStep_ = 0;  // from the pole of the cone
};

}  // namespace zw
