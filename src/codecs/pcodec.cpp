// pcodec (array → bytes): numbers as entropy-coded latent variables. Decoder only; full module
// only. Names: Zarr v2 "pcodec", v3 "numcodecs.pcodec". Reads standalone files of the pco library
// (versions: docs/codecs/pcodec.md) without using that library.
//
//   header    "pco!", file version, number type of all chunks or 0, hint of the count, format
//             version
//   chunks    number type (1 byte), count - 1 (3 bytes), metadata, one page
//   0         end
//
// Parameters: none. The options of the encoder are recorded in the file.
//
// Trust: fields are checked as they are read. Before a chunk is decoded, its number type must be
// the array's and the counts must not exceed the array's; no field alone is used as an allocation
// size. Reading past the end of the data yields zeros, and is detected after each batch at the
// latest.
#ifdef ZW_RARE_CODECS

#include "codecs/pcodec_page.hpp"
#include "codecs/sizes.hpp"
#include "codecs/values.hpp"

namespace zw {
namespace {

constexpr uint32_t kMagic = 0x216f6370;  // "pco!"
constexpr uint32_t kNewestFile = 3, kNewestFormat = 4;
constexpr uint32_t kCountBits = 24;

/// A number type's byte in a file; 0 for types without one.
uint32_t typeByte(Number number) {
  switch (number) {
    case Number::Uint32:
      return 1;
    case Number::Uint64:
      return 2;
    case Number::Int32:
      return 3;
    case Number::Int64:
      return 4;
    case Number::Float32:
      return 5;
    case Number::Float64:
      return 6;
    case Number::Uint16:
      return 7;
    case Number::Int16:
      return 8;
    case Number::Float16:
      return 9;
    case Number::Uint8:
      return 10;
    case Number::Int8:
      return 11;
    default:
      return 0;
  }
}

Status prepare(Step& step) {
  const ArrayInfo& array = step.decodedArray;
  ValueType type;
  if (!step.params.empty()) return Code::BadParameters;
  if (!findValueType(array.dtype, type) || !typeByte(type.number)) return Code::BadParameters;
  // Pages may be short and each has metadata, so the bound is higher than for other compressors.
  const Size compressed = compressedSize({array.bytes(), true});
  step.encoded = upperBound(uint64_t{compressed.bytes} + array.bytes());
  return {};
}

/// Reads the header of a file; `format` is the major version of the format.
Status readHeader(PcoReader& in, uint32_t type, uint32_t& format) {
  if (in.bits(32) != kMagic) return {Code::BadHeader, 0};
  const uint64_t versionAt = in.position();
  const uint64_t version = in.bits(8);
  if (version > kNewestFile) return {Code::BadVersion, 4};
  if (version >= 3) {
    const uint64_t uniform = in.bits(8);
    if (uniform != 0 && uniform != type) return {Code::BadHeader, 5};
  }
  if (version >= 2) {
    const auto hintBits = static_cast<uint32_t>(in.bits(6)) + 1;
    in.skip(hintBits);  // the hint is not used
    if (!in.align()) return {Code::BadHeader, in.byte()};
  } else {
    in.seek(versionAt);  // the first files have a single version number
  }
  format = static_cast<uint32_t>(in.bits(8));
  if (format > kNewestFormat) return {Code::BadVersion, in.byte()};
  if (format >= 4) in.skip(8);  // minor version; newer ones are compatible
  return in.isPastEnd() ? Status{Code::Truncated, in.byte()} : Status{};
}

/// Reads the chunks of a file, which must have `count` numbers in total.
Status readChunks(PcoReader& in, uint32_t format, Number number, uint64_t count, Workspace& work,
                  uint8_t* out) {
  PcoMetadata metadata;
  while (true) {
    const uint64_t type = in.bits(8);
    if (in.isPastEnd()) return {Code::Truncated, in.byte()};
    if (type == 0) return count == 0 ? Status{} : Status{Code::SizeMismatch, in.byte()};
    if (type != typeByte(number)) return {Code::BadHeader, in.byte()};
    const auto numbers = static_cast<uint32_t>(in.bits(kCountBits)) + 1;
    if (numbers > count) return {Code::SizeMismatch, in.byte()};
    if (Status s = readPcoMetadata(in, format, number, numbers, metadata)) return s;
    if (Status s = decodePcoPage(in, metadata, number, numbers, work, out)) return s;
    out += size_t{numbers} * numberBytes(number);
    count -= numbers;
  }
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const ArrayInfo& array = step.decodedArray;
  ValueType type;
  (void)findValueType(array.dtype, type);
  PcoReader reader(in);
  uint32_t format = 0;
  if (Status s = readHeader(reader, typeByte(type.number), format)) return s;
  const uint64_t count = uint64_t{array.itemCount} * type.perItem;
  if (Status s = readChunks(reader, format, type.number, count, work, out.data())) return s;
  if (reader.byte() != in.size()) return {Code::TrailingBytes, reader.byte()};
  result = out.first(array.bytes());
  return {};
}

}  // namespace

constinit const Codec kPcodecCodec = {
    .kind = CodecKind::ArrayToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif
