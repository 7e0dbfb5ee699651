// zfp (array → bytes): lossy and lossless compression of floats and integers in 1 to 4 dimensions.
// Names: Zarr v3 "zfp" (no header); v2 "zfpy", v3 "numcodecs.zfpy" (with zfp's header). Full module
// only. The format of LLNL's zfp library, codec version 5, implemented from scratch.
//
//   header   32 bits  "zfp" 05
//            52 bits  element type (2), dimensions - 1 (2),
//                     lengths - 1 (48 / dimensions each, x first)
//            12 bits  mode; or 64 bits: an escape value and the four parameters
//   blocks   of 4 elements along each dimension, x (the last axis) fastest; zfp_block.cpp
//   padding  zeros up to a multiple of 64 bits
//
// Parameters: [header, minbits, maxbits, maxprec, minexp]
//   header   1 = the stream has a header, which then determines the mode for decoding; the other
//            parameters are for encoding
//   minexp   int32; below -1074 = reversible
//
// 8- and 16-bit integers are stored in the upper bits of 32-bit ones. Unsigned 32- and 64-bit
// integers are stored as signed ones, so larger values cannot be encoded.
//
// Trust: a header must match the array, and its parameters must be valid for the type. The output
// size is the array's, whatever the stream claims. Reading past the end of the stream yields zeros
// and ends decoding after the current block, whose size is bounded.
#ifdef ZW_RARE_CODECS

#include <algorithm>
#include <concepts>
#include <limits>

#include "codecs/sizes.hpp"
#include "codecs/zfp_block.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

constexpr uint32_t kMagicAndVersion = 0x0570667a;  // "zfp" 05
constexpr uint32_t kMetadataBits = 52, kShortModeBits = 12, kLongModeBits = 64;
constexpr uint32_t kMaxHeaderBits = 32 + kMetadataBits + kLongModeBits;
constexpr uint32_t kLongMode = 0xfff;
/// Values of the short mode: fixed rate, fixed precision, reversible, fixed accuracy.
constexpr uint32_t kPrecisionMode = 2048, kReversibleMode = kPrecisionMode + 128,
                   kAccuracyMode = kReversibleMode + 1;
/// maxbits of modes without a limit: the largest block, of doubles in four dimensions.
constexpr uint32_t kUnlimitedBits = 16658;
constexpr uint32_t kMaxParameterBits = 32768;  // of minbits and maxbits
constexpr int32_t kLongExponentBias = 16495;
constexpr int32_t kLowestExponent = -kLongExponentBias,
                  kHighestExponent = 32767 - kLongExponentBias;

/// The element types of the format, numbered as in its header.
enum class ZfpType : uint32_t { Int32, Int64, Float, Double };

/// The array in zfp's terms: four axes, x first; missing axes have length 1.
struct Field {
  ZfpType type = ZfpType::Int32;
  uint32_t dims = 1;
  uint32_t length[kZfpMaxDims] = {1, 1, 1, 1};

  uint64_t blocks() const {
    uint64_t count = 1;
    for (uint32_t axis = 0; axis < dims; axis++) count *= (uint64_t{length[axis]} + 3) / 4;
    return count;
  }
};

bool findType(DTypeId dtype, ZfpType& type) {
  switch (dtype) {
    case DTypeId::Int8:
    case DTypeId::Uint8:
    case DTypeId::Int16:
    case DTypeId::Uint16:
    case DTypeId::Int32:
    case DTypeId::Uint32:
      type = ZfpType::Int32;
      return true;
    case DTypeId::Int64:
    case DTypeId::Uint64:
      type = ZfpType::Int64;
      return true;
    case DTypeId::Float32:
      type = ZfpType::Float;
      return true;
    case DTypeId::Float64:
      type = ZfpType::Double;
      return true;
    default:
      return false;
  }
}

/// True for types that a header can represent.
bool isHeaderType(DTypeId dtype) {
  return dtype == DTypeId::Int32 || dtype == DTypeId::Int64 || dtype == DTypeId::Float32 ||
         dtype == DTypeId::Float64;
}

/// Describes an array as a field; false if zfp does not support it.
bool makeField(const ArrayInfo& array, Field& field) {
  if (array.rank > kZfpMaxDims || !findType(array.dtype, field.type)) return false;
  field.dims = std::max(1u, array.rank);
  for (uint32_t i = 0; i < array.rank; i++) field.length[i] = array.shape[array.rank - 1 - i];
  return true;
}

bool hasHeader(const Step& step) {
  return step.params[0] == 1;
}

ZfpMode makeMode(const Step& step) {
  return {step.params[1], step.params[2], step.params[3], signedParam(step, 4)};
}

/// Calls `f` with a value of the element type of blocks.
template <class F>
auto withType(ZfpType type, F f) {
  switch (type) {
    case ZfpType::Int32:
      return f(int32_t{});
    case ZfpType::Int64:
      return f(int64_t{});
    case ZfpType::Float:
      return f(float{});
    default:
      return f(double{});
  }
}

bool isValid(const ZfpMode& mode, ZfpType type) {
  const uint32_t headerBits =
      withType(type, [&]<class T>(T) { return zfpBlockHeaderBits<T>(mode); });
  return mode.minBits >= 1 && mode.minBits <= mode.maxBits && mode.maxBits <= kMaxParameterBits &&
         mode.maxBits >= headerBits && mode.maxPrecision >= 1 && mode.maxPrecision <= 64 &&
         mode.minExponent >= kLowestExponent && mode.minExponent <= kHighestExponent;
}

// Header.

uint64_t lengthBits(const Field& field) {
  return 48 / field.dims;
}

/// Writes a header; false if a length does not fit.
bool writeHeader(ZfpWriter& out, const Field& field, const ZfpMode& mode) {
  uint64_t lengths = 0;
  for (uint32_t axis = field.dims; axis-- > 0;) {
    const uint64_t bits = lengthBits(field), coded = uint64_t{field.length[axis]} - 1;
    if (coded >> bits) return false;
    lengths = (field.dims > 1 ? lengths << bits : 0) | coded;
  }
  const uint64_t metadata =
      lengths << 4 | uint64_t{field.dims - 1} << 2 | static_cast<uint32_t>(field.type);
  out.bits(kMagicAndVersion, 32);
  out.bits(metadata & UINT32_MAX, 32);
  out.bits(metadata >> 32, kMetadataBits - 32);
  const bool isFree = mode.minBits == 1 && mode.maxBits >= kUnlimitedBits;
  uint32_t shortMode = kLongMode;
  if (mode.minBits == mode.maxBits && mode.maxBits <= kPrecisionMode && mode.maxPrecision == 64 &&
      mode.minExponent == kZfpMinExponent) {
    shortMode = mode.maxBits - 1;
  } else if (isFree && mode.minExponent == kZfpMinExponent && mode.maxPrecision < 64) {
    shortMode = kPrecisionMode + mode.maxPrecision - 1;
  } else if (isFree && mode.maxPrecision == 64 && mode.isReversible()) {
    shortMode = kReversibleMode;
  } else if (isFree && mode.maxPrecision == 64 && mode.minExponent > kZfpMinExponent &&
             mode.minExponent - kZfpMinExponent < static_cast<int32_t>(kLongMode - kAccuracyMode)) {
    shortMode = kAccuracyMode + static_cast<uint32_t>(mode.minExponent - kZfpMinExponent);
  }
  out.bits(shortMode, kShortModeBits);
  if (shortMode == kLongMode) {
    out.bits(mode.minBits - 1, 15);
    out.bits(mode.maxBits - 1, 15);
    out.bits(mode.maxPrecision - 1, 7);
    out.bits(static_cast<uint32_t>(mode.minExponent + kLongExponentBias), 15);
  }
  return true;
}

ZfpMode readMode(ZfpReader& in) {
  const auto mode = static_cast<uint32_t>(in.bits(kShortModeBits));
  const auto number = [&](uint32_t bits) { return static_cast<uint32_t>(in.bits(bits)); };
  if (mode < kPrecisionMode) return {mode + 1, mode + 1, 64, kZfpMinExponent};
  if (mode < kReversibleMode)
    return {1, kUnlimitedBits, mode + 1 - kPrecisionMode, kZfpMinExponent};
  if (mode == kReversibleMode) return {1, kUnlimitedBits, 64, kZfpMinExponent - 1};
  if (mode != kLongMode) {
    const auto above = static_cast<int32_t>(mode - kAccuracyMode);
    return {1, kUnlimitedBits, 64, kZfpMinExponent + above};
  }
  const uint32_t minBits = number(15) + 1, maxBits = number(15) + 1, precision = number(7) + 1;
  return {minBits, maxBits, precision, static_cast<int32_t>(number(15)) - kLongExponentBias};
}

/// Reads a header and compares it with the array. The lengths must be the array's, or the number of
/// elements in one dimension, as written by early versions of numcodecs.
Status readHeader(ZfpReader& in, Field& field, ZfpMode& mode) {
  const uint64_t magic = in.bits(32), metadata = in.bits(kMetadataBits);
  mode = readMode(in);
  if (in.isPastEnd()) return Code::Truncated;
  if ((magic & 0xffffff) != (kMagicAndVersion & 0xffffff)) return Code::BadHeader;
  if (magic != kMagicAndVersion) return {Code::BadVersion, 3};
  if ((metadata & 3) != static_cast<uint32_t>(field.type)) return {Code::BadHeader, 4};
  Field found;
  found.type = field.type;
  found.dims = static_cast<uint32_t>(metadata >> 2 & 3) + 1;
  uint64_t lengths = metadata >> 4, items = 1;
  bool isSame = found.dims == field.dims;
  for (uint32_t axis = 0; axis < found.dims; axis++) {
    const uint64_t bits = lengthBits(found);
    const uint64_t length = (lengths & ((uint64_t{1} << bits) - 1)) + 1;
    lengths >>= bits;
    isSame = isSame && length == field.length[axis];
    found.length[axis] = static_cast<uint32_t>(std::min<uint64_t>(length, UINT32_MAX));
  }
  for (uint32_t length : field.length) items *= length;
  const bool isFlat = found.dims == 1 && found.length[0] == items;
  if (!isSame && !isFlat) return {Code::SizeMismatch, 4};
  if (!isValid(mode, found.type)) return {Code::BadHeader, 10};
  field = found;
  return {};
}

// Conversion of elements: T is the type in the array, B the type in blocks.

template <class T, class B>
bool toBlock(T value, B& held) {
  if constexpr (sizeof(T) < sizeof(B)) {
    constexpr int kShift = 31 - 8 * sizeof(T);
    constexpr int32_t kOffset = std::unsigned_integral<T> ? 1 << (8 * sizeof(T) - 1) : 0;
    held = (int32_t{value} - kOffset) * (1 << kShift);
  } else {
    held = static_cast<B>(value);
    if constexpr (std::unsigned_integral<T>) return held >= 0;
  }
  return true;
}

template <class T, class B>
T fromBlock(B held) {
  if constexpr (sizeof(T) < sizeof(B)) {
    constexpr int kShift = 31 - 8 * sizeof(T);
    constexpr int32_t kOffset = std::unsigned_integral<T> ? 1 << (8 * sizeof(T) - 1) : 0;
    const int32_t value = (held >> kShift) + kOffset;
    return static_cast<T>(
        std::clamp<int32_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (std::unsigned_integral<T>) {
    return held < 0 ? T{0} : static_cast<T>(held);
  } else {
    return held;
  }
}

/// Iterates over the blocks of a field, x fastest.
class Blocks {
 public:
  explicit Blocks(const Field& field) : field_(field) {
    size_t stride = 1;
    for (uint32_t axis = 0; axis < kZfpMaxDims; axis++) {
      stride_[axis] = stride;
      stride *= field.length[axis];
    }
  }

  /// The next block; false after the last one.
  ZW_NOINLINE bool next() {
    if (!started_) return started_ = true;
    for (uint32_t axis = 0; axis < field_.dims; axis++) {
      start_[axis] += 4;
      if (start_[axis] < field_.length[axis]) return true;
      start_[axis] = 0;
    }
    return false;
  }

  /// Lists the places in the block and the offset of each in the array, in elements, and returns
  /// their number. Places outside the array are skipped, or, if `padded`, get the offset of an
  /// element to repeat: along each axis the first element for the fourth place, otherwise the last.
  /// Not inlined, since there is one caller per element type.
  ZW_NOINLINE uint32_t list(bool padded, uint8_t* places, size_t* offsets) const {
    size_t offset[kZfpMaxDims][4];  // along each axis
    uint32_t inside[kZfpMaxDims];
    for (uint32_t axis = 0; axis < kZfpMaxDims; axis++) {
      inside[axis] = std::min(4u, field_.length[axis] - start_[axis]);
      for (uint32_t i = 0; i < 4; i++) {
        const uint32_t from = i < inside[axis] ? i : i == 3 ? 0 : inside[axis] - 1;
        offset[axis][i] = (size_t{start_[axis]} + from) * stride_[axis];
      }
    }
    uint32_t count = 0;
    for (uint32_t place = 0; place < 1u << (2 * field_.dims); place++) {
      const uint32_t x = place & 3, y = place >> 2 & 3, z = place >> 4 & 3, w = place >> 6;
      if (!padded && (x >= inside[0] || y >= inside[1] || z >= inside[2] || w >= inside[3]))
        continue;
      places[count] = static_cast<uint8_t>(place);
      offsets[count++] = offset[0][x] + offset[1][y] + offset[2][z] + offset[3][w];
    }
    return count;
  }

 private:
  const Field& field_;
  size_t stride_[kZfpMaxDims];
  uint32_t start_[kZfpMaxDims] = {};
  bool started_ = false;
};

template <class T, class B>
Status decodeBlocks(ZfpReader& in, const Field& field, const ZfpMode& mode, uint8_t* out) {
  B block[kZfpMaxBlock];
  uint8_t places[kZfpMaxBlock];
  size_t offsets[kZfpMaxBlock];
  for (Blocks blocks(field); blocks.next();) {
    zfpDecodeBlock(in, mode, field.dims, block);
    if (in.isPastEnd()) return Code::Truncated;
    const uint32_t count = blocks.list(false, places, offsets);
    for (uint32_t i = 0; i < count; i++) {
      store(out + offsets[i] * sizeof(T), fromBlock<T>(block[places[i]]));
    }
  }
  return {};
}

/// Encodes all blocks; false if an element is out of range or the output is full.
template <class T, class B>
bool encodeBlocks(ZfpWriter& out, const Field& field, const ZfpMode& mode, const uint8_t* in) {
  B block[kZfpMaxBlock];
  uint8_t places[kZfpMaxBlock];
  size_t offsets[kZfpMaxBlock];
  bool fits = true;
  for (Blocks blocks(field); fits && blocks.next();) {
    const uint32_t count = blocks.list(true, places, offsets);
    for (uint32_t i = 0; i < count; i++) {
      fits = toBlock(load<T>(in + offsets[i] * sizeof(T)), block[places[i]]) && fits;
    }
    zfpEncodeBlock(out, mode, field.dims, block);
    fits = fits && !out.isFull();
  }
  return fits;
}

/// Calls `f` with a value of the array's type and one of the blocks' type.
template <class F>
auto withTypes(DTypeId dtype, F f) {
  switch (dtype) {
    case DTypeId::Int8:
      return f(int8_t{}, int32_t{});
    case DTypeId::Uint8:
      return f(uint8_t{}, int32_t{});
    case DTypeId::Int16:
      return f(int16_t{}, int32_t{});
    case DTypeId::Uint16:
      return f(uint16_t{}, int32_t{});
    case DTypeId::Int32:
      return f(int32_t{}, int32_t{});
    case DTypeId::Uint32:
      return f(uint32_t{}, int32_t{});
    case DTypeId::Int64:
      return f(int64_t{}, int64_t{});
    case DTypeId::Uint64:
      return f(uint64_t{}, int64_t{});
    case DTypeId::Float32:
      return f(float{}, float{});
    default:
      return f(double{}, double{});
  }
}

/// Maximum encoded size of an array, in the mode of the parameters or of any header.
uint64_t maxBytes(const Field& field, const ZfpMode& mode) {
  const ZfpMode exact = {1, kUnlimitedBits, 64, kZfpMinExponent - 1};
  const uint64_t block = withType(field.type, [&]<class T>(T) {
    return std::max(zfpMaxBlockBits<T>(mode, field.dims), zfpMaxBlockBits<T>(exact, field.dims));
  });
  // No overflow: at most 2^31 blocks (of an element each) of 2^15 bits.
  return (kMaxHeaderBits + field.blocks() * block) / 8 + 16;
}

Status prepare(Step& step) {
  Field field;
  if (step.params.size() != 5 || step.params[0] > 1) return Code::BadParameters;
  if (!makeField(step.decodedArray, field)) return Code::BadParameters;
  if (hasHeader(step) && !isHeaderType(step.decodedArray.dtype)) return Code::BadParameters;
  if (!isValid(makeMode(step), field.type)) return Code::BadParameters;
  const uint64_t bytes = maxBytes(field, makeMode(step));
  if (bytes > UINT32_MAX / 2) return Code::LimitExceeded;
  step.encoded = {static_cast<size_t>(bytes), false};
  return {};
}

/// Checks the bits after the last block: zeros up to a multiple of 64 bits.
Status checkEnd(ZfpReader& in, ByteView bytes) {
  const uint64_t end = in.position(), size = uint64_t{8} * bytes.size();
  if (size > (end + 63) / 64 * 64) return {Code::TrailingBytes, (end + 7) / 8};
  bool found;
  in.zeros(static_cast<uint32_t>(size - end), found);
  return found ? Status{Code::TrailingBytes, end / 8} : Status{};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  Field field;
  makeField(step.decodedArray, field);
  ZfpMode mode = makeMode(step);
  ZfpReader reader(in);
  if (hasHeader(step)) {
    if (Status s = readHeader(reader, field, mode)) return s;
  }
  const Status s = withTypes(step.decodedArray.dtype, [&]<class T, class B>(T, B) {
    return decodeBlocks<T, B>(reader, field, mode, out.data());
  });
  if (s) return {s.code, in.size()};
  result = out.first(step.decoded.bytes);
  return checkEnd(reader, in);
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  Field field;
  makeField(step.decodedArray, field);
  const ZfpMode mode = makeMode(step);
  ZfpWriter writer(out);
  if (hasHeader(step) && !writeHeader(writer, field, mode)) return Code::EncodeFailed;
  const bool isComplete = withTypes(step.decodedArray.dtype, [&]<class T, class B>(T, B) {
    return encodeBlocks<T, B>(writer, field, mode, in.data());
  });
  const size_t size = writer.finish();
  if (!isComplete || writer.isFull()) return Code::EncodeFailed;
  result = out.first(size);
  return {};
}

}  // namespace

constinit const Codec kZfpCodec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
