// Trust: weights are checked to form a complete code of at most 11 bits, so every entry is set.
// Lengths of streams are checked against the block; each must end exactly at its front and fill
// exactly its share of the output.
#include "codecs/zstd_huffman.hpp"

#include <algorithm>
#include <bit>

#include "codecs/zstd_bits.hpp"
#include "codecs/zstd_fse.hpp"

namespace zw::zstd {
namespace {

constexpr uint32_t kWeightLog = 6, kWeights = 16;

/// Decodes FSE-coded weights until the stream `in` is exhausted: two states take turns.
Status decodeWeights(ByteView in, uint8_t* weights, uint32_t max, uint32_t& count) {
  FseCounts counts;
  size_t length;
  if (Status s = readFseCounts(in, kWeights, kWeightLog, counts, length)) return s;
  struct State {
    uint8_t weight, bits, next;
  } states[1 << kWeightLog];
  buildFseStates(counts, [&](uint32_t at, uint8_t weight, uint32_t next, uint32_t width) {
    states[at] = {weight, static_cast<uint8_t>(width), static_cast<uint8_t>(next)};
  });
  BackwardBits bits;
  if (!bits.init(in.subspan(length))) return Code::Corrupt;
  uint32_t state[2] = {bits.take(counts.log), bits.take(counts.log)};
  if (bits.isOverrun()) return Code::Corrupt;
  count = 0;
  for (uint32_t turn = 0;; turn ^= 1) {
    if (count + 2 > max) return Code::Corrupt;
    const State& from = states[state[turn]];
    weights[count++] = from.weight;
    bits.refill();
    const uint32_t value = bits.take(from.bits);
    if (bits.isOverrun()) {
      weights[count++] = states[state[turn ^ 1]].weight;
      return {};
    }
    state[turn] = from.next + value;
  }
}

}  // namespace

static bool startLane(ByteView in, uint8_t* out, Lane& lane) {
  if (in.size() < 8 || in.back() == 0) return false;
  const int padding = std::countl_zero(static_cast<uint32_t>(in.back())) - 24 + 1;
  lane.at = in.data() + in.size() - 8;
  lane.bits = (load<uint64_t>(lane.at) | 1) << padding;
  lane.out = out;
  return true;
}

Status HuffmanTable::readWeights(ByteView in, size_t& length, uint8_t* weights,
                                 uint32_t& count) const {
  if (in.empty()) return Code::Corrupt;
  const uint32_t head = in[0];
  if (head < 128) {
    length = 1 + head;
    if (length > in.size()) return Code::Corrupt;
    return decodeWeights(in.subspan(1, head), weights, kMaxSymbols - 1, count);
  }
  count = head - 127;
  length = 1 + (count + 1) / 2;
  if (length > in.size()) return Code::Corrupt;
  for (uint32_t i = 0; i < count; i++) weights[i] = (in[1 + i / 2] >> (i % 2 ? 0 : 4)) & 15;
  return {};
}

Status HuffmanTable::read(ByteView in, size_t& length) {
  uint8_t weights[kMaxSymbols];
  uint32_t count;
  if (Status s = readWeights(in, length, weights, count)) return s;
  return build(weights, count) ? Status{} : Status{Code::Corrupt};
}

bool HuffmanTable::build(uint8_t* weights, uint32_t count) {
  hasPairs_ = false;
  uint32_t total = 0;
  uint32_t ofWeight[kLog + 2] = {};
  for (uint32_t i = 0; i < count; i++) {
    if (weights[i] > kLog) return false;
    ofWeight[weights[i]]++;
    total += (1u << weights[i]) >> 1;
  }
  if (total == 0) return false;
  const uint32_t log = std::bit_width(total);
  const uint32_t rest = (1u << log) - total;  // of the last symbol
  if (log > kLog || !std::has_single_bit(rest)) return false;
  weights[count] = static_cast<uint8_t>(std::bit_width(rest));
  ofWeight[weights[count++]]++;
  if (ofWeight[1] < 2 || ofWeight[1] % 2 != 0) return false;
  uint32_t from[kLog + 2];  // first entry of each weight
  uint32_t at = 0;
  for (uint32_t w = 1; w <= log; w++) {
    from[w] = at;
    at += ofWeight[w] << (w - 1) << (kLog - log);
  }
  for (uint32_t symbol = 0; symbol < count; symbol++) {
    const uint32_t w = weights[symbol];
    if (w == 0) continue;
    const uint32_t times = (1u << (w - 1)) << (kLog - log);
    const Entry entry = {static_cast<uint8_t>(log + 1 - w), static_cast<uint8_t>(symbol)};
    Entry* to = entries_ + from[w];
    from[w] += times;
    if (times >= 4) {
      const uint64_t four = bitCast<uint16_t>(entry) * 0x0001000100010001u;
      for (uint32_t i = 0; i < times; i += 4) std::memcpy(to + i, &four, 8);
    } else {
      for (uint32_t i = 0; i < times; i++) to[i] = entry;
    }
  }
  return true;
}

bool HuffmanTable::finish(BackwardBits bits, uint8_t* op, uint8_t* end) const {
  const auto next = [&] {
    const uint64_t top = bits.left >= static_cast<int32_t>(kLog)
                             ? bits.word >> ((bits.left - static_cast<int32_t>(kLog)) & 63)
                             : bits.word << ((static_cast<int32_t>(kLog) - bits.left) & 63);
    const Entry& entry = entries_[static_cast<uint32_t>(top) & kMasks.of[kLog]];
    bits.left -= entry.bits;
    *op++ = entry.symbol;
  };
  while (end - op >= 4) {
    bits.refill();
    if (bits.left < 4 * static_cast<int32_t>(kLog)) break;
    for (int i = 0; i < 4; i++) next();
  }
  while (op < end) {
    bits.refill();
    if (bits.left <= 0) return false;
    next();
  }
  bits.refill();
  return bits.isAtEnd();
}

Status HuffmanTable::decodeOne(ByteView in, ByteSpan out) const {
  BackwardBits bits;
  if (!bits.init(in) || !finish(bits, out.data(), out.data() + out.size())) return Code::Corrupt;
  return {};
}

/// Turns of the fast loop that neither overrun the room nor the fronts of the streams: a turn takes
/// up to 55 bits of a stream, so its address moves by up to 7.
static size_t safeTurns(const Lane (&lanes)[4], const ByteView (&streams)[4], size_t room, size_t perTurn) {
  size_t turns = room / perTurn;
  for (int i = 0; i < 4; i++) {
    turns = std::min(turns, static_cast<size_t>(lanes[i].at - streams[i].data()) / 7);
  }
  return turns;
}

/// Runs turns of single symbols: five of each stream.
[[gnu::noinline]] void HuffmanTable::turnOnes(Lane (&lanes)[4], size_t turns) const {
  Lane l0 = lanes[0], l1 = lanes[1], l2 = lanes[2], l3 = lanes[3];
  const Entry* const entries = entries_;
  const auto turn = [&](Lane& lane) {
    for (int k = 0; k < 5; k++) {
      const Entry& entry = entries[static_cast<int>(lane.bits >> (64 - kLog))];
      lane.bits <<= entry.bits;
      lane.out[k] = entry.symbol;
    }
    lane.out += 5;
    const int used = std::countr_zero(lane.bits);
    lane.at -= used >> 3;
    lane.bits = (load<uint64_t>(lane.at) | 1) << (used & 7);
  };
  for (; turns > 0; turns--) {
    turn(l0);
    turn(l1);
    turn(l2);
    turn(l3);
  }
  lanes[0] = l0, lanes[1] = l1, lanes[2] = l2, lanes[3] = l3;
}

void HuffmanTable::buildPairs() {
  for (uint32_t i = 0; i < (1u << kLog); i++) {
    const Entry first = entries_[i], second = entries_[(i << first.bits) & kMasks.of[kLog]];
    const uint8_t both = first.bits + second.bits;
    const bool fits = both <= kLog;
    pairs_[i] = {{first.symbol, second.symbol},
                 fits ? both : first.bits,
                 static_cast<uint8_t>(fits ? 2 : 1)};
  }
  hasPairs_ = true;
}

/// Runs turns of five lookups in each stream, which give one or two symbols.
[[gnu::noinline]] void HuffmanTable::turnPairs(Lane (&lanes)[4], size_t turns) const {
  Lane l0 = lanes[0], l1 = lanes[1], l2 = lanes[2], l3 = lanes[3];
  const Pair* const pairs = pairs_;
  const auto turn = [&](Lane& lane) {
    for (int k = 0; k < 5; k++) {
      const Pair& pair = pairs[static_cast<int>(lane.bits >> (64 - kLog))];
      lane.bits <<= pair.bits;
      std::memcpy(lane.out, pair.symbols, 2);
      lane.out += pair.count;
    }
    const int used = std::countr_zero(lane.bits);
    lane.at -= used >> 3;
    lane.bits = (load<uint64_t>(lane.at) | 1) << (used & 7);
  };
  for (; turns > 0; turns--) {
    turn(l0);
    turn(l1);
    turn(l2);
    turn(l3);
  }
  lanes[0] = l0, lanes[1] = l1, lanes[2] = l2, lanes[3] = l3;
}

Status HuffmanTable::decodeFour(ByteView in, ByteSpan out) {
  constexpr size_t kJumpTable = 6, kMinLiterals = 6;
  if (in.size() < kJumpTable || out.size() < kMinLiterals) return Code::Corrupt;
  const size_t share = (out.size() + 3) / 4;
  ByteView streams[4];
  ByteView rest = in.subspan(kJumpTable);
  for (int i = 0; i < 4; i++) {
    const size_t length = i < 3 ? load<uint16_t>(in.data() + 2 * i) : rest.size();
    if (length > rest.size()) return Code::Corrupt;
    streams[i] = rest.first(length);
    rest = rest.subspan(length);
  }
  if (3 * share > out.size()) return Code::Corrupt;
  Lane lanes[4];
  bool isFast = true;
  for (int i = 0; i < 4; i++) {
    isFast = isFast && startLane(streams[i], out.data() + i * share, lanes[i]);
  }
  uint8_t* const end = out.data() + out.size();
#ifndef TT
#define TT 11
#endif
  if (isFast && 16 * in.size() < TT * out.size() && out.size() >= 4096) {
    if (!hasPairs_) buildPairs();
    for (;;) {
      size_t room = static_cast<size_t>(end - lanes[3].out);
      for (int i = 0; i < 3; i++) {
        room = std::min(room, static_cast<size_t>(out.data() + (i + 1) * share - lanes[i].out));
      }
      const size_t turns = safeTurns(lanes, streams, room, 10);
      if (turns == 0) break;
      turnPairs(lanes, turns);
    }
  } else if (isFast) {
    while (const size_t turns =
               safeTurns(lanes, streams, static_cast<size_t>(end - lanes[3].out), 5)) {
      turnOnes(lanes, turns);
    }
  }
  for (int i = 0; i < 4; i++) {
    BackwardBits bits;
    uint8_t* op = out.data() + i * share;
    uint8_t* const to = i < 3 ? op + share : end;
    if (isFast) {
      bits.start = streams[i].data();
      bits.at = lanes[i].at;
      bits.word = load<uint64_t>(bits.at);
      bits.left = 64 - std::countr_zero(lanes[i].bits);
      op = lanes[i].out;
    } else if (!bits.init(streams[i])) {
      return Code::Corrupt;
    }
    if (!finish(bits, op, to)) return Code::Corrupt;
  }
  return {};
}

}  // namespace zw::zstd
