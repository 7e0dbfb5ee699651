// cast_value (array → array): converts the values of integers and floats to another data type.
// Spec: zarr-extensions "cast_value" (v3). Decoding is the same procedure with the types swapped.
//
// A value becomes, in this order: its entry in the scalar map; the equal value of the other type,
// if there is one; the rounded value. If that is out of range, it is clamped (floats: to infinity),
// wrapped modulo 2^bits (integers) or rejected (NotRepresentable). Floats keep NaN and infinities;
// as integers, NaN is rejected and an infinity is out of range.
//
// Parameters: [encoded dtype, rounding, out of range, encode entries (count),
//              decode entries (count), (key, value)…]
//   rounding       enum Rounding
//   out of range   enum OutOfRange
//   entries        elements of the two data types, two words each, low word first, zero-extended;
//                  in ascending order of the unsigned keys, without duplicates. One NaN stands for
//                  all NaNs, and 0 for -0.
//
// Trust: entries are found by binary search, so a hostile plan with many entries gains nothing.
#include <algorithm>
#include <cstring>

#include "codecs/values.hpp"
#include "kernels/cast.hpp"

namespace zw {
namespace {

constexpr size_t kFixedSlots = 5;
constexpr size_t kEntryWords = 4;

struct Slots {
  enum : size_t { DType, Rounding, OutOfRange, EncodeEntries, DecodeEntries };
};

/// One direction of the codec.
struct Direction {
  CastRule rule;
  std::span<const uint32_t> entries;  // kEntryWords each
  size_t entryCount() const { return entries.size() / kEntryWords; }
  uint64_t key(size_t i) const { return wordsAt(i * kEntryWords); }
  uint64_t value(size_t i) const { return wordsAt(i * kEntryWords + 2); }

 private:
  uint64_t wordsAt(size_t i) const { return entries[i] | uint64_t{entries[i + 1]} << 32; }
};

Number toNumber(DTypeId dtype) {
  ValueType type;
  (void)findValueType(dtype, type);
  return type.number;
}

Direction makeDirection(const Step& step, bool encoding) {
  const Number outer = toNumber(step.decodedArray.dtype), inner = toNumber(step.encodedArray.dtype);
  const size_t encodeWords = kEntryWords * step.params[Slots::EncodeEntries];
  const auto entries = step.params.subspan(kFixedSlots);
  Direction direction;
  direction.rule = {encoding ? outer : inner, encoding ? inner : outer,
                    static_cast<Rounding>(step.params[Slots::Rounding]),
                    static_cast<OutOfRange>(step.params[Slots::OutOfRange])};
  direction.entries = encoding ? entries.first(encodeWords) : entries.subspan(encodeWords);
  return direction;
}

/// Normalises an element for lookup in the scalar map: one NaN, one zero.
uint64_t toKey(Number type, uint64_t bits) {
  if (!isFloat(type)) return bits;
  const uint32_t width = 8 * numberBytes(type);
  const uint64_t size = bits & (~uint64_t{0} >> (65 - width));
  const uint64_t infinity = type == Number::Float16   ? 0x7c00
                            : type == Number::Float32 ? 0x7f800000
                                                      : uint64_t{0x7ff} << 52;
  const uint64_t quiet = type == Number::Float16   ? 0x200
                         : type == Number::Float32 ? 0x400000
                                                   : uint64_t{1} << 51;
  if (size > infinity) return infinity | quiet;
  return size == 0 ? 0 : bits;
}

bool fitsWidth(Number type, uint64_t bits) {
  return numberBytes(type) == 8 || bits >> (8 * numberBytes(type)) == 0;
}

Status checkEntries(const Direction& direction) {
  for (size_t i = 0; i < direction.entryCount(); i++) {
    const uint64_t key = direction.key(i);
    const bool ascends = i == 0 || direction.key(i - 1) < key;
    const bool valid = fitsWidth(direction.rule.from, key) &&
                       toKey(direction.rule.from, key) == key &&
                       fitsWidth(direction.rule.to, direction.value(i));
    if (!ascends || !valid) return Code::BadParameters;
  }
  return {};
}

bool isReal(uint32_t dtype) {
  return dtype > static_cast<uint32_t>(DTypeId::Bool) &&
         dtype <= static_cast<uint32_t>(DTypeId::Float64);
}

Status prepare(Step& step) {
  const auto params = step.params;
  if (params.size() < kFixedSlots) return Code::BadParameters;
  const uint32_t dtype = params[Slots::DType];
  const uint64_t entries = uint64_t{params[Slots::EncodeEntries]} + params[Slots::DecodeEntries];
  if (params.size() - kFixedSlots != kEntryWords * entries) return Code::BadParameters;
  if (!isReal(dtype) || !isReal(static_cast<uint32_t>(step.decodedArray.dtype)) ||
      params[Slots::Rounding] > static_cast<uint32_t>(Rounding::NearestAway) ||
      params[Slots::OutOfRange] > static_cast<uint32_t>(OutOfRange::Wrap)) {
    return Code::BadParameters;
  }
  if (Status s = encodeAs(step, dtype)) return s;
  if (Status s = checkEntries(makeDirection(step, true))) return s;
  return checkEntries(makeDirection(step, false));
}

/// Loads an element as zero-extended bits.
uint64_t loadItem(Number type, const uint8_t* in) {
  uint64_t bits = 0;
  std::memcpy(&bits, in, numberBytes(type));
  return bits;
}

/// Index of the entry with this key, or entryCount().
size_t findKey(const Direction& direction, uint64_t key) {
  size_t low = 0, high = direction.entryCount();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (direction.key(middle) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool isFound = low < direction.entryCount() && direction.key(low) == key;
  return isFound ? low : direction.entryCount();
}

/// The unsigned type of the same width, to load and store raw bits.
Number unsignedType(Number type) {
  const uint32_t bytes = numberBytes(type);
  return bytes == 1   ? Number::Uint8
         : bytes == 2 ? Number::Uint16
         : bytes == 4 ? Number::Uint32
                      : Number::Uint64;
}

/// Casts a block with the scalar map and the rule. Returns like castBlock. Elements in the map are
/// replaced by 0 in a copy of the block, which is cast as a whole; then their mapped values are
/// stored.
size_t castItems(const Direction& direction, const uint8_t* in, size_t count, uint8_t* out) {
  const CastRule& rule = direction.rule;
  const size_t none = direction.entryCount();
  if (none == 0) return castBlock(rule, in, count, out);
  uint64_t bits[kNumberBlock];
  size_t found[kNumberBlock];
  uint8_t rest[kNumberBlock * 8];
  loadIntegers(unsignedType(rule.from), in, count, bits);
  for (size_t i = 0; i < count; i++) {
    found[i] = findKey(direction, toKey(rule.from, bits[i]));
    if (found[i] != none) bits[i] = 0;  // 0 casts to 0, whatever the types and the rule
  }
  storeIntegers(unsignedType(rule.from), bits, count, rest);
  const size_t done = castBlock(rule, rest, count, out);
  const uint32_t width = numberBytes(rule.to);
  for (size_t i = 0; i < done; i++) {
    if (found[i] == none) continue;
    const uint64_t value = direction.value(found[i]);
    storeIntegers(unsignedType(rule.to), &value, 1, out + i * width);
  }
  return done;
}

Status castAll(const Direction& direction, ByteView in, size_t count, uint8_t* out) {
  const uint32_t from = numberBytes(direction.rule.from), to = numberBytes(direction.rule.to);
  for (size_t at = 0; at < count; at += kNumberBlock) {
    const size_t n = std::min(kNumberBlock, count - at);
    const size_t done = castItems(direction, in.data() + at * from, n, out + at * to);
    if (done < n) return {Code::NotRepresentable, (at + done) * from};
  }
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (Status s = checkBytes(step.encodedArray, in)) return s;
  result = out.first(step.decodedArray.bytes());
  return castAll(makeDirection(step, false), in, step.decodedArray.itemCount, out.data());
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  if (Status s = checkBytes(step.decodedArray, in)) return s;
  result = out.first(step.encodedArray.bytes());
  return castAll(makeDirection(step, true), in, step.decodedArray.itemCount, out.data());
}

/// The fill value must survive a cast in both directions.
Status mapFill(const Step& step, const uint8_t* decoded, uint8_t* encoded) {
  uint8_t again[8];
  if (castItems(makeDirection(step, true), decoded, 1, encoded) == 0 ||
      castItems(makeDirection(step, false), encoded, 1, again) == 0) {
    return Code::BadFill;
  }
  const Number type = toNumber(step.decodedArray.dtype);
  const bool survives = toKey(type, loadItem(type, decoded)) == toKey(type, loadItem(type, again));
  return survives ? Status{} : Status{Code::BadFill};
}

}  // namespace

constinit const Codec kCastValueCodec = {
    .kind = CodecKind::ArrayToArray,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
    .mapFill = mapFill,
};

}  // namespace zw
