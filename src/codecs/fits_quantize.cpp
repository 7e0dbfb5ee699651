// fits_quantize (array → bytes): tiles of floats that FITS images store as integers (FITS standard
// 4.0, section 10.2). Name: Zarr v3 "fits_quantize". Decoder only; full module only.
//
//   f64   scale, zero; little-endian, as the next
//   i32   integer that stands for NaN
//   u16   first seed of the random numbers: (tile + ZDITHER0 - 1) modulo 10000, tiles from 0
//   u8    1 = an integer stands for NaN, 2 = the data are the floats themselves, big-endian
//   …     data as the codec conditional reads them: 32-bit integers, or floats
//
// value = (integer - random + 0.5) * scale + zero; the random number is 0.5 without dither.
//
// Parameters: [dither, big-endian, parameters of conditional…]
//   dither   0 none; 1, 2 SUBTRACTIVE_DITHER_1 and 2: with 2, an integer stands for 0.0
//
// Trust: the integers are decoded into the chunk itself. Seeds are checked before use.
#ifdef ZW_RARE_CODECS

#include <limits>
#include <new>

#include "codecs/sizes.hpp"
#include "codecs/step_pool.hpp"
#include "kernels/byteswap.hpp"

namespace zw {
namespace {

constexpr size_t kHeader = 23;
constexpr uint32_t kRandoms = 10000;
constexpr int32_t kZeroValue = -2147483646;
enum Dither : uint32_t { kNone, kDither1, kDither2 };
enum Flag : uint8_t { kHasBlank = 1, kIsPlain = 2 };

/// The random numbers of the standard (appendix I): x ← 16807 x modulo 2^31 - 1.
struct RandomNumbers {
  float values[kRandoms];

  RandomNumbers() {
    constexpr uint32_t kModulus = 2147483647;
    uint64_t seed = 1;
    for (float& value : values) {
      seed = seed * 16807 % kModulus;
      value = static_cast<float>(static_cast<double>(seed) / kModulus);
    }
  }
};

/// Yields the random numbers of a tile; without numbers 0.5, which leaves integers as they are.
class Random {
 public:
  Random(const RandomNumbers* numbers, uint32_t seed)
      : values_(numbers ? numbers->values : nullptr), seed_(seed) {
    if (values_) restart();
  }

  double next() {
    if (!values_) return 0.5;
    const float value = values_[at_++];
    if (at_ == kRandoms) {
      seed_ = seed_ + 1 == kRandoms ? 0 : seed_ + 1;
      restart();
    }
    return value;
  }

 private:
  void restart() { at_ = static_cast<uint32_t>(values_[seed_] * 500); }

  const float* values_;
  uint32_t seed_, at_ = 0;
};

struct Tile {
  double scale, zero;
  int32_t blank;
  uint32_t seed;
  bool hasBlank, isPlain;
};

Status prepare(Step& step) {
  if (step.params.size() < 3 || step.params[0] > kDither2 || step.params[1] > 1) {
    return Code::BadParameters;
  }
  const ArrayInfo& array = step.decodedArray;
  if (array.dtype != DTypeId::Float32 && array.dtype != DTypeId::Float64) {
    return Code::BadParameters;
  }
  std::span<Step> steps;
  if (!step.pool) return Code::LimitExceeded;
  if (Status s = step.pool->make(2, steps)) return s;
  for (Step& inner : steps) {
    inner.codec = &kConditionalCodec;
    inner.params = step.params.subspan(2);
    inner.pool = step.pool;
    inner.verifiesChecksums = step.verifiesChecksums;
    inner.decoded = {array.itemCount * sizeof(int32_t), true};
    if (&inner != steps.data()) inner.decoded.bytes = array.bytes();
    if (Status s = inner.codec->prepare(inner)) return s;
  }
  step.setInner(steps);
  step.encoded = upperBound(kHeader + uint64_t{steps[1].encoded.bytes});
  return {};
}

/// Stores a float of the array's type.
void storeFloat(uint8_t* out, size_t i, bool isDouble, double value) {
  if (isDouble) {
    store(out + i * sizeof(double), value);
  } else {
    store(out + i * sizeof(float), static_cast<float>(value));
  }
}

/// Converts the integers at the end of the chunk to floats. A float is written only over integers
/// that have been read.
void convert(const Step& step, const Tile& tile, Random random, ByteSpan out) {
  const size_t count = step.decodedArray.itemCount;
  const bool isDouble = step.decodedArray.itemBytes == sizeof(double);
  const bool isBigEndian = step.params[1] != 0, hasZeros = step.params[0] == kDither2;
  const uint8_t* from = out.data() + out.size() - count * sizeof(int32_t);
  for (size_t i = 0; i < count; i++, from += sizeof(int32_t)) {
    const uint32_t word = isBigEndian ? loadBigEndian(from) : load<uint32_t>(from);
    const auto integer = static_cast<int32_t>(word);
    double value = (integer - random.next() + 0.5) * tile.scale + tile.zero;
    if (hasZeros && integer == kZeroValue) value = 0;
    if (tile.hasBlank && integer == tile.blank) value = std::numeric_limits<double>::quiet_NaN();
    storeFloat(out.data(), i, isDouble, value);
  }
}

const RandomNumbers* randomNumbers(Workspace& work) {
  return work.context<RandomNumbers>(
      ContextId::FitsRandom, [] { return new (std::nothrow) RandomNumbers; },
      [](void* context) { delete static_cast<RandomNumbers*>(context); });
}

Status readTile(ByteView in, Tile& tile) {
  if (in.size() < kHeader) return {Code::Truncated, in.size()};
  ByteReader reader(in);
  tile.scale = bitCast<double>(reader.u64());
  tile.zero = bitCast<double>(reader.u64());
  tile.blank = static_cast<int32_t>(reader.u32());
  tile.seed = reader.u16();
  const uint8_t flags = reader.u8();
  tile.hasBlank = flags == kHasBlank;
  tile.isPlain = flags == kIsPlain;
  return flags > kIsPlain || tile.seed >= kRandoms ? Status{Code::BadHeader, 0} : Status{};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  Tile tile;
  if (Status s = readTile(in, tile)) return s;
  const ByteView data = in.subspan(kHeader);
  const ByteSpan room = out.first(step.decodedArray.bytes());
  result = room;
  const bool isDithered = step.params[0] != kNone;
  const RandomNumbers* const numbers = isDithered ? randomNumbers(work) : nullptr;
  if (isDithered && !numbers) return Code::OutOfMemory;
  const Step& inner = step.inner()[tile.isPlain];
  const ByteSpan last = room.last(inner.decoded.bytes);
  ByteView values;
  if (Status s = inner.codec->decode(inner, data, last, work, values)) return s.code;
  if (values.data() != last.data() && !last.empty()) {
    std::memcpy(last.data(), values.data(), last.size());
  }
  if (tile.isPlain) {
    const ArrayInfo& array = step.decodedArray;
    swapCopy(room.data(), room.data(), array.itemCount, array.itemBytes);
  } else {
    convert(step, tile, Random(numbers, tile.seed), room);
  }
  return {};
}

}  // namespace

constinit const Codec kFitsQuantizeCodec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
