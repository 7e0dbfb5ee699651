// Scalar reference for runReduction: block by block, element by element, with integers of 128 bits.
#pragma once

#include <limits>
#include <vector>

#include "kernels/reduce.hpp"
#include "scalar.hpp"

namespace zw::scalar {

using Wide = __int128;
/// Addresses of a block's elements, or of one number of each, in C order.
using Places = std::vector<const uint8_t*>;

template <class T>
T read(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

inline Wide readInteger(Number number, const uint8_t* p) {
  switch (number) {
    case Number::Int8:
      return read<int8_t>(p);
    case Number::Int16:
      return read<int16_t>(p);
    case Number::Int32:
      return read<int32_t>(p);
    case Number::Int64:
      return read<int64_t>(p);
    case Number::Uint16:
      return read<uint16_t>(p);
    case Number::Uint32:
      return read<uint32_t>(p);
    case Number::Uint64:
      return read<uint64_t>(p);
    default:
      return *p;
  }
}

inline double readFloat(Number number, const uint8_t* p) {
  if (number == Number::Float64) return read<double>(p);
  const uint32_t bits =
      number == Number::Float32 ? read<uint32_t>(p) : halfToFloat(read<uint16_t>(p));
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Of the two float32 around a number, the one whose last bit is 1.
inline float oddNeighbour(double value) {
  const auto nearest = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &nearest, 4);
  if (nearest == value || std::isinf(nearest) || bits % 2 == 1) return nearest;
  return std::nextafter(nearest, nearest < value ? INFINITY : -INFINITY);
}

inline void writeFloat(const ReduceElement& element, double value, uint8_t* out) {
  if (element.number == Number::Float64) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    std::memcpy(out, &value, 8);
  } else if (element.number == Number::Float32) {
    float single = element.toOdd ? oddNeighbour(value) : static_cast<float>(value);
    if (std::isnan(value)) single = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(out, &single, 4);
  } else {
    const uint16_t half = std::isnan(value) ? uint16_t{0x7e00} : numberToHalf(value);
    std::memcpy(out, &half, 2);
  }
}

/// Half to even.
inline Wide integerMean(Number number, const Places& places) {
  Wide sum = 0;
  const auto count = static_cast<Wide>(places.size());
  for (const uint8_t* p : places) sum += readInteger(number, p);
  Wide down = sum / count;
  if (down * count > sum) down--;
  const Wide twice = 2 * (sum - down * count);
  return twice > count || (twice == count && down % 2 != 0) ? down + 1 : down;
}

inline double floatMean(Number number, const Places& places) {
  std::vector<double> values;
  bool areFinite = true;
  for (const uint8_t* p : places) {
    const double value = readFloat(number, p);
    if (std::isnan(value)) continue;
    values.push_back(value);
    areFinite = areFinite && std::isfinite(value);
  }
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(values.size());
  double sum = values[0], shares = values[0] / count;
  for (size_t i = 1; i < values.size(); i++) {
    sum += values[i];
    shares += values[i] / count;
  }
  return areFinite && !std::isfinite(sum) ? shares : sum / count;
}

inline double floatMax(Number number, const Places& places) {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const uint8_t* p : places) {
    const double value = readFloat(number, p);
    if (std::isnan(value)) continue;
    const bool isZero = value == 0 && best == 0;
    if (std::isnan(best) || value > best || (isZero && !std::signbit(value))) best = value;
  }
  return best;
}

inline void writeInteger(Number number, Wide value, uint8_t* out) {
  const auto bits = static_cast<uint64_t>(value);
  std::memcpy(out, &bits, numberBytes(number));
}

inline void reduceMean(const ReduceElement& element, const Places& places, uint8_t* out) {
  const Number number = element.number;
  if (!isFloat(number)) return writeInteger(number, integerMean(number, places), out);
  writeFloat(element, floatMean(number, places), out);
}

inline void reduceMax(const ReduceElement& element, const Places& places, uint8_t* out) {
  const Number number = element.number;
  if (isFloat(number)) return writeFloat(element, floatMax(number, places), out);
  Wide best = readInteger(number, places[0]);
  for (const uint8_t* p : places) best = std::max(best, readInteger(number, p));
  writeInteger(number, best, out);
}

inline void reduceMode(const ReduceElement& element, const Places& places, uint8_t* out) {
  size_t most = 0;
  for (const uint8_t* p : places) {
    size_t count = 0;
    for (const uint8_t* q : places) count += std::memcmp(p, q, element.itemBytes) == 0;
    if (count <= most) continue;
    most = count;
    std::memcpy(out, p, element.itemBytes);
  }
}

/// Lists the elements of the block at an index of the result, from an axis on.
inline void listBlock(const std::vector<ReduceAxis>& axes, const std::vector<size_t>& index,
                      size_t axis, size_t item, const uint8_t* src, uint32_t itemBytes,
                      Places& places) {
  if (axis == axes.size()) return places.push_back(src + item * itemBytes);
  const size_t first = index[axis] * axes[axis].factor;
  const size_t end = std::min(first + axes[axis].factor, axes[axis].length);
  for (size_t i = first; i < end; i++) {
    listBlock(axes, index, axis + 1, item * axes[axis].length + i, src, itemBytes, places);
  }
}

inline void reduce(Reduction method, const ReduceElement& element,
                   const std::vector<ReduceAxis>& axes, const uint8_t* src, uint8_t* dst) {
  std::vector<size_t> index(axes.size());
  for (uint8_t* out = dst;; out += element.itemBytes) {
    Places places;
    listBlock(axes, index, 0, 0, src, element.itemBytes, places);
    const uint32_t width =
        method == Reduction::Mode ? element.itemBytes : numberBytes(element.number);
    for (uint32_t part = 0; part < element.itemBytes; part += width) {
      if (method == Reduction::Mean) reduceMean(element, places, out + part);
      if (method == Reduction::Max) reduceMax(element, places, out + part);
      if (method == Reduction::Mode) reduceMode(element, places, out + part);
      for (const uint8_t*& p : places) p += width;
    }
    size_t a = axes.size();
    while (a > 0 && ++index[a - 1] * axes[a - 1].factor >= axes[a - 1].length) index[--a] = 0;
    if (a == 0) return;
  }
}

}  // namespace zw::scalar
