// Builds the tANS decoding tables of pcodec and decodes batches with them.
//
// Safety: nodes are built so that states stay below the table size. A batch reads at most
// batchBytes() from a window of that size (PcoReader::window); isPastEnd() is checked afterwards.
//
// Speed: one 64-bit load serves four states. Offsets are read in a second loop without
// dependencies, since their positions are known by then.
#ifdef ZW_RARE_CODECS

#include "codecs/pcodec_table.hpp"

#include <bit>

#include "simd/u8x16.hpp"

namespace zw {
namespace {

/// Widest offset that a 64-bit load contains at any bit position.
constexpr uint32_t kOneLoad = 57;

/// States are assigned to bins with this stride, which is odd and thus reaches all states.
uint32_t stateStride(uint32_t states) {
  const uint32_t stride = 3 * states / 5;
  return stride % 2 ? stride : stride + 1;
}

uint64_t lowMask(uint32_t bits) {
  return (uint64_t{1} << bits) - 1;
}

template <class Latent>
void linkNodes(std::span<PcoBin> bins, std::span<PcoNode<Latent>> nodes, uint32_t log) {
  for (PcoNode<Latent>& node : nodes) {
    PcoBin& bin = bins[node.next];
    const uint32_t met = bin.met++;  // from the bin's weight up to twice the weight
    const uint32_t bits = log + 1 - static_cast<uint32_t>(std::bit_width(met));
    node = {static_cast<Latent>(bin.lower), static_cast<uint16_t>((met << bits) - nodes.size()),
            bin.offsetBits, static_cast<uint8_t>(bits)};
  }
}

/// Decodes the symbols of a batch, starting at bit `at`, and returns the bit position of their end.
/// Writes lower bounds to `latents`; the offset of latent i is at bits starts[i] to starts[i + 1]
/// after that end.
template <class Latent>
ZW_INLINE uint32_t decodeSymbols(const uint8_t* in, uint32_t at, const PcoNode<Latent>* nodes,
                                 uint32_t (&states)[4], uint32_t count, Latent* latents,
                                 uint32_t* starts) {
  uint32_t s0 = states[0], s1 = states[1], s2 = states[2], s3 = states[3];
  uint32_t offset = 0, i = 0;
  const auto step = [&](uint32_t& state, uint64_t& word, uint32_t slot) {
    const PcoNode<Latent>& node = nodes[state];
    latents[slot] = node.lower;
    starts[slot] = offset;
    offset += node.offsetBits;
    state = node.next + static_cast<uint32_t>(word & lowMask(node.stateBits));
    word >>= node.stateBits;
    at += node.stateBits;
  };
  for (; i + 4 <= count; i += 4) {
    uint64_t word = load<uint64_t>(in + at / 8) >> (at % 8);  // 57 bits, of which 4 * 14 are used
    step(s0, word, i);
    step(s1, word, i + 1);
    step(s2, word, i + 2);
    step(s3, word, i + 3);
  }
  states[0] = s0, states[1] = s1, states[2] = s2, states[3] = s3;
  for (; i < count; i++) {
    uint64_t word = load<uint64_t>(in + at / 8) >> (at % 8);
    step(states[i % 4], word, i);
  }
  starts[count] = offset;
  return at;
}

/// The offset of `bits` (up to 64) bits at bit `at`.
template <bool kWide>
ZW_INLINE uint64_t offsetAt(const uint8_t* in, uint32_t at, uint32_t bits) {
  const uint64_t low = load<uint64_t>(in + at / 8) >> (at % 8);
  if constexpr (!kWide) {
    return low & lowMask(bits);
  } else {
    const uint32_t middle = bits < 32 ? bits : 32, after = at + middle;
    const uint64_t high = load<uint64_t>(in + after / 8) >> (after % 8);
    return (low & lowMask(middle)) | (high & lowMask(bits - middle)) << middle;
  }
}

template <bool kWide, class Latent>
void addOffsets(const uint8_t* in, uint32_t at, const uint32_t* starts, uint32_t count,
                Latent* latents) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t start = starts[i], bits = starts[i + 1] - start;
    latents[i] += static_cast<Latent>(offsetAt<kWide>(in, at + start, bits));
  }
}

/// Reads latents of a table with one state: consecutive offsets.
template <bool kWide, class Latent>
void readOffsets(const uint8_t* in, uint32_t at, Latent lower, uint32_t bits, uint32_t count,
                 Latent* latents) {
  for (uint32_t i = 0; i < count; i++, at += bits) {
    latents[i] = lower + static_cast<Latent>(offsetAt<kWide>(in, at, bits));
  }
}

template <class Latent>
void decodeOnlyBin(PcoReader& in, const PcoTable<Latent>& table, uint32_t count, Latent* latents) {
  const Latent lower = table.nodes->lower;
  if (table.offsetBits == 0) {
    for (uint32_t i = 0; i < count; i++) latents[i] = lower;
    return;
  }
  const uint8_t* const window = in.window(table.batchBytes());
  const auto at = static_cast<uint32_t>(in.position() % 8);
  if (table.offsetBits <= kOneLoad) {
    readOffsets<false>(window, at, lower, table.offsetBits, count, latents);
  } else {
    readOffsets<true>(window, at, lower, table.offsetBits, count, latents);
  }
  in.skip(uint64_t{count} * table.offsetBits);
}

}  // namespace

template <class Latent>
Status makePcoTable(PcoReader& in, const PcoVariable& variable, uint32_t window,
                    std::span<PcoBin> bins, std::span<PcoNode<Latent>> nodes,
                    PcoTable<Latent>& table) {
  const auto states = static_cast<uint32_t>(nodes.size());  // a power of two
  const uint32_t stride = stateStride(states);
  // Deltas are stored with the middle of their range as zero.
  const uint64_t zero = variable.stateCount ? variable.middle() : 0;
  in.seek(variable.binsAt);
  table = {nodes.data(), variable.tableLog, 0};
  uint32_t state = 0, dealt = 0;
  for (size_t i = 0; i < bins.size(); i++) {
    const auto weight = static_cast<uint32_t>(in.bits(variable.tableLog)) + 1;
    const uint64_t lower = in.bits(variable.width);
    const auto offsetBits =
        static_cast<uint32_t>(in.bits(variable.binBits() - variable.tableLog - variable.width));
    const bool isInWindow = !variable.isLookback || (lower >= 1 && lower <= window);
    if (offsetBits > variable.width || weight > states - dealt || !isInWindow) {
      return {Code::BadHeader, in.byte()};
    }
    bins[i] = {lower + zero, static_cast<uint16_t>(weight), static_cast<uint8_t>(offsetBits)};
    if (offsetBits > table.offsetBits) table.offsetBits = offsetBits;
    for (const uint32_t end = dealt + weight; dealt < end; dealt++) {
      nodes[state].next = static_cast<uint16_t>(i);
      state = (state + stride) & (states - 1);
    }
  }
  if (!bins.empty() && dealt != states) return {Code::BadHeader, in.byte()};
  if (!bins.empty()) linkNodes(bins, nodes, variable.tableLog);
  return {};
}

template <class Latent>
bool decodePcoLatents(PcoReader& in, const PcoTable<Latent>& table, uint32_t (&states)[4],
                      uint32_t count, Latent* latents) {
  if (count == 0) return true;
  if (table.log == 0) {
    decodeOnlyBin(in, table, count, latents);
    return !in.isPastEnd();
  }
  uint32_t starts[kPcoBatch + 1];
  const uint8_t* const window = in.window(table.batchBytes());
  const auto first = static_cast<uint32_t>(in.position() % 8);
  const uint32_t at = decodeSymbols(window, first, table.nodes, states, count, latents, starts);
  if (table.offsetBits > kOneLoad) {
    addOffsets<true>(window, at, starts, count, latents);
  } else if (table.offsetBits > 0) {
    addOffsets<false>(window, at, starts, count, latents);
  }
  in.skip(at - first + starts[count]);
  return !in.isPastEnd();
}

template Status makePcoTable(PcoReader&, const PcoVariable&, uint32_t, std::span<PcoBin>,
                             std::span<PcoNode<uint32_t>>, PcoTable<uint32_t>&);
template Status makePcoTable(PcoReader&, const PcoVariable&, uint32_t, std::span<PcoBin>,
                             std::span<PcoNode<uint64_t>>, PcoTable<uint64_t>&);
template bool decodePcoLatents(PcoReader&, const PcoTable<uint32_t>&, uint32_t (&)[4], uint32_t,
                               uint32_t*);
template bool decodePcoLatents(PcoReader&, const PcoTable<uint64_t>&, uint32_t (&)[4], uint32_t,
                               uint64_t*);

}  // namespace zw

#endif
