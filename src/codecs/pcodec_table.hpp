// tANS tables of pcodec, and decoding of latents through them.
#pragma once

#include <span>

#include "codecs/pcodec_metadata.hpp"

namespace zw {

/// A state of a table: its bin, and how to find the next state. Latents of up to 32 bits are
/// decoded as 32 bits; they wrap correctly once truncated to their width.
template <class Latent>
struct PcoNode {
  Latent lower;
  uint16_t next;       // next state, without the bits that are read
  uint8_t offsetBits;  // of the latent
  uint8_t stateBits;   // of the next state
};

/// A bin of a variable, and the number of its states met while the table is built.
struct PcoBin {
  uint64_t lower;
  uint16_t met;
  uint8_t offsetBits;
};

/// The table of a variable.
template <class Latent>
struct PcoTable {
  const PcoNode<Latent>* nodes = nullptr;
  uint32_t log = 0;
  uint32_t offsetBits = 0;  // of the widest bin

  /// Maximum size of a batch in bytes.
  size_t batchBytes() const { return kPcoBatch * (log + offsetBits) / 8 + 1; }
};

/// Reads the bins of a variable and builds its table. `bins` must have room for all bins and
/// `nodes` for 2^tableLog states. `window` is the maximum lookback. The position of `in` is
/// unspecified afterwards.
template <class Latent>
Status makePcoTable(PcoReader& in, const PcoVariable& variable, uint32_t window,
                    std::span<PcoBin> bins, std::span<PcoNode<Latent>> nodes,
                    PcoTable<Latent>& table);

/// Decodes the next `count` latents of a batch with the four states of the page. False if the data
/// ends too early.
template <class Latent>
bool decodePcoLatents(PcoReader& in, const PcoTable<Latent>& table, uint32_t (&states)[4],
                      uint32_t count, Latent* latents);

}  // namespace zw
