#include "kernels/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/bytes.hpp"
#include "kernels/halves.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr uint64_t kInfinity = uint64_t{0x7ff} << 52;

// Differences between binary16 and binary64: mantissa bits and exponent bias.
constexpr int kMantissaShift = 52 - 10;
constexpr uint64_t kBiasShift = uint64_t{1023 - 15} << 10;

// There are many of these loops, and decode.wasm contains all of them, so they are kept small.
// Loops on doubles are vectorised without interleaving; on 64-bit integers, vectors gain little.
#if defined(__clang__)
#define ZW_LEAN_LOOP _Pragma("clang loop interleave(disable) unroll(disable)")
#else
#define ZW_LEAN_LOOP _Pragma("GCC unroll 1")
#endif

template <class T>
void widen(const uint8_t* in, size_t count, double* out) {
  ZW_LEAN_LOOP
  for (size_t i = 0; i < count; i++) out[i] = static_cast<double>(load<T>(in + i * sizeof(T)));
}

template <class T>
void extend(const uint8_t* in, size_t count, uint64_t* out) {
  ZW_SCALAR_LOOP
  for (size_t i = 0; i < count; i++) out[i] = static_cast<uint64_t>(load<T>(in + i * sizeof(T)));
}

template <class T>
void truncate(const uint64_t* in, size_t count, uint8_t* out) {
  ZW_SCALAR_LOOP
  for (size_t i = 0; i < count; i++) store(out + i * sizeof(T), static_cast<T>(in[i]));
}

/// Converts integers of up to 16 bits to float32, which is exact. Goes through int32, since the
/// compiler vectorises each of the two steps but not both at once.
void smallToFloats(Number type, const uint8_t* in, size_t count, uint8_t* out) {
  int32_t wide[kNumberBlock];
  const auto extendTo32 = [&]<class T>(T) {
    ZW_LEAN_LOOP
    for (size_t i = 0; i < count; i++) wide[i] = load<T>(in + i * sizeof(T));
  };
  if (type == Number::Int8) {
    extendTo32(int8_t{});
  } else if (type == Number::Int16) {
    extendTo32(int16_t{});
  } else if (type == Number::Uint16) {
    extendTo32(uint16_t{});
  } else {
    extendTo32(uint8_t{});
  }
  ZW_LEAN_LOOP
  for (size_t i = 0; i < count; i++) store(out + 4 * i, static_cast<float>(wide[i]));
}

void narrowFloats(const double* in, size_t count, uint8_t* out) {
  ZW_LEAN_LOOP
  for (size_t i = 0; i < count; i++) store(out + 4 * i, static_cast<float>(in[i]));
}

void widenHalves(const uint8_t* in, size_t count, double* out) {
  uint8_t floats[4 * kNumberBlock];
  halvesToFloats(in, count, floats);
  widen<float>(floats, count, out);
}

void narrowHalves(const double* in, size_t count, uint8_t* out) {
  ZW_SCALAR_LOOP
  for (size_t i = 0; i < count; i++) store(out + 2 * i, toHalf(in[i]));
}

/// Converts 64-bit integers to float32 with a single rounding; through double there would be two.
void integersToFloats(bool negatives, const uint8_t* in, size_t count, uint8_t* out) {
  ZW_SCALAR_LOOP
  for (size_t i = 0; i < count; i++) {
    const auto bits = load<uint64_t>(in + 8 * i);
    const float value =
        negatives ? static_cast<float>(static_cast<int64_t>(bits)) : static_cast<float>(bits);
    store(out + 4 * i, value);
  }
}

void convertBlock(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count) {
  if (!isFloat(from) && !isFloat(to)) {
    uint64_t values[kNumberBlock];
    loadIntegers(from, in, count, values);
    return storeIntegers(to, values, count, out);
  }
  if (!isFloat(from) && to == Number::Float32) {
    if (numberBytes(from) == 8) return integersToFloats(isSigned(from), in, count, out);
    if (numberBytes(from) <= 2) return smallToFloats(from, in, count, out);
  }
  if (from == Number::Float16 && to == Number::Float32) return halvesToFloats(in, count, out);
  if (from == Number::Float32 && to == Number::Float16) {
    floatsToHalves(in, count, out);
    return;
  }
  double values[kNumberBlock];
  loadDoubles(from, in, count, values);
  storeDoubles(to, values, count, out);
}

}  // namespace

double fromHalf(uint16_t bits) {
  // A multiplication corrects the exponent bias and normalises subnormals.
  const uint64_t size = uint64_t{bits & 0x7fffu} << kMantissaShift;
  const uint64_t value = bitCast<uint64_t>(bitCast<double>(size) * 0x1p1008);
  const uint64_t special = (bits & 0x7c00) == 0x7c00 ? kInfinity : 0;
  return bitCast<double>(value | special | uint64_t{bits & 0x8000u} << 48);
}

uint16_t toHalf(double value) {
  const uint64_t bits = bitCast<uint64_t>(value);
  const uint64_t size = bits & ~kSignBit;
  const uint64_t sign = bits >> 48 & 0x8000;
  const double magnitude = bitCast<double>(size);
  uint64_t half;
  if (size > kInfinity) {
    half = 0x7c00 | (size >> kMantissaShift & 0x3ff);
    if (half == 0x7c00) half |= 0x200;  // a NaN whose upper bits are zero
  } else if (magnitude >= 65520.0) {    // halfway between 65504 and the next number
    half = 0x7c00;
  } else if (magnitude < 0x1p-14) {
    // Subnormal: doubles near 2^28 are 2^-24 apart, so the addition rounds to multiples of 2^-24.
    half = bitCast<uint64_t>(magnitude + 0x1p28) & 0x7ff;
  } else {
    const uint64_t odd = size >> kMantissaShift & 1;
    const uint64_t below = (uint64_t{1} << (kMantissaShift - 1)) - 1;
    half = ((size + odd + below) >> kMantissaShift) - kBiasShift;
  }
  return static_cast<uint16_t>(sign | half);
}

uint64_t toInteger(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude < 0x1p63) return static_cast<uint64_t>(static_cast<int64_t>(value));
  const uint64_t bits = bitCast<uint64_t>(magnitude);
  if (bits >= kInfinity) return 0;  // NaN too
  // An integer m * 2^shift, with shift at least 63 - 52.
  const uint64_t shift = (bits >> 52) - 1023 - 52;
  const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const uint64_t low = shift < 64 ? mantissa << shift : 0;
  return value < 0 ? 0 - low : low;
}

void loadIntegers(Number type, const uint8_t* in, size_t count, uint64_t* out) {
  switch (type) {
    case Number::Int8:
      return extend<int8_t>(in, count, out);
    case Number::Int16:
      return extend<int16_t>(in, count, out);
    case Number::Int32:
      return extend<int32_t>(in, count, out);
    case Number::Uint16:
      return extend<uint16_t>(in, count, out);
    case Number::Uint32:
      return extend<uint32_t>(in, count, out);
    case Number::Int64:
    case Number::Uint64:
      std::memcpy(out, in, count * 8);
      return;
    default:
      return extend<uint8_t>(in, count, out);
  }
}

void storeIntegers(Number type, const uint64_t* in, size_t count, uint8_t* out) {
  if (type == Number::Bool) {
    ZW_SCALAR_LOOP
    for (size_t i = 0; i < count; i++) out[i] = in[i] != 0;
    return;
  }
  switch (numberBytes(type)) {
    case 1:
      return truncate<uint8_t>(in, count, out);
    case 2:
      return truncate<uint16_t>(in, count, out);
    case 4:
      return truncate<uint32_t>(in, count, out);
    default:
      std::memcpy(out, in, count * 8);
  }
}

void loadDoubles(Number type, const uint8_t* in, size_t count, double* out) {
  switch (type) {
    case Number::Int32:
      return widen<int32_t>(in, count, out);
    case Number::Int64:
      return widen<int64_t>(in, count, out);
    case Number::Uint32:
      return widen<uint32_t>(in, count, out);
    case Number::Uint64:
      return widen<uint64_t>(in, count, out);
    case Number::Float16:
      return widenHalves(in, count, out);
    case Number::Float32:
      return widen<float>(in, count, out);
    case Number::Float64:
      std::memcpy(out, in, count * 8);
      return;
    default:
      uint8_t floats[4 * kNumberBlock];
      smallToFloats(type, in, count, floats);
      return widen<float>(floats, count, out);
  }
}

void storeDoubles(Number type, const double* in, size_t count, uint8_t* out) {
  if (type == Number::Float64) {
    std::memcpy(out, in, count * 8);
  } else if (type == Number::Float32) {
    narrowFloats(in, count, out);
  } else if (type == Number::Float16) {
    narrowHalves(in, count, out);
  } else {
    uint64_t values[kNumberBlock];
    // Any nonzero value is true, also 0.5.
    ZW_SCALAR_LOOP
    for (size_t i = 0; i < count; i++) {
      values[i] = type == Number::Bool ? in[i] != 0 : toInteger(in[i]);
    }
    storeIntegers(type, values, count, out);
  }
}

void convertNumbers(Number from, const uint8_t* in, Number to, uint8_t* out, size_t count) {
  if (from == to) {
    if (count > 0) std::memcpy(out, in, count * numberBytes(from));
    return;
  }
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    convertBlock(from, in + at * numberBytes(from), to, out + at * numberBytes(to), n);
  }
}

}  // namespace zw
