// Decodes BloscLZ streams (derived from FastLZ): control bytes c, each followed by its operands.
// The top three bits of the first control byte are only a marker.
//
//   c < 32    c + 1 literals follow
//   c >= 32   match of length (c >> 5) + 2, from 3 to 8. If c >> 5 is 7, the length is 9 plus the
//             following bytes up to and including the first that is not 255
//             distance: low byte d follows; ((c & 31) << 8) + d + 1, from 1 to 8191.
//             If all thirteen bits are set, a big-endian u16 follows: 8192 + u16
//
// Safety: every length is checked against the remaining input and against outLimit before use, and
// every distance against the bytes written so far. (The reference decoder once missed the check of
// the match length.)
//
// Speed: as in lz4_block.cpp, an inner loop without calls decodes nearly all elements: most matches
// in one 8-byte copy, most literals in two vectors.
#include "base/bytes.hpp"
#include "codecs/blosclz.hpp"

namespace zw {
namespace {

constexpr uint32_t kFirstMatch = 32;
constexpr uint32_t kMarkMask = 31;
constexpr size_t kLongLength = 9;
constexpr size_t kFarHigh = 31 << 8;
constexpr size_t kFarBase = 8192;

/// Decodes while the data is valid and both ends are far away. Stops before the first control byte
/// that needs decodeOne.
void decodeInner(const lz::Buffers& b, lz::Cursor& cursor) {
  // A control byte with 32 literals, or with a match of short length; 32 bytes of loose output.
  constexpr ptrdiff_t kShortIn = 1 + 32, kShortOut = 32;
  // Local copies, since the compiler must assume that a store through op changes b.
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

/// Decodes the operands of one control byte, at any distance from the ends.
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
