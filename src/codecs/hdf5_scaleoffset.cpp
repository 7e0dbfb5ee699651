// hdf5_scaleoffset (bytes → bytes): HDF5's filter 6, integers as differences from their minimum, and
// floats as multiples of a power of ten above it. Name: Zarr v3 "hdf5_scaleoffset". Decoder only;
// full module only.
//
//   u32       bits of a value; all bits of the type: the values are not packed
//   u8        bytes of the minimum, 8
//   u64       minimum: an integer, or the bits of a float
//   8 bytes   unused
//   …         values, highest bits first, without gaps; all bits set = the fill value. Then up to
//             8 bits, so that a byte begins after the last value
//
// The minimum and the values are little-endian, whatever the byte order of the elements is.
//
// Parameters: [class, element size, big-endian, fill, fill low, fill high, count, scale low, scale high]
//   class   0 integers, 1 floats, 2 not encoded at all
//   fill    1 = there is a fill value: the next two words, of which the low bytes count
//   scale   the bits of the float64 10^D
//
// Trust: the number of values is the parameter, which must agree with the chunk; the input must
// have exactly the bytes that libhdf5 writes for them.
#ifdef ZW_RARE_CODECS

#include <algorithm>
#include <type_traits>

#include "codecs/sizes.hpp"
#include "codecs/values.hpp"
#include "kernels/byteswap.hpp"
#include "kernels/high_bits.hpp"

namespace zw {
namespace {

constexpr size_t kHeader = 21;
constexpr size_t kRun = 512;  // values at a time
enum Class : uint32_t { kInteger, kFloat, kPlain };

struct Coding {
  uint32_t bits;
  uint64_t minimum;
  uint64_t mark;  // stands for the fill value
  bool hasFill;
  uint64_t fill;
  double scale;
  bool isBigEndian;
};

Status prepare(Step& step) {
  if (step.params.size() != 9) return Code::BadParameters;
  const uint32_t kind = step.params[0], bytes = step.params[1], count = step.params[6];
  if (kind > kPlain || bytes == 0 || bytes > 8 || (bytes & (bytes - 1)) != 0) {
    return Code::BadParameters;
  }
  if (kind == kFloat && bytes < 4) return Code::BadParameters;
  const uint64_t size = uint64_t{count} * bytes;
  if (step.decoded.exact ? size != step.decoded.bytes : size > step.decoded.bytes) {
    return Code::BadParameters;
  }
  step.encoded = upperBound(size + kHeader + 1);
  return {};
}

template <class Float>
using IntegerOf = std::conditional_t<sizeof(Float) == 4, int32_t, int64_t>;

/// Returns the element that is stored as `x`, as libhdf5 computes it.
template <class T>
T restored(const Coding& coding, uint64_t x) {
  if constexpr (std::is_floating_point_v<T>) {
    using Integer = IntegerOf<T>;
    const auto minimum = bitCast<T>(static_cast<Integer>(coding.minimum));
    return static_cast<T>(static_cast<Integer>(x)) / static_cast<T>(coding.scale) + minimum;
  } else {
    return static_cast<T>(x + coding.minimum);
  }
}

template <class T>
T fillOf(const Coding& coding) {
  if constexpr (std::is_floating_point_v<T>) {
    return bitCast<T>(static_cast<IntegerOf<T>>(coding.fill));
  } else {
    return static_cast<T>(coding.fill);
  }
}

/// Unpacks values of up to 63 bits.
template <class Word>
void unpack(ByteView in, uint64_t at, uint32_t bits, size_t count, Word* out) {
  if constexpr (sizeof(Word) == 4) {
    if (bits == 0) {
      std::fill_n(out, count, 0);
    } else {
      unpackHighBits(in, at, bits, count, out);
    }
  } else {
    for (size_t i = 0; i < count; i++, at += bits) out[i] = wideHighBits(in.data(), at, bits);
  }
}

template <class T, class Word>
void decodeValues(const Coding& coding, ByteView in, size_t count, uint8_t* out) {
  Word packed[kRun];
  T values[kRun];
  const T fill = fillOf<T>(coding);
  for (size_t done = 0; done < count;) {
    const size_t run = std::min(kRun, count - done);
    unpack(in, uint64_t{done} * coding.bits, coding.bits, run, packed);
    for (size_t i = 0; i < run; i++) {
      const bool isFill = coding.hasFill && packed[i] == coding.mark;
      values[i] = isFill ? fill : restored<T>(coding, packed[i]);
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(values);
    uint8_t* to = out + done * sizeof(T);
    if (coding.isBigEndian && sizeof(T) > 1) {
      swapCopy(to, bytes, run, sizeof(T));
    } else {
      std::memcpy(to, bytes, run * sizeof(T));
    }
    done += run;
  }
}

template <class T>
void decodeAs(const Coding& coding, ByteView in, size_t count, uint8_t* out) {
  if (sizeof(T) == 8 && coding.bits > 32) {
    decodeValues<T, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(coding, in, count, out);
  } else {
    decodeValues<T, uint32_t>(coding, in, count, out);
  }
}

void decodeAll(uint32_t kind, uint32_t bytes, const Coding& coding, ByteView in, size_t count,
               uint8_t* out) {
  if (kind == kFloat) {
    return bytes == 4 ? decodeAs<float>(coding, in, count, out)
                      : decodeAs<double>(coding, in, count, out);
  }
  switch (bytes) {
    case 1:
      return decodeAs<uint8_t>(coding, in, count, out);
    case 2:
      return decodeAs<uint16_t>(coding, in, count, out);
    case 4:
      return decodeAs<uint32_t>(coding, in, count, out);
    default:
      return decodeAs<uint64_t>(coding, in, count, out);
  }
}

Status readHeader(const Step& step, ByteView in, Coding& coding) {
  if (in.size() < kHeader) return {Code::Truncated, in.size()};
  ByteReader reader(in);
  coding.bits = reader.u32();
  const uint32_t bytes = std::min<uint32_t>(reader.u8(), 8);
  coding.minimum = reader.u64();
  if (bytes < 8) coding.minimum &= (uint64_t{1} << 8 * bytes) - 1;
  if (coding.bits > 8 * step.params[1]) return {Code::BadHeader, 0};
  coding.mark = coding.bits < 64 ? (uint64_t{1} << coding.bits) - 1 : 0;
  coding.isBigEndian = step.params[2] != 0;
  coding.hasFill = step.params[3] != 0;
  coding.fill = wideParam(step, 4);
  coding.scale = bitCast<double>(wideParam(step, 7));
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const uint32_t kind = step.params[0], bytes = step.params[1];
  const size_t count = step.params[6], size = count * bytes;
  if (kind == kPlain) {
    if (in.size() != size) return {Code::SizeMismatch, in.size()};
    result = in;
    return {};
  }
  Coding coding;
  if (Status s = readHeader(step, in, coding)) return s;
  const ByteView data = in.subspan(kHeader);
  const bool isPacked = coding.bits < 8 * bytes;
  const size_t needed = static_cast<size_t>(uint64_t{count} * coding.bits / 8) + isPacked;
  if (data.size() < needed) return {Code::Truncated, in.size()};
  if (data.size() > needed) return {Code::TrailingBytes, kHeader + needed};
  if (isPacked) {
    decodeAll(kind, bytes, coding, data, count, out.data());
  } else if (coding.isBigEndian && bytes > 1) {
    swapCopy(out.data(), data.data(), count, bytes);
  } else {
    std::memcpy(out.data(), data.data(), size);
  }
  result = out.first(size);
  return {};
}

}  // namespace

constinit const Codec kHdf5ScaleOffsetCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
