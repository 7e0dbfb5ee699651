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

/// As libzstd, rejects weights above 11 in the description of a code, even if no symbol has them.
constexpr uint32_t kWeightLog = 6, kWeights = HuffmanTable::kLog + 1;

/// Lookups in a turn of the fast loops, of up to 11 bits each.
constexpr int kLookups = 5;

/// Literals below which a table of pairs costs more than it saves.
constexpr size_t kMinForPairs = 4096;

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

bool startLane(ByteView in, uint8_t* out, Lane& lane) {
  if (in.size() < 8 || in.back() == 0) return false;
  const int padding = std::countl_zero(static_cast<uint32_t>(in.back())) - 24 + 1;
  lane.at = in.data() + in.size() - 8;
  lane.bits = (load<uint64_t>(lane.at) | 1) << padding;
  lane.out = out;
  return true;
}

/// Drops the bits that were taken.
ZW_INLINE void reload(Lane& lane) {
  const int used = std::countr_zero(lane.bits);
  lane.at -= used >> 3;
  lane.bits = (load<uint64_t>(lane.at) | 1) << (used & 7);
}

Status readWeights(ByteView in, size_t& length, uint8_t* weights, uint32_t max, uint32_t& count) {
  if (in.empty()) return Code::Corrupt;
  const uint32_t head = in[0];
  if (head < 128) {
    length = 1 + head;
    if (length > in.size()) return Code::Corrupt;
    return decodeWeights(in.subspan(1, head), weights, max, count);
  }
  count = head - 127;
  length = 1 + (count + 1) / 2;
  if (length > in.size()) return Code::Corrupt;
  for (uint32_t i = 0; i < count; i++) weights[i] = (in[1 + i / 2] >> (i % 2 ? 0 : 4)) & 15;
  return {};
}

}  // namespace

Status HuffmanTable::read(ByteView in, size_t& length) {
  uint8_t weights[kMaxSymbols];
  uint32_t count;
  if (Status s = readWeights(in, length, weights, kMaxSymbols - 1, count)) return s;
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

/// The four streams of a section and their share of the output.
struct HuffmanTable::Streams {
  ByteView in[4];
  uint8_t* out[4];
  uint8_t* end[4];
};

/// Turns that neither overrun the room nor the front of a stream. A turn takes up to 55 bits of each
/// stream, so its address moves by up to 7, and writes up to `most` symbols.
size_t HuffmanTable::safeTurns(const Streams& streams, const Lane (&lanes)[4], size_t most) {
  size_t turns = SIZE_MAX;
  for (int i = 0; i < 4; i++) {
    turns = std::min({turns, static_cast<size_t>(lanes[i].at - streams.in[i].data()) / 7,
                      static_cast<size_t>(streams.end[i] - lanes[i].out) / most});
  }
  return turns;
}

/// Runs turns of single symbols, with two streams at a time: with four, V8 would keep few values in
/// registers; with one, each lookup waits for the last.
ZW_NOINLINE void HuffmanTable::turnOnes(Lane (&lanes)[4], size_t turns) const {
  Lane l0 = lanes[0], l1 = lanes[1], l2 = lanes[2], l3 = lanes[3];
  const Entry* const entries = entries_;
  const auto next = [&](Lane& lane, int k) {
    const Entry& entry = entries[static_cast<int>(lane.bits >> (64 - kLog))];
    lane.bits <<= entry.bits;
    lane.out[k] = entry.symbol;
  };
  const auto turn = [&](Lane& a, Lane& b) {
    for (int k = 0; k < kLookups; k++) next(a, k), next(b, k);
    a.out += kLookups;
    b.out += kLookups;
    reload(a);
    reload(b);
  };
  for (; turns > 0; turns--) {
    turn(l0, l1);
    turn(l2, l3);
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

/// Runs turns of lookups that give one or two symbols.
ZW_NOINLINE void HuffmanTable::turnPairs(Lane (&lanes)[4], size_t turns) const {
  Lane l0 = lanes[0], l1 = lanes[1], l2 = lanes[2], l3 = lanes[3];
  const Pair* const pairs = pairs_;
  const auto next = [&](Lane& lane) {
    const Pair& pair = pairs[static_cast<int>(lane.bits >> (64 - kLog))];
    lane.bits <<= pair.bits;
    std::memcpy(lane.out, pair.symbols, 2);
    lane.out += pair.count;
  };
  const auto turn = [&](Lane& a, Lane& b) {
    for (int k = 0; k < kLookups; k++) next(a), next(b);
    reload(a);
    reload(b);
  };
  for (; turns > 0; turns--) {
    turn(l0, l1);
    turn(l2, l3);
  }
  lanes[0] = l0, lanes[1] = l1, lanes[2] = l2, lanes[3] = l3;
}

/// Decodes most symbols and advances `lanes`.
void HuffmanTable::decodeFast(const Streams& streams, Lane (&lanes)[4]) {
  size_t in = 0, out = 0;
  for (int i = 0; i < 4; i++) {
    in += streams.in[i].size();
    out += static_cast<size_t>(streams.end[i] - streams.out[i]);
  }
  // Codes of less than 5.5 bits: two longer ones rarely fit into a lookup.
  const bool usesPairs = out >= kMinForPairs && 16 * in < 11 * out;
  if (usesPairs && !hasPairs_) buildPairs();
  while (const size_t turns = safeTurns(streams, lanes, usesPairs ? 2 * kLookups : kLookups)) {
    if (usesPairs) {
      turnPairs(lanes, turns);
    } else {
      turnOnes(lanes, turns);
    }
  }
}

bool HuffmanTable::split(ByteView in, ByteSpan out, Streams& streams) {
  constexpr size_t kJumpTable = 6, kMinLiterals = 6;
  const size_t share = (out.size() + 3) / 4;
  if (in.size() < kJumpTable || out.size() < kMinLiterals || 3 * share > out.size()) return false;
  ByteView rest = in.subspan(kJumpTable);
  for (int i = 0; i < 4; i++) {
    const size_t length = i < 3 ? load<uint16_t>(in.data() + 2 * i) : rest.size();
    if (length > rest.size()) return false;
    streams.in[i] = rest.first(length);
    rest = rest.subspan(length);
    streams.out[i] = out.data() + i * share;
    streams.end[i] = i < 3 ? streams.out[i] + share : out.data() + out.size();
  }
  return true;
}

Status HuffmanTable::decodeFour(ByteView in, ByteSpan out) {
  Streams streams;
  if (!split(in, out, streams)) return Code::Corrupt;
  Lane lanes[4];
  bool isFast = true;
  for (int i = 0; i < 4; i++) {
    isFast = isFast && startLane(streams.in[i], streams.out[i], lanes[i]);
  }
  if (isFast) decodeFast(streams, lanes);
  for (int i = 0; i < 4; i++) {
    BackwardBits bits;
    if (!bits.init(streams.in[i])) return Code::Corrupt;
    if (isFast) {
      bits.at = lanes[i].at;
      bits.word = load<uint64_t>(bits.at);
      bits.left = 64 - std::countr_zero(lanes[i].bits);
    }
    if (!finish(bits, isFast ? lanes[i].out : streams.out[i], streams.end[i])) return Code::Corrupt;
  }
  return {};
}

}  // namespace zw::zstd
