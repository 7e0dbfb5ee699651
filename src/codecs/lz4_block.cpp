// Decodes LZ4 blocks: sequences of
//
//   token        high nibble: number of literals, low nibble: match length - 4; 15 = more follows
//   [255 …] n    added to the number of literals
//   literals
//   u16le        distance, 1..65535
//   [255 …] n    added to the match length
//
// The last sequence ends after its literals.
//
// Safety: every length is checked against the remaining input and against outLimit before use, and
// every distance against the bytes written so far. Output between outEnd and outLimit is detected
// at the end.
//
// Speed: nearly all sequences are decoded by a loop that stays far enough from both ends to copy
// whole vectors. It makes no calls, since V8 saves all registers around a call, even in a branch
// that is never taken. The remaining sequences go to a careful function. liblz4's decoder relies on
// copies that are fast natively but slow in WebAssembly.
#include "codecs/lz4_block.hpp"

#include "base/bytes.hpp"

namespace zw {
namespace {

constexpr size_t kMinMatch = 4;
constexpr size_t kNibbleFull = 15;

/// Decodes sequences while they are valid and far from both ends. Stops before the first one that
/// needs decodeOne, at the latest before the last.
void decodeInner(const lz::Buffers& b, lz::Cursor& cursor) {
  // Bytes that a sequence with short lengths may read and write, including loose copies.
  constexpr ptrdiff_t kShortIn = 1 + 16 + 2;
  constexpr ptrdiff_t kShortOut = 14 + 18 + static_cast<ptrdiff_t>(lz::kLoose);
  // Local copies, since the compiler must assume that a store through op changes b.
  const uint8_t* const inEnd = b.inEnd;
  const uint8_t* const outLimit = b.outLimit;
  const uint8_t* const out = b.out;
  const uint8_t* ip = cursor.ip;
  uint8_t* op = cursor.op;
  while (inEnd - ip >= kShortIn && outLimit - op >= kShortOut) {
    const uint32_t token = *ip;
    const uint8_t* next = ip + 1;
    uint8_t* to = op;
    size_t literals = token >> 4, length = token & 15;
    if (literals != kNibbleFull) {
      lz::copy16(to, next);
    } else {
      const size_t room = static_cast<size_t>(outLimit - op) - kShortOut;
      if (!lz::readLength(next, inEnd, room, literals)) break;
      if (static_cast<size_t>(inEnd - next) < literals + kShortIn) break;
      lz::copyLoose(to, next, literals);
    }
    to += literals;
    next += literals;
    const size_t distance = load<uint16_t>(next);
    next += 2;
    if (distance > static_cast<size_t>(to - out)) break;
    const uint8_t* from = to - distance;
    if (length != kNibbleFull && distance >= 16) {
      lz::copy16(to, from);
      store(to + 16, load<uint16_t>(from + 16));
    } else {
      if (length == kNibbleFull) {
        const size_t room = static_cast<size_t>(outLimit - to);
        if (!lz::readLength(next, inEnd, room, length)) break;
        if (room < length + kMinMatch + lz::kLoose) break;
      }
      if (distance == 0) break;
      lz::copyMatchLoose(to, distance, length + kMinMatch);
    }
    op = to + length + kMinMatch;
    ip = next;
  }
  cursor = {ip, op};
}

/// Decodes one sequence at any distance from the ends. `last` is set if it ended the block.
Status decodeOne(const lz::Buffers& b, lz::Cursor& cursor, bool& last) {
  const uint8_t*& ip = cursor.ip;
  uint8_t*& op = cursor.op;
  if (ip >= b.inEnd) return Code::Truncated;
  const uint8_t token = *ip++;
  size_t literals = token >> 4, length = token & 15;
  size_t room = static_cast<size_t>(b.outLimit - op);
  if (literals == kNibbleFull && !lz::readLength(ip, b.inEnd, room, literals)) {
    return ip >= b.inEnd ? Code::Truncated : Code::Corrupt;
  }
  if (literals > static_cast<size_t>(b.inEnd - ip)) return Code::Truncated;
  if (literals > room) return Code::Corrupt;
  lz::copyLiterals(op, ip, literals, b.outLimit, b.inEnd);
  op += literals;
  ip += literals;
  room -= literals;
  last = ip == b.inEnd;
  if (last) return {};
  if (b.inEnd - ip < 2) return Code::Truncated;
  const size_t distance = load<uint16_t>(ip);
  ip += 2;
  if (length == kNibbleFull && !lz::readLength(ip, b.inEnd, room, length)) {
    return ip >= b.inEnd ? Code::Truncated : Code::Corrupt;
  }
  length += kMinMatch;
  if (length > room) return Code::Corrupt;
  if (distance == 0 || distance > static_cast<size_t>(op - b.out)) return Code::Corrupt;
  lz::copyMatch(op, distance, length, b.outLimit);
  op += length;
  return {};
}

}  // namespace

Status lz4DecodeBlock(const lz::Buffers& b) {
  lz::Cursor cursor = {b.in, b.out};
  Status s;
  for (bool last = false; !last && !s;) {
    decodeInner(b, cursor);
    s = decodeOne(b, cursor, last);
  }
  if (!s && cursor.op != b.outEnd) s = Code::SizeMismatch;
  return s ? Status{s.code, static_cast<uint64_t>(cursor.ip - b.in)} : Status{};
}

}  // namespace zw
