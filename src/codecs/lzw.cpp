// lzw (bytes → bytes): TIFF's LZW. Names: "imagecodecs_lzw" in Zarr v2 and v3. Spec: TIFF 6.0,
// section 13; the old bit order follows libtiff. Full module only.
//
//   codes   9 to 12 bits wide: 0 … 255 is a byte, 256 clears the table, 257 ends the data, and
//           258 … is a string in the table. The first code is 256. Each code except the first after
//           a 256 adds a string: the previous string plus one byte
//   order   TIFF: highest bit first, and code width grows one code early (when string 510 is
//           added). Old: lowest bit first, and code width grows on time. The first two bytes tell
//           them apart: 80 and a byte below 80, or 00 and an odd byte
//   end     leftover bits of the last byte are ignored, and so is one zero byte after it (padding
//           to an even length). Code 257 may be missing if the chunk is complete, as in libtiff
//
// Parameters: none
//
// Strings are not stored: each is a range of the decoded output, so the table holds an address and
// a length per string, both known before its code can appear.
//
// Trust: the table only refers to bytes that were written; a code beyond the table is corrupt, and
// every copy is checked against the remaining room.
#ifdef ZW_RARE_CODECS

#include <cstring>

#include "codecs/lz_copy.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

enum SpecialCode : uint32_t { kClear = 256, kEnd = 257, kFirstString = 258 };

constexpr uint32_t kTableSize = 4096;
constexpr uint32_t kMinWidth = 9, kMaxWidth = 12;
/// The encoder clears its table before it reaches code 4094, as some decoders require.
constexpr uint32_t kEncoderLimit = 4094;

enum class Bits : uint8_t { HighFirst, LowFirst };

/// The bound is higher than for other compressors: 1.5 bytes per byte, codes that clear the table,
/// and room for foreign encoders.
Status prepare(Step& step) {
  if (!step.params.empty()) return Code::BadParameters;
  const uint64_t bytes = step.decoded.bytes;
  step.encoded = upperBound(bytes + bytes / 2 + bytes / 512 + 65536);
  return {};
}

/// Reads codes. Their positions do not depend on their values, so reading can run ahead.
template <Bits Order>
struct CodeReader {
  const uint8_t* in;
  uint64_t bits;    // total
  uint64_t at = 0;  // bits read
  size_t wholeEnd;  // each byte before this one has two successors

  explicit CodeReader(ByteView data)
      : in(data.data()),
        bits(uint64_t{data.size()} * 8),
        wholeEnd(data.size() < 2 ? 0 : data.size() - 2) {}

  ZW_INLINE bool has(uint32_t width) const { return at + width <= bits; }

  ZW_INLINE uint32_t take(uint32_t width) {
    const size_t byte = static_cast<size_t>(at >> 3);
    const auto bit = static_cast<uint32_t>(at & 7);
    const uint32_t third = byte < wholeEnd ? in[byte + 2] : 0;
    at += width;
    const uint32_t mask = (1u << width) - 1;
    if constexpr (Order == Bits::HighFirst) {
      const uint32_t word = uint32_t{in[byte]} << 16 | uint32_t{in[byte + 1]} << 8 | third;
      return word >> (24 - bit - width) & mask;
    }
    return (third << 16 | uint32_t{in[byte + 1]} << 8 | in[byte]) >> bit & mask;
  }

  size_t bytesRead() const { return static_cast<size_t>((at + 7) / 8); }
};

struct String {
  const uint8_t* from;
  uint32_t length;
};

/// The single-byte strings, with room for copies of whole vectors.
struct Literals {
  uint8_t bytes[256 + lz::kLoose];
  constexpr Literals() : bytes() {
    for (int i = 0; i < 256; i++) bytes[i] = static_cast<uint8_t>(i);
  }
};
constexpr Literals kLiterals;

struct Table {
  String* strings;
  uint32_t next = kFirstString;
  uint32_t width = kMinWidth;

  explicit Table(String* room) : strings(room) {
    for (uint32_t i = 0; i < kFirstString; i++) strings[i] = {kLiterals.bytes + (i & 255), 1};
  }
  void clear() {
    next = kFirstString;
    width = kMinWidth;
  }
  /// In TIFF's bit order, codes grow early.
  template <Bits Order>
  ZW_INLINE void add(String string) {
    if (next == kTableSize) return;
    strings[next++] = string;
    const uint32_t early = Order == Bits::HighFirst ? 1 : 0;
    width += next + early == 1u << width && width < kMaxWidth;
  }
};

/// Copies a string to an address where its end may overlap the copy by one byte.
ZW_INLINE void copyString(uint8_t* to, String string, const uint8_t* outEnd) {
  const auto room = static_cast<size_t>(outEnd - to);
  if (room < size_t{string.length} + lz::kLoose) {
    for (uint32_t i = 0; i < string.length; i++) to[i] = string.from[i];
    return;
  }
  // A vector reads the last byte of an overlapping string too early; it equals the first.
  lz::copy16(to, string.from);
  for (uint32_t i = lz::kLoose; i < string.length; i += lz::kLoose) {
    lz::copy16(to + i, string.from + i);
  }
  to[string.length - 1] = string.from + string.length > to ? to[0] : to[string.length - 1];
}

struct Decoded {
  size_t used = 0;
  size_t produced = 0;
  bool ended = false;  // by code 257
};

template <Bits Order>
Status decodeCodes(Table& table, ByteView in, ByteSpan room, Decoded& done) {
  CodeReader<Order> reader(in);
  uint8_t* const begin = room.data();
  uint8_t* const end = begin + room.size();
  uint8_t* out = begin;
  uint32_t before = 0;  // length of the previous string; 0 after a clear code
  while (reader.has(table.width)) {
    const uint32_t code = reader.take(table.width);
    if (code == kEnd) {
      done.ended = true;
      break;
    }
    if (code == kClear) {
      table.clear();
      before = 0;
      continue;
    }
    if (before > 0) table.add<Order>({out - before, before + 1});
    if (code >= table.next) return {Code::Corrupt, reader.bytesRead()};
    const String string = table.strings[code];
    if (string.length > static_cast<size_t>(end - out)) {
      return {Code::SizeMismatch, reader.bytesRead()};
    }
    copyString(out, string, end);
    out += string.length;
    before = string.length;
  }
  done.used = done.ended ? reader.bytesRead() : in.size();
  done.produced = static_cast<size_t>(out - begin);
  return {};
}

/// True if the rest is empty or a single byte of padding.
bool isPadding(ByteView rest) {
  return rest.empty() || (rest.size() == 1 && rest[0] == 0);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  if (in.size() < 2) return {Code::Truncated, in.size()};
  const bool highFirst = in[0] == 0x80 && in[1] < 0x80;
  const bool lowFirst = in[0] == 0 && in[1] % 2 == 1;
  if (!highFirst && !lowFirst) return Code::BadHeader;
  const ByteSpan room = decodeRoom(step, out);
  ByteSpan scratch;
  if (Status s = work.scratch(ScratchSlot::Codec, kTableSize * sizeof(String), scratch)) return s;
  Table table(reinterpret_cast<String*>(scratch.data()));
  Decoded done;
  const Status s = highFirst ? decodeCodes<Bits::HighFirst>(table, in, room, done)
                             : decodeCodes<Bits::LowFirst>(table, in, room, done);
  if (s) return s.code == Code::SizeMismatch ? Status{tooLarge(step), s.at} : s;
  const bool isWhole = step.decoded.exact && done.produced == step.decoded.bytes;
  if (!done.ended && !isWhole) return {Code::Truncated, in.size()};
  if (!isPadding(in.subspan(done.used))) return {Code::TrailingBytes, done.used};
  return decodedResult(step, room, done.produced, result);
}

/// Writes codes, highest bit first.
class CodeWriter {
 public:
  explicit CodeWriter(ByteSpan out) : at_(out.data()), end_(out.data() + out.size()) {}

  void put(uint32_t code, uint32_t width) {
    held_ = held_ << width | code;
    count_ += width;
    for (; count_ >= 8; count_ -= 8) putByte(static_cast<uint8_t>(held_ >> (count_ - 8)));
  }
  /// Pads the last byte with zeros. False if the codes did not fit.
  bool finish() {
    if (count_ > 0) putByte(static_cast<uint8_t>(held_ << (8 - count_)));
    return fits_;
  }
  const uint8_t* at() const { return at_; }

 private:
  void putByte(uint8_t byte) {
    fits_ = fits_ && at_ < end_;
    if (fits_) *at_++ = byte;
  }

  uint8_t* at_;
  uint8_t* end_;
  uint64_t held_ = 0;
  uint32_t count_ = 0;
  bool fits_ = true;
};

/// Hash table of strings: maps a prefix code and a byte to a code. Open addressing, with twice as
/// many slots as codes. A slot is key << 12 | code; used slots are never 0, since codes start at
/// 258.
class StringCodes {
 public:
  static constexpr size_t kSlots = 8192;

  explicit StringCodes(uint32_t* slots) : slots_(slots) { clear(); }
  void clear() { std::memset(slots_, 0, kSlots * sizeof(uint32_t)); }

  /// The slot of a key, or the free slot for it.
  uint32_t& find(uint32_t before, uint8_t byte) {
    const uint32_t key = before << 8 | byte;
    size_t at = key * 0x9e3779b1u >> 19;
    while (slots_[at] != 0 && slots_[at] >> 12 != key) at = (at + 1) % kSlots;
    return slots_[at];
  }
  static uint32_t entry(uint32_t before, uint8_t byte, uint32_t code) {
    return (before << 8 | byte) << 12 | code;
  }

 private:
  uint32_t* slots_;
};
static_assert(StringCodes::kSlots == size_t{1} << (32 - 19));

/// Encodes bytes, tracking the size of the decoder's table and thus the width of codes.
class Encoder {
 public:
  Encoder(CodeWriter& writer, StringCodes& codes) : writer_(writer), codes_(codes) { clear(); }

  void encode(ByteView in) {
    uint32_t before = in[0];
    for (size_t i = 1; i < in.size(); i++) {
      uint32_t& slot = codes_.find(before, in[i]);
      if (slot != 0) {
        before = slot % kTableSize;
        continue;
      }
      slot = StringCodes::entry(before, in[i], next_);
      put(before);
      before = in[i];
    }
    put(before);
  }
  void end() { writer_.put(kEnd, width_); }

 private:
  void clear() {
    writer_.put(kClear, width_);
    codes_.clear();
    next_ = kFirstString;
    width_ = kMinWidth;
  }
  void put(uint32_t code) {
    writer_.put(code, width_);
    next_++;
    if (next_ == kEncoderLimit) {
      clear();
    } else if (next_ == 1u << width_) {
      width_++;
    }
  }

  CodeWriter& writer_;
  StringCodes& codes_;
  uint32_t next_ = kFirstString;
  uint32_t width_ = kMinWidth;
};

[[maybe_unused]] Status encode(const Step&, ByteView in, ByteSpan out, Workspace& work,
                               ByteView& result) {
  ByteSpan scratch;
  const size_t tableBytes = StringCodes::kSlots * sizeof(uint32_t);
  if (Status s = work.scratch(ScratchSlot::Codec, tableBytes, scratch)) return s;
  StringCodes codes(reinterpret_cast<uint32_t*>(scratch.data()));
  CodeWriter writer(out);
  Encoder encoder(writer, codes);
  if (!in.empty()) encoder.encode(in);
  encoder.end();
  if (!writer.finish()) return Code::EncodeFailed;
  result = out.first(static_cast<size_t>(writer.at() - out.data()));
  return {};
}

}  // namespace

constinit const Codec kLzwCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
