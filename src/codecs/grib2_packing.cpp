// The packed values of GRIB 2 fields, by template of section 5:
//
//   5.0         integers of a fixed number of bits, highest first
//   5.2, 5.3    groups (grib2_groups.cpp)
//   5.4         IEEE floats
//   5.40, 5.41  integers as the pixels of a JPEG 2000 or PNG image
//   5.42        integers with adaptive entropy coding (aec.cpp)
//
// Integers x stand for (x * 2^E + R) / 10^D. Outside groups, integers of 0 bits
// stand for R.
//
// Safety: the input must have the bits of all values before they are unpacked. Images decode
// through their codecs, into memory sized by the number of values.
//
// Speed: integers are unpacked as vectors (kernels/high_bits.hpp) and scaled in runs that stay in
// the cache.
#ifdef ZW_IMAGE_CODECS

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked.hpp"
#include "codecs/aec.hpp"
#include "codecs/codec.hpp"
#include "codecs/grib2.hpp"
#include "kernels/high_bits.hpp"

namespace zw {
namespace {

constexpr size_t kRun = 1024;
constexpr uint32_t kMaxBits = 32;
constexpr size_t kSimpleBytes = 20;
enum Template : uint32_t {
  kSimple = 0,
  kGroups = 2,
  kDifferences = 3,
  kFloats = 4,
  kJpeg2000 = 40,
  kPng = 41,
  kEntropy = 42
};

template <class Float>
void fill(Float value, size_t count, uint8_t* out) {
  for (size_t i = 0; i < count; i++) store(out + i * sizeof(Float), value);
}

/// Scales integers.
template <class Float, class Integer>
void scaleRun(const GribScale& scale, const uint8_t* in, size_t count, uint8_t* out) {
  for (size_t i = 0; i < count; i++) {
    const auto x = static_cast<double>(load<Integer>(in + i * sizeof(Integer)));
    store(out + i * sizeof(Float), static_cast<Float>(scale(x)));
  }
}

/// Scales integers of 1, 2 or 4 bytes.
template <class Float>
void scaleSamples(const GribScale& scale, uint32_t bytes, const uint8_t* in, size_t count,
                  uint8_t* out) {
  if (bytes == 1) scaleRun<Float, uint8_t>(scale, in, count, out);
  if (bytes == 2) scaleRun<Float, uint16_t>(scale, in, count, out);
  if (bytes == 4) scaleRun<Float, uint32_t>(scale, in, count, out);
}

template <class Float>
Status unpackSimple(const GribField& field, const GribScale& scale, uint32_t bits, uint8_t* out) {
  const size_t count = field.values;
  if (uint64_t{count} * bits > uint64_t{field.data.size()} * 8) return Code::Truncated;
  uint32_t run[kRun];
  for (size_t done = 0; done < count;) {
    const size_t size = std::min(kRun, count - done);
    unpackHighBits(field.data, uint64_t{done} * bits, bits, size, run);
    scaleRun<Float, uint32_t>(scale, reinterpret_cast<const uint8_t*>(run), size,
                              out + done * sizeof(Float));
    done += size;
  }
  return {};
}

template <class Float, class Stored, class Bits>
void copyFloats(const uint8_t* in, size_t count, uint8_t* out) {
  for (size_t i = 0; i < count; i++) {
    Bits bits = load<Bits>(in + i * sizeof(Bits));
    bits = sizeof(Bits) == 4 ? static_cast<Bits>(__builtin_bswap32(static_cast<uint32_t>(bits)))
                             : static_cast<Bits>(__builtin_bswap64(bits));
    store(out + i * sizeof(Float), static_cast<Float>(bitCast<Stored>(bits)));
  }
}

template <class Float>
Status unpackFloats(const GribField& field, uint8_t* out) {
  const uint32_t precision = field.packing[11];  // 1: 32 bits, 2: 64 bits
  if (precision != 1 && precision != 2) return Code::UnsupportedMessage;
  if (uint64_t{field.values} * 4 * precision > field.data.size()) return Code::Truncated;
  if (precision == 1) {
    copyFloats<Float, float, uint32_t>(field.data.data(), field.values, out);
  } else {
    copyFloats<Float, double, uint64_t>(field.data.data(), field.values, out);
  }
  return {};
}

template <class Float>
Status unpackEntropy(const GribField& field, const GribScale& scale, uint32_t bits, Workspace& work,
                     uint8_t* out) {
  enum Flag : uint8_t { kSigned = 1, kWithDifferences = 8, kRestricted = 16, kPadded = 32 };
  if (field.packing.size() < 25) return Code::BadHeader;
  const uint8_t flags = field.packing[21];
  AecFormat format;
  format.bits = bits;
  format.blockSamples = field.packing[22];
  format.intervalBlocks = grib16(field.packing, 23);
  format.isSigned = (flags & kSigned) != 0;
  format.hasDifferences = (flags & kWithDifferences) != 0;
  format.isRestricted = (flags & kRestricted) != 0;
  format.padsIntervals = (flags & kPadded) != 0;
  if (!isAecFormat(format)) return Code::BadHeader;
  const uint32_t sampleBytes = aecSampleBytes(format);
  ByteSpan samples;
  const size_t count = field.values;
  if (Status s = work.scratch(ScratchSlot::Codec, count * sampleBytes, samples)) return s;
  if (Status s = aecDecode(format, field.data, samples.data(), count)) return s;
  scaleSamples<Float>(scale, sampleBytes, samples.data(), count, out);
  return {};
}

/// Decodes an image through its codec. `pixelBytes` is the size of a pixel, of at most 4 bytes.
Status decodePixels(const Codec& codec, const GribField& field, std::span<const uint32_t> params,
                    Workspace& work, ByteView& pixels, uint32_t& pixelBytes) {
  const size_t count = field.values;
  ByteSpan room;
  // Codecs of images use the other slots themselves.
  if (Status s = work.scratch(ScratchSlot::NestedFirst, count * 4, room)) return s;
  Step step;
  step.codec = &codec;
  step.params = params;
  step.decoded = {count * 4, false};
  if (Status s = codec.prepare(step)) return s;
  if (Status s = codec.decode(step, field.data, room, work, pixels)) return s;
  pixelBytes = static_cast<uint32_t>(pixels.size() / count);
  return pixels.size() % count == 0 && pixelBytes >= 1 ? Status{} : Status{Code::Corrupt};
}

template <class Float>
Status unpackJpeg2000(const GribField& field, const GribScale& scale, Workspace& work,
                      uint8_t* out) {
  static constexpr uint32_t kInterleaved[] = {0};
  ByteView pixels;
  uint32_t bytes = 0;
  if (Status s = decodePixels(kImageJpeg2kCodec, field, kInterleaved, work, pixels, bytes))
    return s;
  if (bytes == 3) return Code::UnsupportedMessage;
  scaleSamples<Float>(scale, bytes, pixels.data(), field.values, out);
  return {};
}

/// The pixels of a PNG image are big-endian numbers, of as many bytes as it has samples of 8 bits.
template <class Float>
Status unpackPng(const GribField& field, const GribScale& scale, Workspace& work, uint8_t* out) {
  constexpr size_t kDepth = 24;  // in IHDR, the first chunk
  ByteView pixels;
  uint32_t bytes = 0;
  if (Status s = decodePixels(kImagePngCodec, field, {}, work, pixels, bytes)) return s;
  const uint8_t depth = field.data[kDepth], type = field.data[kDepth + 1];
  const bool isGrey = type == 0 && bytes == (depth == 16 ? 2u : 1u);
  const bool isColour = depth == 8 && ((type == 2 && bytes == 3) || (type == 6 && bytes == 4));
  if (!isGrey && !isColour) return Code::UnsupportedMessage;
  // The codec spreads grey of fewer bits over 0 … 255, and stores 16 bits as little-endian.
  const uint32_t spread = depth < 8 ? 255 / ((1u << depth) - 1) : 1;
  const uint8_t* p = pixels.data();
  for (size_t i = 0; i < field.values; i++, p += bytes) {
    uint32_t x = bytes == 2 ? load<uint16_t>(p) : p[0] / spread;
    for (uint32_t j = 1; isColour && j < bytes; j++) x = x << 8 | p[j];
    store(out + i * sizeof(Float), static_cast<Float>(scale(x)));
  }
  return {};
}

/// base^exponent by repeated multiplication or division, so that values equal those of ecCodes.
double power(double base, int32_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent--) result *= base;
  for (; exponent < 0; exponent++) result /= base;
  return result;
}

}  // namespace

GribScale readGribScale(ByteView packing) {
  return {bitCast<float>(grib32(packing, 11)), std::ldexp(1.0, gribSigned16(packing, 15)),
          power(10, -gribSigned16(packing, 17))};
}

template <class Float>
Status unpackGrib(const GribField& field, Workspace& work, uint8_t* out) {
  if (field.values == 0) return {};
  const uint32_t kind = grib16(field.packing, 9);
  if (kind == kFloats) return unpackFloats<Float>(field, out);
  if (field.packing.size() < kSimpleBytes) return Code::BadHeader;
  if (kind == kGroups || kind == kDifferences) return unpackGribGroups<Float>(field, out);
  const GribScale scale = readGribScale(field.packing);
  const uint32_t bits = field.packing[19];
  if (kind != kSimple && kind != kJpeg2000 && kind != kPng && kind != kEntropy) {
    return Code::UnsupportedMessage;
  }
  // The reference value, without the decimal scale, as ecCodes, wgrib2 and g2c read it.
  if (bits == 0) {
    fill(static_cast<Float>(scale.reference), field.values, out);
    return {};
  }
  if (bits > kMaxBits) return Code::UnsupportedMessage;
  if (kind == kSimple) return unpackSimple<Float>(field, scale, bits, out);
  if (kind == kEntropy) return unpackEntropy<Float>(field, scale, bits, work, out);
  if (kind == kPng) return unpackPng<Float>(field, scale, work, out);
  return unpackJpeg2000<Float>(field, scale, work, out);
}

template Status unpackGrib<float>(const GribField&, Workspace&, uint8_t*);
template Status unpackGrib<double>(const GribField&, Workspace&, uint8_t*);

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
