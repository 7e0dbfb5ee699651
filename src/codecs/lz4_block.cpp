// LZ4 block format: sequences of
//
//   token        high nibble: number of literals, low nibble: match length - 4; 15 = more follows
//   [255 …] n    added to the number of literals
//   literals
//   u16le        distance back, 1..65535
//   [255 …] n    added to the match length
//
// The last sequence ends after its literals.
//
// Why it is safe: every length is compared with what is left of the input and with outLimit before
// it is used, distances with what has been written. Running past outEnd but not past outLimit shows
// at the end. Why it is fast: the common sequence (up to 14 literals, a match of up to 18 bytes at
// a distance of 8 or more) is copied in fixed pieces without a branch on its lengths, all others in
// vectors up to the block's end. The library's decoder does the former, but its longer copies are
// made for native code and are slow in WebAssembly.
#include "codecs/lz4_block.hpp"

#include "base/bytes.hpp"

namespace zw {
namespace {

constexpr size_t kMinMatch = 4;
constexpr size_t kNibbleFull = 15;

/// What the short form reads after the token and writes, loose copies included.
constexpr ptrdiff_t kShortIn = 16 + 2;
constexpr ptrdiff_t kShortOut = 14 + 18 + static_cast<ptrdiff_t>(lz::kLoose);

/// Adds the bytes of a long length to `length`. False where the input ends first or the length
/// passes `most`; so it cannot wrap either.
ZW_INLINE bool readLength(const uint8_t*& ip, const uint8_t* end, size_t most, size_t& length) {
  uint8_t more;
  do {
    if (ip >= end) return false;
    more = *ip++;
    length += more;
    if (length > most) return false;
  } while (more == 255);
  return true;
}

}  // namespace

Status lz4DecodeBlock(const lz::Buffers& b) {
  const uint8_t* ip = b.in;
  uint8_t* op = b.out;
  const auto fail = [&](Code code) { return Status{code, static_cast<uint64_t>(ip - b.in)}; };
  for (;;) {
    if (ip >= b.inEnd) return fail(Code::Truncated);
    const uint8_t token = *ip++;
    size_t literals = token >> 4, length = token & 15, distance;
    if (literals != kNibbleFull && b.inEnd - ip >= kShortIn && b.outLimit - op >= kShortOut) {
      lz::copy16(op, ip);
      op += literals;
      ip += literals;
      distance = load<uint16_t>(ip);
      ip += 2;
      if (length != kNibbleFull && distance >= 8 && distance <= static_cast<size_t>(op - b.out)) {
        const uint8_t* from = op - distance;
        lz::copy8(op, from);
        lz::copy8(op + 8, from + 8);
        store(op + 16, load<uint16_t>(from + 16));
        op += length + kMinMatch;
        continue;
      }
    } else {
      const size_t room = static_cast<size_t>(b.outLimit - op);
      if (literals == kNibbleFull && !readLength(ip, b.inEnd, room, literals)) {
        return fail(ip >= b.inEnd ? Code::Truncated : Code::Corrupt);
      }
      if (literals > static_cast<size_t>(b.inEnd - ip)) return fail(Code::Truncated);
      if (literals > room) return fail(Code::Corrupt);
      lz::copyLiterals(op, ip, literals, b.outLimit, b.inEnd);
      op += literals;
      ip += literals;
      if (ip == b.inEnd) break;
      if (b.inEnd - ip < 2) return fail(Code::Truncated);
      distance = load<uint16_t>(ip);
      ip += 2;
    }
    const size_t room = static_cast<size_t>(b.outLimit - op);
    if (length == kNibbleFull && !readLength(ip, b.inEnd, room, length)) {
      return fail(ip >= b.inEnd ? Code::Truncated : Code::Corrupt);
    }
    length += kMinMatch;
    if (length > room) return fail(Code::Corrupt);
    if (distance == 0 || distance > static_cast<size_t>(op - b.out)) return fail(Code::Corrupt);
    lz::copyMatch(op, distance, length, b.outLimit);
    op += length;
  }
  return op == b.outEnd ? Status{} : fail(Code::SizeMismatch);
}

}  // namespace zw
