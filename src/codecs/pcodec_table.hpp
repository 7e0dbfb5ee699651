// tANS tables of pcodec, and the latents of a batch that are decoded through them.
#pragma once

#include <span>

#include "codecs/pcodec_metadata.hpp"

namespace zw {

/// A state of a table: the bin it stands for, and how the next state is found. Latents of up to 32
/// bits are decoded as 32 bits, which wrap where their own width does once the rest is cut off.
template <class Latent>
struct PcoNode {
  Latent lower;
  uint16_t next;       // next state, less the bits that are read
  uint8_t offsetBits;  // of the latent
  uint8_t stateBits;   // of the next state
};

/// A bin of a variable, and how many of its states have been met while the table is made.
struct PcoBin {
  uint64_t lower;
  uint16_t met;
  uint8_t offsetBits;
};

/// A variable's table, and what all of its bins have in common.
template <class Latent>
struct PcoTable {
  const PcoNode<Latent>* nodes = nullptr;
  uint32_t log = 0;
  uint32_t offsetBits = 0;  // of the widest bin

  /// Bytes that a batch takes at most.
  size_t batchBytes() const { return kPcoBatch * (log + offsetBits) / 8 + 1; }
};

/// Reads the bins of a variable and makes its table of them. `bins` has room for all of them,
/// `nodes` for 2^tableLog states. `window` is that of lookbacks. Leaves the reader anywhere.
template <class Latent>
Status makePcoTable(PcoReader& in, const PcoVariable& variable, uint32_t window,
                    std::span<PcoBin> bins, std::span<PcoNode<Latent>> nodes,
                    PcoTable<Latent>& table);

/// Decodes the next `count` latents of a batch. The four states are those of the page. False where
/// the data ends before.
template <class Latent>
bool decodePcoLatents(PcoReader& in, const PcoTable<Latent>& table, uint32_t (&states)[4],
                      uint32_t count, Latent* latents);

}  // namespace zw
