// The match finder of the BloscLZ and Snappy encoders: greedy, with one candidate per hash of four
// bytes, and larger steps the longer no match is found. A writer encodes the result in each format.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.hpp"
#include "codecs/workspace.hpp"
#include "simd/u8x16.hpp"

namespace zw::lz {

/// Last position of each hash of four bytes. Positions keep counting from stream to stream, so
/// entries of earlier streams are out of reach and the table is cleared only once.
struct MatchTable {
  uint32_t* last = nullptr;  // 2^bits positions
  uint32_t bits = 0;
  uint32_t base = 1;       // position of the stream's first byte; 0 = empty entry
  uint32_t skipShift = 5;  // the step grows by 1 after each 2^skipShift misses

  size_t slot(uint32_t word) const { return (word * 2654435761u) >> (32 - bits); }
  void clear() {
    std::memset(last, 0, sizeof(uint32_t) << bits);
    base = 1;
  }
};

/// Places an empty table in scratch memory.
inline Status makeMatchTable(Workspace& work, MatchTable& table) {
  constexpr uint32_t kBits = 14;
  ByteSpan scratch;
  if (Status s = work.scratch(ScratchSlot::Codec, sizeof(uint32_t) << kBits, scratch)) return s;
  table = {.last = reinterpret_cast<uint32_t*>(scratch.data()), .bits = kBits};
  table.clear();
  return {};
}

/// Number of equal bytes at a and b; a ends at `end`.
ZW_INLINE size_t commonBytes(const uint8_t* a, const uint8_t* b, const uint8_t* end) {
  const uint8_t* const start = a;
  for (; end - a >= 8; a += 8, b += 8) {
    const uint64_t difference = load<uint64_t>(a) ^ load<uint64_t>(b);
    if (difference) return static_cast<size_t>(a - start) + (std::countr_zero(difference) >> 3);
  }
  while (a < end && *a == *b) a++, b++;
  return static_cast<size_t>(a - start);
}

/// Writes `in` as literals and matches through `writer`, which has
///   bool literals(const uint8_t* from, size_t count);  count may be 0
///   bool match(size_t distance, size_t length);        length >= 4
///   bool isWorthwhile(size_t distance, size_t length);
///   kMaxDistance
/// If literals() or match() returns false, the output is full and encode() returns false. The
/// output starts and ends with at least one literal, and matches end at least 5 bytes before the
/// end.
template <class Writer>
bool encode(MatchTable& table, ByteView in, Writer& writer) {
  constexpr size_t kSearchMargin = 12, kMatchMargin = 5, kLongMatch = 8;
  const uint8_t* const start = in.data();
  const uint8_t* const end = start + in.size();
  const uint8_t* anchor = start;  // first unwritten byte
  const uint32_t base = table.base;
  table.base += static_cast<uint32_t>(in.size());  // here, since the loop may return early
  if (in.size() > kSearchMargin) {
    const uint8_t* const searchEnd = end - kSearchMargin;
    const uint8_t* const matchEnd = end - kMatchMargin;
    table.last[table.slot(load<uint32_t>(start))] = base;
    const uint32_t minMisses = 1u << table.skipShift;
    uint32_t misses = minMisses;
    for (const uint8_t* ip = start + 1; ip < searchEnd;) {
      const uint32_t word = load<uint32_t>(ip);
      uint32_t& last = table.last[table.slot(word)];
      const uint32_t position = base + static_cast<uint32_t>(ip - start);
      size_t distance = position - last;
      last = position;
      // Entries of earlier streams and empty ones are further back than this stream's first byte.
      if (distance <= static_cast<size_t>(ip - start) && distance <= Writer::kMaxDistance &&
          load<uint32_t>(ip - distance) == word) {
        size_t length = 4 + commonBytes(ip + 4, ip + 4 - distance, matchEnd);
        if (writer.isWorthwhile(distance, length)) {
          while (ip > anchor && ip - distance > start &&
                 ip[-1] == ip[-1 - static_cast<ptrdiff_t>(distance)]) {
            ip--;
            length++;
          }
          if (!writer.literals(anchor, static_cast<size_t>(ip - anchor))) return false;
          if (!writer.match(distance, length)) return false;
          ip += length;
          anchor = ip;
          const uint8_t* const seen = ip - 2;
          table.last[table.slot(load<uint32_t>(seen))] = base + static_cast<uint32_t>(seen - start);
          // A short match is likely a coincidence, so the step shrinks only partly.
          misses = length < kLongMatch ? minMisses + (misses - minMisses) / 2 : minMisses;
          continue;
        }
      }
      ip += misses++ >> table.skipShift;
    }
  }
  return writer.literals(anchor, static_cast<size_t>(end - anchor));
}

}  // namespace zw::lz
