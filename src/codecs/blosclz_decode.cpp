// BloscLZ stream (a descendant of FastLZ): control bytes c, each followed by its operands. The top
// three bits of the first control byte are no more than a mark.
//
//   c < 32    c + 1 literals follow
//   c >= 32   match of length (c >> 5) + 2, from 3 to 8; where c >> 5 is 7, of 9 + the bytes that
//             follow up to and including the first that is not 255
//             distance: low byte d follows; ((c & 31) << 8) + d + 1, from 1 to 8191;
//             where all thirteen bits are set, u16 big-endian follows: 8192 + that
//
// Why it is safe: every length is compared with what is left of the input and with outLimit before
// it is used, distances with what has been written. The reference decoder once forgot the match
// length. Why it is fast: see lz_copy.hpp; most matches are one 8-byte copy, most literals two
// vectors.
#include "base/bytes.hpp"
#include "codecs/blosclz.hpp"

namespace zw {
namespace {

constexpr uint32_t kFirstMatch = 32;
constexpr size_t kLongLength = 9;
constexpr size_t kFarHigh = 31 << 8;
constexpr size_t kFarBase = 8192;

}  // namespace

Status blosclzDecode(const lz::Buffers& b) {
  const uint8_t* ip = b.in;
  uint8_t* op = b.out;
  const auto fail = [&](Code code) { return Status{code, static_cast<uint64_t>(ip - b.in)}; };
  if (ip >= b.inEnd) return fail(Code::Truncated);
  uint32_t control = *ip++ & (kFirstMatch - 1);
  for (;;) {
    if (control < kFirstMatch) {
      const size_t length = control + 1;
      if (b.inEnd - ip >= 32 && b.outLimit - op >= 32) {
        lz::copy16(op, ip);
        lz::copy16(op + 16, ip + 16);
      } else {
        if (length > static_cast<size_t>(b.inEnd - ip)) return fail(Code::Truncated);
        if (length > static_cast<size_t>(b.outLimit - op)) return fail(Code::Corrupt);
        lz::copyLiterals(op, ip, length, b.outLimit, b.inEnd);
      }
      ip += length;
      op += length;
    } else {
      const size_t room = static_cast<size_t>(b.outLimit - op);
      size_t length = (control >> 5) + 2;
      if (length == kLongLength) {
        uint8_t more;
        do {
          if (ip >= b.inEnd) return fail(Code::Truncated);
          more = *ip++;
          length += more;
          if (length > room) return fail(Code::Corrupt);  // so it cannot wrap either
        } while (more == 255);
      }
      if (ip >= b.inEnd) return fail(Code::Truncated);
      const size_t high = size_t{control & 31} << 8;
      const uint8_t low = *ip++;
      size_t distance = high + low + 1;
      if (low == 255 && high == kFarHigh) {
        if (b.inEnd - ip < 2) return fail(Code::Truncated);
        distance = kFarBase + (size_t{ip[0]} << 8 | ip[1]);
        ip += 2;
      }
      if (distance > static_cast<size_t>(op - b.out)) return fail(Code::Corrupt);
      if (length < kLongLength && distance >= 8 && room >= 8) {
        lz::copy8(op, op - distance);
      } else {
        if (length > room) return fail(Code::Corrupt);
        lz::copyMatch(op, distance, length, b.outLimit);
      }
      op += length;
    }
    if (ip >= b.inEnd) break;
    control = *ip++;
  }
  return op == b.outEnd ? Status{} : fail(Code::SizeMismatch);
}

}  // namespace zw
