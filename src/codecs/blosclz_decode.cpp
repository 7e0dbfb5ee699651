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
// length. Why it is fast: as in lz4_block.cpp; an inner loop without calls does nearly everything,
// most matches in one 8-byte copy, most literals in two vectors.
#include "base/bytes.hpp"
#include "codecs/blosclz.hpp"

namespace zw {
namespace {

constexpr uint32_t kFirstMatch = 32;
constexpr uint32_t kMarkMask = 31;
constexpr size_t kLongLength = 9;
constexpr size_t kFarHigh = 31 << 8;
constexpr size_t kFarBase = 8192;

/// Decodes while the data is valid and both ends are far; stops in front of the first other
/// control.
void decodeInner(const lz::Buffers& b, lz::Cursor& cursor) {
  // A control byte, 32 literals or a match without a long length; 32 loose bytes.
  constexpr ptrdiff_t kShortIn = 1 + 32, kShortOut = 32;
  // Locals: a store through op could change what b points to, for all the compiler knows.
  const uint8_t* const inEnd = b.inEnd;
  const uint8_t* const outLimit = b.outLimit;
  const uint8_t* const out = b.out;
  const uint8_t* ip = cursor.ip;
  uint8_t* op = cursor.op;
  while (inEnd - ip >= kShortIn && outLimit - op >= kShortOut) {
    const uint32_t control = *ip;
    if (control < kFirstMatch) {
      lz::copy16(op, ip + 1);
      lz::copy16(op + 16, ip + 17);
      ip += control + 2;
      op += control + 1;
      continue;
    }
    const uint8_t* next = ip + 1;
    size_t length = (control >> 5) + 2;
    if (length == kLongLength) {
      const size_t room = static_cast<size_t>(outLimit - op) - lz::kLoose;
      if (!lz::readLength(next, inEnd, room, length) || inEnd - next < 3) break;
    }
    size_t distance = (size_t{control & 31} << 8) + *next++ + 1;
    if (distance == kFarHigh + 256) {
      distance = kFarBase + (size_t{next[0]} << 8 | next[1]);
      next += 2;
    }
    if (distance > static_cast<size_t>(op - out)) break;
    if (length < kLongLength && distance >= 8) {
      lz::copy8(op, op - distance);
    } else {
      lz::copyMatchLoose(op, distance, length);
    }
    op += length;
    ip = next;
  }
  cursor = {ip, op};
}

/// Decodes what one control byte stands for, wherever it lies.
Status decodeOne(const lz::Buffers& b, uint32_t control, lz::Cursor& cursor) {
  const uint8_t*& ip = cursor.ip;
  uint8_t*& op = cursor.op;
  const size_t room = static_cast<size_t>(b.outLimit - op);
  if (control < kFirstMatch) {
    const size_t length = control + 1;
    if (length > static_cast<size_t>(b.inEnd - ip)) return Code::Truncated;
    if (length > room) return Code::Corrupt;
    lz::copyLiterals(op, ip, length, b.outLimit, b.inEnd);
    ip += length;
    op += length;
    return {};
  }
  size_t length = (control >> 5) + 2;
  if (length == kLongLength && !lz::readLength(ip, b.inEnd, room, length)) {
    return ip >= b.inEnd ? Code::Truncated : Code::Corrupt;
  }
  if (ip >= b.inEnd) return Code::Truncated;
  size_t distance = (size_t{control & 31} << 8) + *ip++ + 1;
  if (distance == kFarHigh + 256) {
    if (b.inEnd - ip < 2) return Code::Truncated;
    distance = kFarBase + (size_t{ip[0]} << 8 | ip[1]);
    ip += 2;
  }
  if (distance > static_cast<size_t>(op - b.out) || length > room) return Code::Corrupt;
  lz::copyMatch(op, distance, length, b.outLimit);
  op += length;
  return {};
}

}  // namespace

Status blosclzDecode(const lz::Buffers& b) {
  if (b.in == b.inEnd) return Code::Truncated;
  lz::Cursor cursor = {b.in + 1, b.out};
  Status s = decodeOne(b, *b.in & kMarkMask, cursor);
  while (!s && cursor.ip < b.inEnd) {
    decodeInner(b, cursor);
    if (cursor.ip < b.inEnd) {
      const uint32_t control = *cursor.ip++;
      s = decodeOne(b, control, cursor);
    }
  }
  if (!s && cursor.op != b.outEnd) s = Code::SizeMismatch;
  return s ? Status{s.code, static_cast<uint64_t>(cursor.ip - b.in)} : Status{};
}

}  // namespace zw
