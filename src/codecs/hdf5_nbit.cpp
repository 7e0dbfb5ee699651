// hdf5_nbit (bytes → bytes): HDF5's filter 5, which stores only the significant bits of numbers,
// also inside compounds and arrays. Name: Zarr v3 "hdf5_nbit". Decoder only; full module only.
//
//   bits   of each element the significant bits of its numbers and the bytes of other members, in
//          the order of the type; highest bits first, without gaps. Then 1 to 8 bits of padding
//
// Parameters: [result, words of the filter …]
//   result   0: bits that are not stored are zeros. 1, 2: numbers are moved to bit 0 and, if 2,
//            their signs are extended, as when libhdf5 converts them to the memory type
//   words    [number of words, 1 = not encoded, count of elements, type]
//   type     [1, size, big-endian, significant bits, first bit]         number
//            [2, size, type of the elements]                            array
//            [3, size, members, [offset, type of the member] …]         compound
//            [4, size]                                                  bytes
//
// Trust: prepare() checks that the types are complete, nested at most 16 deep and within their
// element, and adds up their bits. The input must have exactly the bytes that libhdf5 writes for
// them.
#ifdef ZW_RARE_CODECS

#include <algorithm>

#include "base/word_reader.hpp"
#include "codecs/sizes.hpp"
#include "kernels/high_bits.hpp"

namespace zw {
namespace {

constexpr uint32_t kMaxDepth = 16;
constexpr size_t kHeaderWords = 4;  // before the type
constexpr size_t kRun = 512;        // numbers at a time
enum Type : uint32_t { kNumber = 1, kArray, kCompound, kBytes };
enum Result : uint32_t { kInPlace, kUnsigned, kSigned };

struct Number {
  uint32_t bytes;
  bool isBigEndian;
  uint32_t bits;
  uint32_t first;
};

Number readNumber(WordReader& words) {
  const uint32_t bytes = words.next(), order = words.next(), bits = words.next();
  return {bytes, order != 0, bits, words.next()};
}

/// Checks a type, and adds the bits of its elements to `bits`; false if it is invalid.
bool measure(WordReader& words, uint32_t depth, uint64_t& size, uint64_t& bits) {
  const uint32_t type = words.next();
  if (type == kNumber) {
    const Number number = readNumber(words);
    size = number.bytes;
    bits = number.bits;
    return words.ok() && size > 0 && size <= kMaxItemBytes && bits > 0 &&
           bits + number.first <= 8 * size;
  }
  size = words.next();
  if (!words.ok() || size == 0 || size > kMaxItemBytes || depth == kMaxDepth) return false;
  uint64_t inner = 0, innerBits = 0;
  if (type == kArray) {
    if (!measure(words, depth + 1, inner, innerBits)) return false;
    bits = size / inner * innerBits;
    return size % inner == 0;
  }
  if (type == kBytes) bits = 8 * size;
  if (type != kCompound) return type == kBytes;
  const uint32_t members = words.next();
  uint64_t used = 0;
  bits = 0;
  for (uint32_t i = 0; i < members; i++) {
    const uint64_t offset = words.next();
    if (!measure(words, depth + 1, inner, innerBits) || offset + inner > size) return false;
    used += inner;
    bits += innerBits;
    if (used > size) return false;  // so that work is bounded by the size
  }
  return words.ok();
}

bool isPlain(const Step& step) {
  return step.params[2] != 0;
}

Status prepare(Step& step) {
  if (step.params.size() < kHeaderWords || step.params[0] > kSigned) return Code::BadParameters;
  if (step.params[1] != step.params.size() - 1) return Code::BadParameters;
  if (isPlain(step)) {
    step.encoded = step.decoded;
    return {};
  }
  WordReader words(step.params.subspan(kHeaderWords));
  uint64_t size = 0, bits = 0;
  if (!measure(words, 0, size, bits) || !words.atEnd()) return Code::BadParameters;
  const bool isNumber = step.params[kHeaderWords] == kNumber && size <= 8;
  if (step.params[0] != kInPlace && !isNumber) return Code::BadParameters;
  const uint64_t total = size * step.params[3];
  if (step.decoded.exact ? total != step.decoded.bytes : total > step.decoded.bytes) {
    return Code::BadParameters;
  }
  step.encoded = upperBound(bits * step.params[3] / 8 + 1);
  return {};
}

/// Reads bits that prepare() has counted.
struct Reader {
  ByteView in;
  uint64_t at = 0;

  uint32_t bits(uint32_t count) {
    const uint32_t value = highBits(in.data(), at, count);
    at += count;
    return value;
  }
};

/// Puts the bits of a number into its bytes, which are zeros.
void decodeNumber(const Number& number, Reader& reader, uint8_t* out) {
  const uint32_t end = number.first + number.bits;
  for (uint32_t byte = (end - 1) / 8 + 1; byte-- > number.first / 8;) {
    const uint32_t low = std::max(number.first, 8 * byte), high = std::min(end, 8 * byte + 8);
    const uint32_t bits = reader.bits(high - low) << (low - 8 * byte);
    out[number.isBigEndian ? number.bytes - 1 - byte : byte] = static_cast<uint8_t>(bits);
  }
}

void decodeType(WordReader& words, Reader& reader, uint8_t* out);

void decodeArray(uint32_t size, WordReader& words, Reader& reader, uint8_t* out) {
  const WordReader element = words;
  WordReader peek = words;
  (void)peek.next();
  const uint32_t elementBytes = peek.next();
  for (uint32_t done = 0; done < size; done += elementBytes) {
    words = element;
    decodeType(words, reader, out + done);
  }
}

void decodeType(WordReader& words, Reader& reader, uint8_t* out) {
  const uint32_t type = words.next();
  if (type == kNumber) return decodeNumber(readNumber(words), reader, out);
  const uint32_t size = words.next();
  if (type == kArray) return decodeArray(size, words, reader, out);
  if (type == kBytes) {
    for (uint32_t i = 0; i < size; i++) out[i] = static_cast<uint8_t>(reader.bits(8));
    return;
  }
  for (uint32_t members = words.next(); members > 0; members--) {
    uint8_t* const member = out + words.next();
    decodeType(words, reader, member);
  }
}

/// Stores the low bytes of a number.
inline void storeNumber(const Number& number, uint64_t value, uint8_t* out) {
  if (number.isBigEndian) value = __builtin_bswap64(value) >> (64 - 8 * number.bytes);
  std::memcpy(out, &value, number.bytes);
}

/// Decodes an array of numbers of at most 8 bytes.
void decodeNumbers(const Number& number, uint32_t mode, ByteView in, size_t count, uint8_t* out) {
  const uint32_t shift = mode == kInPlace ? number.first : 0;
  const uint64_t sign = mode == kSigned ? uint64_t{1} << (number.bits - 1) : 0;
  uint32_t packed[kRun];
  for (size_t done = 0; done < count;) {
    const size_t run = std::min(kRun, count - done);
    const uint64_t at = uint64_t{done} * number.bits;
    if (number.bits <= 32) unpackHighBits(in, at, number.bits, run, packed);
    for (size_t i = 0; i < run; i++) {
      const uint64_t value =
          number.bits > 32 ? wideHighBits(in.data(), at + uint64_t{i} * number.bits, number.bits)
                           : packed[i];
      storeNumber(number, ((value ^ sign) - sign) << shift, out + (done + i) * number.bytes);
    }
    done += run;
  }
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (isPlain(step)) {
    result = in;
    return checkDecodedSize(step, in.size());
  }
  const std::span<const uint32_t> type = step.params.subspan(kHeaderWords);
  WordReader words(type);
  uint64_t itemBytes = 0, itemBits = 0;
  (void)measure(words, 0, itemBytes, itemBits);
  const size_t count = step.params[3], size = count * static_cast<size_t>(itemBytes);
  const size_t needed = static_cast<size_t>(itemBits * count / 8) + 1;
  if (in.size() < needed) return {Code::Truncated, in.size()};
  if (in.size() > needed) return {Code::TrailingBytes, needed};
  result = out.first(size);
  if (type[0] == kNumber && itemBytes <= 8) {
    WordReader rest(type.subspan(1));
    decodeNumbers(readNumber(rest), step.params[0], in, count, out.data());
    return {};
  }
  if (size > 0) std::memset(out.data(), 0, size);
  Reader reader = {in};
  for (size_t i = 0; i < count; i++) {
    WordReader element(type);
    decodeType(element, reader, out.data() + i * static_cast<size_t>(itemBytes));
  }
  return {};
}

}  // namespace

constinit const Codec kHdf5NbitCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
