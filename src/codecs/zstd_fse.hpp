// Tables of zstd's finite state entropy coder (RFC 8878, 4.1).
#pragma once

#include <bit>

#include "base/bytes.hpp"
#include "base/status.hpp"

namespace zw::zstd {

/// Probabilities of symbols, in units of 2^-log; -1 is "less than 1", which takes one state.
struct FseCounts {
  static constexpr uint32_t kMaxSymbols = 64;

  int16_t of[kMaxSymbols];
  uint32_t symbols;  // number of symbols, from 0
  uint32_t log;

  uint32_t states(uint32_t symbol) const {
    return of[symbol] < 0 ? 1 : static_cast<uint32_t>(of[symbol]);
  }
};

/// Reads a description of at most `maxSymbols` symbols from the front of `in` and sets its length.
/// Corrupt if it is invalid or its log exceeds `maxLog`.
Status readFseCounts(ByteView in, uint32_t maxSymbols, uint32_t maxLog, FseCounts& counts,
                     size_t& length);

/// Lists the symbol of each of the 2^counts.log states, of which there are at most 512.
void spreadFseSymbols(const FseCounts& counts, uint8_t* symbols);

/// Calls put(state, symbol, next, bits) for each state: it emits the symbol, and the next state is
/// `next` and the value of `bits` bits.
template <class Put>
void buildFseStates(const FseCounts& counts, Put put) {
  const uint32_t size = uint32_t{1} << counts.log;
  uint8_t symbols[512];
  spreadFseSymbols(counts, symbols);
  uint16_t nextOf[FseCounts::kMaxSymbols];
  for (uint32_t s = 0; s < counts.symbols; s++) nextOf[s] = static_cast<uint16_t>(counts.states(s));
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t x = nextOf[symbols[i]]++;
    const uint32_t bits = counts.log + 1 - static_cast<uint32_t>(std::bit_width(x));
    put(i, symbols[i], (x << bits) - size, bits);
  }
}

}  // namespace zw::zstd
