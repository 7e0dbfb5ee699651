// Snappy stream: the decoded size as a varint (seven bits per byte, lowest first), then elements by
// the low two bits of their tag:
//
//   0  literals: (tag >> 2) + 1 of them; where tag >> 2 is 60..63, one more than the 1..4 bytes
//   that
//      follow, little-endian
//   1  match of ((tag >> 2) & 7) + 4 at distance (tag >> 5) << 8 | next byte
//   2  match of (tag >> 2) + 1 at distance u16le
//   3  match of (tag >> 2) + 1 at distance u32le
//
// Why it is safe: every length is compared with what is left of the input and with outLimit before
// it is used, distances with what has been written.
#include "base/bytes.hpp"
#include "codecs/snappy.hpp"

namespace zw {
namespace {

/// Reads the little-endian number of `bytes` (1..4) bytes at p.
ZW_INLINE uint32_t loadShort(const uint8_t* p, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; i++) value |= uint32_t{p[i]} << (8 * i);
  return value;
}

/// Reads the size in front; false where it is cut short or does not fit 32 bits.
bool readSize(const uint8_t*& ip, const uint8_t* end, uint32_t& size) {
  uint64_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (ip >= end) return false;
    const uint8_t byte = *ip++;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      size = static_cast<uint32_t>(value);
      return value <= UINT32_MAX;
    }
  }
  return false;
}

}  // namespace

Status snappyDecode(const lz::Buffers& b) {
  const uint8_t* ip = b.in;
  uint8_t* op = b.out;
  const auto fail = [&](Code code) { return Status{code, static_cast<uint64_t>(ip - b.in)}; };
  uint32_t size = 0;
  if (!readSize(ip, b.inEnd, size)) return fail(Code::Corrupt);
  if (size != static_cast<size_t>(b.outEnd - b.out)) return fail(Code::SizeMismatch);
  while (ip < b.inEnd) {
    const uint8_t tag = *ip++;
    const size_t room = static_cast<size_t>(b.outLimit - op);
    const size_t kind = tag & 3;
    if (kind == 0) {
      size_t length = tag >> 2;
      if (length >= 60) {
        const size_t bytes = length - 59;
        if (bytes > static_cast<size_t>(b.inEnd - ip)) return fail(Code::Truncated);
        length = loadShort(ip, bytes);
        ip += bytes;
      }
      // Compared before the one is added, which could wrap.
      if (length >= static_cast<size_t>(b.inEnd - ip)) return fail(Code::Truncated);
      if (length >= room) return fail(Code::Corrupt);
      length++;
      lz::copyLiterals(op, ip, length, b.outLimit, b.inEnd);
      op += length;
      ip += length;
      continue;
    }
    size_t length = size_t{tag} >> 2, distance;
    const size_t operands = kind == 3 ? 4 : kind;
    if (operands > static_cast<size_t>(b.inEnd - ip)) return fail(Code::Truncated);
    if (kind == 1) {
      length = (length & 7) + 4;
      distance = size_t{tag} >> 5 << 8 | *ip;
    } else {
      length++;
      distance = kind == 2 ? load<uint16_t>(ip) : load<uint32_t>(ip);
    }
    ip += operands;
    if (distance == 0 || distance > static_cast<size_t>(op - b.out)) return fail(Code::Corrupt);
    if (length > room) return fail(Code::Corrupt);
    lz::copyMatch(op, distance, length, b.outLimit);
    op += length;
  }
  return op == b.outEnd ? Status{} : fail(Code::SizeMismatch);
}

}  // namespace zw
