// Modes of pcodec: compute numbers from the latents of a batch.
#pragma once

#include "codecs/pcodec_metadata.hpp"

namespace zw {

/// Joins `count` latents into numbers, in all modes except dict. Only as many low bits of a latent
/// are used as the number has. `out` needs no alignment. 64-bit numbers have latents of 64 bits,
/// all others of 32.
void joinPcoLatents(const PcoMetadata& metadata, Number number, const uint32_t* primary,
                    const uint32_t* secondary, uint32_t count, uint8_t* out);
void joinPcoLatents(const PcoMetadata& metadata, Number number, const uint64_t* primary,
                    const uint64_t* secondary, uint32_t count, uint8_t* out);

/// Converts ordered latents to numbers (classic mode).
template <class Latent>
void storePcoNumbers(Number number, const Latent* latents, uint32_t count, uint8_t* out);

}  // namespace zw
