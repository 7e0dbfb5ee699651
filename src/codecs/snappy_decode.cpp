// Decodes Snappy streams: the decoded size as a varint (seven bits per byte, lowest first), then
// elements. The low two bits of an element's tag are its kind:
//
//   0  (tag >> 2) + 1 literals; if tag >> 2 is 60..63, the count - 1 follows in 1..4 bytes,
//      little-endian
//   1  match of ((tag >> 2) & 7) + 4 at distance (tag >> 5) << 8 | next byte
//   2  match of (tag >> 2) + 1 at distance u16le
//   3  match of (tag >> 2) + 1 at distance u32le
//
// Safety: every length is checked against the remaining input and against outLimit before use, and
// every distance against the bytes written so far. Speed: as in lz4_block.cpp, an inner loop
// without calls decodes nearly all elements.
#include "base/bytes.hpp"
#include "codecs/snappy.hpp"

namespace zw {
namespace {

/// Loads a little-endian number of `bytes` (1..4) bytes.
ZW_INLINE uint32_t loadShort(const uint8_t* p, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; i++) value |= uint32_t{p[i]} << (8 * i);
  return value;
}

/// Reads the decoded size; false if it is truncated or exceeds 32 bits.
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

/// Bytes after the tag of a match, by kind.
constexpr uint8_t kOperands[4] = {0, 1, 2, 4};

/// Reads length and distance of the match whose tag is at p.
ZW_INLINE void readMatch(const uint8_t* p, size_t& length, size_t& distance) {
  const uint32_t tag = *p;
  if ((tag & 3) == 1) {
    length = (tag >> 2 & 7) + 4;
    distance = size_t{tag} >> 5 << 8 | p[1];
  } else {
    length = (tag >> 2) + 1;
    distance = (tag & 3) == 2 ? load<uint16_t>(p + 1) : load<uint32_t>(p + 1);
  }
}

/// Decodes elements while they are valid and far from both ends. Stops before the first one that
/// needs decodeOne.
void decodeInner(const lz::Buffers& b, lz::Cursor& cursor) {
  // A tag and 60 literals, or a match of at most 64, including loose bytes.
  constexpr ptrdiff_t kShortIn = 1 + 60 + static_cast<ptrdiff_t>(lz::kLoose);
  constexpr ptrdiff_t kShortOut = 64 + static_cast<ptrdiff_t>(lz::kLoose);
  // Local copies, since the compiler must assume that a store through op changes b.
  const uint8_t* const inEnd = b.inEnd;
  const uint8_t* const outLimit = b.outLimit;
  const uint8_t* const out = b.out;
  const uint8_t* ip = cursor.ip;
  uint8_t* op = cursor.op;
  while (inEnd - ip >= kShortIn && outLimit - op >= kShortOut) {
    const uint32_t tag = *ip;
    if ((tag & 3) == 0) {
      const size_t length = (tag >> 2) + 1;
      if (length > 60) break;
      lz::copyLoose(op, ip + 1, length);
      op += length;
      ip += 1 + length;
      continue;
    }
    size_t length, distance;
    readMatch(ip, length, distance);
    if (distance == 0 || distance > static_cast<size_t>(op - out)) break;
    lz::copyMatchLoose(op, distance, length);
    op += length;
    ip += 1 + kOperands[tag & 3];
  }
  cursor = {ip, op};
}

Status decodeLiterals(const lz::Buffers& b, uint32_t tag, lz::Cursor& cursor) {
  size_t length = tag >> 2;
  if (length >= 60) {
    const size_t bytes = length - 59;
    if (bytes > static_cast<size_t>(b.inEnd - cursor.ip)) return Code::Truncated;
    length = loadShort(cursor.ip, bytes);
    cursor.ip += bytes;
  }
  // Compared before 1 is added, which could wrap.
  if (length >= static_cast<size_t>(b.inEnd - cursor.ip)) return Code::Truncated;
  if (length >= static_cast<size_t>(b.outLimit - cursor.op)) return Code::Corrupt;
  length++;
  lz::copyLiterals(cursor.op, cursor.ip, length, b.outLimit, b.inEnd);
  cursor.op += length;
  cursor.ip += length;
  return {};
}

/// Decodes one element at any distance from the ends.
Status decodeOne(const lz::Buffers& b, lz::Cursor& cursor) {
  const uint32_t tag = *cursor.ip++;
  if ((tag & 3) == 0) return decodeLiterals(b, tag, cursor);
  const size_t operands = kOperands[tag & 3];
  if (operands > static_cast<size_t>(b.inEnd - cursor.ip)) return Code::Truncated;
  size_t length, distance;
  readMatch(cursor.ip - 1, length, distance);
  cursor.ip += operands;
  if (distance == 0 || distance > static_cast<size_t>(cursor.op - b.out)) return Code::Corrupt;
  if (length > static_cast<size_t>(b.outLimit - cursor.op)) return Code::Corrupt;
  lz::copyMatch(cursor.op, distance, length, b.outLimit);
  cursor.op += length;
  return {};
}

}  // namespace

bool snappyDecodedSize(ByteView in, uint32_t& size) {
  const uint8_t* ip = in.data();
  return readSize(ip, in.data() + in.size(), size);
}

Status snappyDecode(const lz::Buffers& b) {
  lz::Cursor cursor = {b.in, b.out};
  uint32_t size = 0;
  Status s;
  if (!readSize(cursor.ip, b.inEnd, size)) s = Code::Corrupt;
  if (!s && size != static_cast<size_t>(b.outEnd - b.out)) s = Code::SizeMismatch;
  while (!s && cursor.ip < b.inEnd) {
    decodeInner(b, cursor);
    if (cursor.ip < b.inEnd) s = decodeOne(b, cursor);
  }
  if (!s && cursor.op != b.outEnd) s = Code::SizeMismatch;
  return s ? Status{s.code, static_cast<uint64_t>(cursor.ip - b.in)} : Status{};
}

}  // namespace zw
