// base64 (bytes → bytes): RFC 4648 with padding and without line breaks, as written by Python.
// Names: Zarr v2 "base64", v3 "numcodecs.base64". Full module only.
//
// Trust: the decoded size follows from the length and the padding, and is checked before anything
// is written. Other characters, padding anywhere but at the end, and nonzero padding bits are
// rejected.
#ifdef ZW_RARE_CODECS

#include <array>

#include "codecs/sizes.hpp"

namespace zw {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kPad = '=';
constexpr uint8_t kNotIn = 0x80;  // in kValues: not in the alphabet

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNotIn);
  for (uint8_t i = 0; i < 64; i++) values[static_cast<uint8_t>(kAlphabet[i])] = i;
  return values;
}();

/// Four characters as 24 bits, or with kNotIn << 24 set if one is not in the alphabet.
uint32_t quad(const uint8_t* text) {
  const uint32_t a = kValues[text[0]], b = kValues[text[1]], c = kValues[text[2]],
                 d = kValues[text[3]];
  return (a << 18 | b << 12 | c << 6 | d) | ((a | b | c | d) & kNotIn) << 24;
}

void storeTriple(uint8_t* to, uint32_t bits, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) to[i] = static_cast<uint8_t>(bits >> (16 - 8 * i));
}

/// Number of bytes (1 to 3) in the last four characters.
size_t lastBytes(const uint8_t* text) {
  return 3 - (text[3] == kPad) - (text[3] == kPad && text[2] == kPad);
}

Status prepare(Step& step) {
  if (!step.params.empty()) return Code::BadParameters;
  step.encoded = {(step.decoded.bytes + 2) / 3 * 4, step.decoded.exact};
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  if (in.size() % 4 != 0) return {Code::Truncated, in.size()};
  if (in.empty()) return decodedResult(step, room, 0, result);
  const size_t before = in.size() - 4;  // characters of whole triples
  const uint8_t* const last = in.data() + before;
  const size_t lastCount = lastBytes(last);
  const size_t total = before / 4 * 3 + lastCount;
  if (total > room.size()) return tooLarge(step);
  uint8_t* to = room.data();
  for (size_t at = 0; at < before; at += 4, to += 3) {
    const uint32_t bits = quad(in.data() + at);
    if (bits >> 24) return {Code::Corrupt, at};
    storeTriple(to, bits, 3);
  }
  uint8_t padded[4] = {last[0], last[1], last[2], last[3]};
  for (size_t i = lastCount + 1; i < 4; i++) padded[i] = 'A';  // encodes 0
  const uint32_t bits = quad(padded);
  const uint32_t unused = (1u << (24 - 8 * lastCount)) - 1;
  if (bits >> 24 || (bits & unused)) return {Code::Corrupt, before};
  storeTriple(to, bits, lastCount);
  return decodedResult(step, room, total, result);
}

[[maybe_unused]] Status encode(const Step&, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  const size_t size = (in.size() + 2) / 3 * 4;
  if (size > out.size()) return Code::EncodeFailed;
  uint8_t* to = out.data();
  for (size_t at = 0; at < in.size(); at += 3, to += 4) {
    const size_t left = in.size() - at;
    uint32_t bits = uint32_t{in[at]} << 16;
    if (left > 1) bits |= uint32_t{in[at + 1]} << 8;
    if (left > 2) bits |= in[at + 2];
    for (size_t i = 0; i < 4; i++) {
      to[i] = i <= left ? static_cast<uint8_t>(kAlphabet[bits >> (18 - 6 * i) & 63]) : kPad;
    }
  }
  result = out.first(size);
  return {};
}

}  // namespace

constinit const Codec kBase64Codec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
