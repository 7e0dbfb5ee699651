// Trust: symbols are checked against their kind's values, so that every state that a stream can
// reach is set. Each sequence is checked against the literals, the room and the bytes before it.
#include "codecs/zstd_sequences.hpp"

#include <algorithm>

#include "codecs/lz_copy.hpp"
#include "codecs/zstd_bits.hpp"

namespace zw::zstd {
namespace {

struct Values {
  uint32_t base[53];
  uint8_t extra[53];
  uint8_t count;
  uint8_t maxLog;
};

/// Codes from `plain` on have base values that follow from the extra bits of the codes before them.
constexpr Values lengths(uint32_t first, uint8_t plain, std::initializer_list<uint8_t> extras,
                         uint8_t maxLog) {
  Values values{};
  uint32_t base = first;
  for (uint8_t code = 0; code < plain; code++) values.base[code] = base++;
  values.count = plain;
  for (const uint8_t extra : extras) {
    values.base[values.count] = base;
    values.extra[values.count++] = extra;
    base += uint32_t{1} << extra;
  }
  values.maxLog = maxLog;
  return values;
}

/// Code 31 is for offsets of 2 GiB and more.
constexpr uint8_t kOffsetCodes = 31;

constexpr Values offsetValues() {
  Values values{};
  for (uint8_t code = 0; code < kOffsetCodes; code++) {
    values.base[code] = uint32_t{1} << code;
    values.extra[code] = code;
  }
  values.count = kOffsetCodes;
  values.maxLog = 8;
  return values;
}

constexpr Values kValues[] = {
    lengths(0, 16, {1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 9),
    offsetValues(),
    lengths(3, 32, {1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 9),
};

constexpr FseCounts kPredefined[] = {
    {{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
      2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1},
     36,
     6},
    {{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1},
     29,
     5},
    {{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1},
     53,
     6},
};
constexpr uint32_t kPredefinedAt[] = {0, 64, 96};

/// Bytes that copyLong() may read and write beyond the requested ones.
constexpr size_t kSurplus = 32;

/// Copies at least one byte, at a distance of at least 16.
ZW_INLINE void copyLong(uint8_t* to, const uint8_t* from, size_t length) {
  uint8_t* const end = to + length;
  do {
    lz::copy16(to, from);
    lz::copy16(to + 16, from + 16);
    to += 32;
    from += 32;
  } while (to < end);
}

/// The share of states with extra bits below which these are rare, in 1/512.
constexpr uint32_t kRareShare = 40;

enum Mode : uint32_t { Predefined, Rle, Compressed, Repeat };

}  // namespace

SequenceDecoder::SequenceDecoder() {
  for (const Kind kind : {LiteralLengths, Offsets, MatchLengths}) {
    fill(kind, kPredefined[kind], predefined_ + kPredefinedAt[kind]);
  }
  startFrame();
}

void SequenceDecoder::startFrame() {
  std::fill(std::begin(isSet_), std::end(isSet_), false);
  offsets_[0] = 1, offsets_[1] = 4, offsets_[2] = 8;
}

SequenceDecoder::State SequenceDecoder::stateOf(Kind kind, uint32_t symbol, uint32_t next,
                                                uint32_t bits) {
  return {static_cast<uint16_t>(sizeof(State) * (kFirst[kind] + next)), static_cast<uint8_t>(bits),
          kValues[kind].extra[symbol], kValues[kind].base[symbol]};
}

void SequenceDecoder::fill(Kind kind, const FseCounts& counts, State* to) {
  buildFseStates(counts, [&](uint32_t at, uint32_t symbol, uint32_t next, uint32_t bits) {
    to[at] = stateOf(kind, symbol, next, bits);
  });
}

/// Share of the states whose lengths have extra bits, in 1/512.
uint32_t SequenceDecoder::extraShare(Kind kind, const FseCounts& counts) {
  uint32_t states = 0;
  for (uint32_t s = 0; s < counts.symbols; s++) {
    if (kValues[kind].extra[s] > 0) states += counts.states(s);
  }
  return states * 512 >> counts.log;
}

Status SequenceDecoder::readTable(Kind kind, uint32_t mode, ByteView in, size_t& length) {
  const Values& values = kValues[kind];
  State* const states = states_ + kFirst[kind];
  length = 0;
  if (mode == Repeat) return isSet_[kind] ? Status{} : Status{Code::Corrupt};
  isSet_[kind] = true;
  if (mode == Predefined) {
    const FseCounts& counts = kPredefined[kind];
    logs_[kind] = counts.log;
    extraShares_[kind] = extraShare(kind, counts);
    std::copy_n(predefined_ + kPredefinedAt[kind], size_t{1} << counts.log, states);
  } else if (mode == Rle) {
    if (in.empty() || in[0] >= values.count) return Code::Corrupt;
    length = 1;
    logs_[kind] = 0;
    extraShares_[kind] = values.extra[in[0]] > 0 ? 512 : 0;
    states[0] = stateOf(kind, in[0], 0, 0);
  } else {
    FseCounts counts;
    if (Status s = readFseCounts(in, values.count, values.maxLog, counts, length)) return s;
    logs_[kind] = counts.log;
    extraShares_[kind] = extraShare(kind, counts);
    fill(kind, counts, states);
  }
  return {};
}

Status SequenceDecoder::readDictionary(ByteView in, size_t& length) {
  length = 0;
  for (const Kind kind : {Offsets, MatchLengths, LiteralLengths}) {
    size_t bytes;
    if (Status s = readTable(kind, Compressed, in.subspan(length), bytes)) return s;
    length += bytes;
  }
  ByteReader reader(in.subspan(length));
  for (uint32_t& offset : offsets_) offset = reader.u32();
  if (!reader.ok()) return Code::Corrupt;
  length += reader.at();
  for (const uint32_t offset : offsets_) {
    if (offset == 0 || offset > reader.left()) return Code::Corrupt;
  }
  return {};
}

Status SequenceDecoder::decode(ByteView in, Literals literals, Output& out) {
  ByteReader head(in);
  uint32_t count = head.u8();
  if (count == 255) {
    count = head.u16() + 0x7f00u;
  } else if (count >= 128) {
    count = ((count - 128) << 8) + head.u8();
  }
  if (!head.ok()) return Code::Corrupt;
  if (count > 0) {
    const uint32_t modes = head.u8();
    if (!head.ok() || (modes & 3) != 0) return Code::Corrupt;
    size_t at = head.at();
    for (const Kind kind : {LiteralLengths, Offsets, MatchLengths}) {
      size_t length;
      const uint32_t mode = (modes >> (6 - 2 * kind)) & 3;
      if (Status s = readTable(kind, mode, in.subspan(at), length)) return s;
      at += length;
    }
    if (Status s = run(in.subspan(at), count, literals, out)) return s;
  } else if (head.left() > 0) {
    return Code::Corrupt;
  }
  const size_t left = static_cast<size_t>(literals.end - literals.at);
  if (left > static_cast<size_t>(out.end - out.at)) return Code::SizeMismatch;
  if (left > 0) std::memcpy(out.at, literals.at, left);
  out.at += left;
  return {};
}

Status SequenceDecoder::run(ByteView in, uint32_t count, Literals& literals, Output& out) {
  BackwardBits bits;
  if (!bits.init(in)) return Code::Corrupt;
  Position position;
  for (const Kind kind : {LiteralLengths, Offsets, MatchLengths}) {
    position.of[kind] =
        static_cast<uint32_t>(sizeof(State)) * (kFirst[kind] + bits.take(logs_[kind]));
  }
  if (bits.isOverrun()) return Code::Corrupt;
  // A branch on extra bits of lengths is fast if they are rare.
  const bool areShort = extraShares_[LiteralLengths] + extraShares_[MatchLengths] < kRareShare;
  while (count > 0) {
    const uint32_t some = std::min(count, kBatch);
    for (uint32_t at = 0; at < some; at++) {
      at = areShort ? readFast<true>(bits, position, at, some)
                    : readFast<false>(bits, position, at, some);
      if (at == some) break;
      const bool isLast = count == some && at + 1 == some;
      if (!readOne(bits, position, isLast, at)) return Code::Corrupt;
    }
    count -= some;
    if (Status s = execute(some, literals, out)) return s;
  }
  return bits.isAtEnd() ? Status{} : Status{Code::Corrupt};
}

/// Reads sequences as long as many bits are left. Returns the position after the last.
template <bool AreShort>
uint32_t SequenceDecoder::readFast(BackwardBits& bits, Position& position, uint32_t from,
                                   uint32_t to) {
  const auto* const states = reinterpret_cast<const uint8_t*>(states_);
  const auto stateAt = [&](uint32_t position) {
    return reinterpret_cast<const State*>(states + position);
  };
  // Each sequence refills at most twice, and each refill reads 8 bytes and moves by up to 7.
  constexpr ptrdiff_t kRefills = 16;
  if (bits.at - bits.start < kRefills) return from;
  const uint8_t* const safe = bits.start + kRefills;
  const uint8_t* at = bits.at;
  uint64_t word = bits.word;
  uint64_t left = static_cast<uint64_t>(bits.left);
  const State* literals = stateAt(position.of[LiteralLengths]);
  const State* offsets = stateAt(position.of[Offsets]);
  const State* matches = stateAt(position.of[MatchLengths]);
  const auto refill = [&] {
    at = at - 7 + (left >> 3);
    left |= 56;
    word = load<uint64_t>(at);
  };
  // The lowest n of the bits from `left` on. A table of masks is slower: the next state waits.
  const auto bitsAt = [&](uint64_t from, uint64_t n) {
    return static_cast<uint32_t>(word >> from) & ((1u << n) - 1);
  };
  const auto take = [&](uint64_t n) {
    left -= n;
    return bitsAt(left, n);
  };
  uint32_t* item = batch_.literalBytes + from;
  uint32_t* const end = batch_.literalBytes + to;
  for (; item < end && at >= safe; item++) {
    refill();
    item[2 * kBatch] = offsets->base + take(offsets->extra);
    uint32_t literalBytes = literals->base, matchBytes = matches->base;
    if constexpr (AreShort) {
      if (matches->extra + literals->extra > 0) [[unlikely]] {
        matchBytes += take(matches->extra);
        refill();
        literalBytes += take(literals->extra);
      }
    } else {
      const bool isLong = offsets->extra + matches->extra + literals->extra > 56 - 26;
      matchBytes += take(matches->extra);
      if (isLong) [[unlikely]]
        refill();
      literalBytes += take(literals->extra);
    }
    item[0] = literalBytes;
    item[kBatch] = matchBytes;
    const uint64_t l = literals->bits, m = matches->bits, o = offsets->bits;
    literals = stateAt(literals->next) + take(l);
    matches = stateAt(matches->next) + take(m);
    offsets = stateAt(offsets->next) + take(o);
  }
  bits.at = at;
  bits.word = word;
  bits.left = static_cast<int32_t>(left);
  const auto positionOf = [&](const State* state) {
    return static_cast<uint32_t>(reinterpret_cast<const uint8_t*>(state) - states);
  };
  position = {{positionOf(literals), positionOf(offsets), positionOf(matches)}};
  return static_cast<uint32_t>(item - batch_.literalBytes);
}

bool SequenceDecoder::readOne(BackwardBits& bits, Position& position, bool isLast, uint32_t at) {
  State of[Count];
  for (int kind = 0; kind < Count; kind++) {
    of[kind] = states_[position.of[kind] / sizeof(State)];
  }
  bits.refill();
  batch_.offset[at] = of[Offsets].base + bits.take(of[Offsets].extra);
  batch_.matchBytes[at] = of[MatchLengths].base + bits.take(of[MatchLengths].extra);
  bits.refill();
  batch_.literalBytes[at] = of[LiteralLengths].base + bits.take(of[LiteralLengths].extra);
  if (!isLast) {
    for (const Kind kind : {LiteralLengths, MatchLengths, Offsets}) {
      position.of[kind] = of[kind].next + 8 * bits.take(of[kind].bits);
    }
  }
  return !bits.isOverrun();
}

ZW_INLINE simd::U32x4 vectorAt(const uint32_t* from) {
  return load<simd::U32x4>(reinterpret_cast<const uint8_t*>(from));
}

/// True if no sequence of the batch can overrun the literals or the room, or reach back too far.
bool SequenceDecoder::isExecutedFast(uint32_t from, uint32_t to, const Literals& literals,
                                     const Output& out) const {
  // By vectors written out: the compiler's own reductions take longer than the loop.
  simd::U32x4 literalSums{}, matchSums{}, offsets{3, 3, 3, 3};
  uint32_t i = from;
  for (; i + 4 <= to; i += 4) {
    literalSums += vectorAt(batch_.literalBytes + i);
    matchSums += vectorAt(batch_.matchBytes + i);
    const simd::U32x4 more = vectorAt(batch_.offset + i);
    offsets = more > offsets ? more : offsets;
  }
  uint32_t literalBytes = 0, matchBytes = 0, offset = 3;
  for (int lane = 0; lane < 4; lane++) {
    literalBytes += literalSums[lane];
    matchBytes += matchSums[lane];
    offset = std::max(offset, offsets[lane]);
  }
  ZW_SCALAR_LOOP
  for (; i < to; i++) {
    literalBytes += batch_.literalBytes[i];
    matchBytes += batch_.matchBytes[i];
    offset = std::max(offset, batch_.offset[i]);
  }
  for (const uint32_t repeated : offsets_) offset = std::max(offset, repeated + 3);
  return literalBytes <= static_cast<size_t>(literals.end - literals.at) &&
         literalBytes + matchBytes + kSurplus <= static_cast<size_t>(out.end - out.at) &&
         offset - 3 <= static_cast<size_t>(out.at - out.start);
}

/// Executes sequences up to the first with a match at a distance of less than a vector.
uint32_t SequenceDecoder::executeFast(uint32_t from, uint32_t to, Literals& literals, Output& out) {
  uint32_t* const r = offsets_;
  uint32_t offset = r[0];
  uint8_t* op = out.at;
  const uint8_t* lp = literals.at;
  const uint32_t* item = batch_.literalBytes + from;
  const uint32_t* const end = batch_.literalBytes + to;
  for (; item < end; item++) {
    const uint32_t literalBytes = item[0], matchBytes = item[kBatch], code = item[2 * kBatch];
    if (code >= 3 + 16) {
      r[2] = r[1];
      r[1] = offset;
      offset = code - 3;
    } else {
      if (code > 3) break;
      const uint32_t which = code - (literalBytes != 0);
      const uint32_t next = which == 3 ? offset - 1 : which == 0 ? offset : r[which];
      if (next < 16) break;
      if (which > 1) r[2] = r[1];
      if (which > 0) r[1] = offset;
      offset = next;
    }
    lz::copy16(op, lp);
    if (literalBytes > 16) [[unlikely]]
      copyLong(op + 16, lp + 16, literalBytes - 16);
    lp += literalBytes;
    op += literalBytes;
    lz::copy16(op, op - offset);
    if (matchBytes > 16) [[unlikely]]
      copyLong(op + 16, op + 16 - offset, matchBytes - 16);
    op += matchBytes;
  }
  r[0] = offset;
  literals.at = lp;
  out.at = op;
  return static_cast<uint32_t>(item - batch_.literalBytes);
}

Status SequenceDecoder::executeOne(uint32_t at, Literals& literals, Output& out) {
  const uint32_t literalBytes = batch_.literalBytes[at], matchBytes = batch_.matchBytes[at],
                 code = batch_.offset[at];
  uint32_t* const r = offsets_;
  uint32_t offset = code - 3;
  uint32_t which = 2;  // the repeated offset that is replaced
  if (code <= 3) {
    which = code - (literalBytes != 0);
    offset = which == 3 ? r[0] - 1 : r[which];
  }
  if (which > 1) r[2] = r[1];
  if (which > 0) r[1] = r[0];
  r[0] = offset;
  if (literalBytes > static_cast<size_t>(literals.end - literals.at)) return Code::Corrupt;
  const size_t room = static_cast<size_t>(out.end - out.at);
  if (size_t{literalBytes} + matchBytes > room) return Code::SizeMismatch;
  const size_t before = static_cast<size_t>(out.at - out.start) + literalBytes;
  if (offset == 0 || offset > before) return Code::Corrupt;
  lz::copyLiterals(out.at, literals.at, literalBytes, out.end, literals.end + Literals::kSlack);
  literals.at += literalBytes;
  out.at += literalBytes;
  lz::copyMatch(out.at, offset, matchBytes, out.end);
  out.at += matchBytes;
  return {};
}

Status SequenceDecoder::execute(uint32_t count, Literals& literals, Output& out) {
  // All sequences are checked together, or if that fails, a few at a time.
  constexpr uint32_t kFew = 16;
  const bool areFast = isExecutedFast(0, count, literals, out);
  for (uint32_t at = 0; at < count;) {
    const uint32_t end = areFast ? count : std::min(at + kFew, count);
    const bool isFast = areFast || isExecutedFast(at, end, literals, out);
    while (at < end) {
      if (isFast) at = executeFast(at, end, literals, out);
      if (at == end) break;
      if (Status s = executeOne(at++, literals, out)) return s;
    }
  }
  return {};
}

}  // namespace zw::zstd
