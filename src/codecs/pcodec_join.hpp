// Modes of pcodec: numbers from the latents of a batch.
#pragma once

#include "codecs/pcodec_metadata.hpp"

namespace zw {

/// Joins `count` latents, of which only the bits of the number's width mean something, to numbers
/// of every mode but dict. `out` need not be aligned. 64-bit numbers have latents of 64 bits, all
/// others of 32.
void joinPcoLatents(const PcoMetadata& metadata, Number number, const uint32_t* primary,
                    const uint32_t* secondary, uint32_t count, uint8_t* out);
void joinPcoLatents(const PcoMetadata& metadata, Number number, const uint64_t* primary,
                    const uint64_t* secondary, uint32_t count, uint8_t* out);

/// The numbers of ordered latents: what classic mode is.
template <class Latent>
void storePcoNumbers(Number number, const Latent* latents, uint32_t count, uint8_t* out);

}  // namespace zw
