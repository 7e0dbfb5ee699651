// Deltas of pcodec: latents of a batch from what is stored of them.
#pragma once

#include "codecs/pcodec_metadata.hpp"

namespace zw {

/// Consecutive deltas: sums of sums. `moments` has one for each order, and the batch begins with
/// the lowest; `latents` has `stored` deltas, and `count` latents afterwards.
template <class Latent>
void sumPcoDeltas(std::span<uint64_t> moments, uint32_t stored, uint32_t count, Latent* latents);

/// Lookback deltas: adds to each of `count` deltas from `history[at]` on the latent that lies as
/// far before it as its lookback says; before the history there are zeros. False where a lookback
/// is not in 1 … window.
template <class Latent>
bool addPcoLookbacks(const uint32_t* lookbacks, uint32_t window, size_t at, uint32_t count,
                     Latent* history);

/// Conv1 deltas: adds to each of `count` deltas what the `order` latents before it predict.
/// `latents` has those of the first one, and then the deltas.
void addPcoPredictions(const PcoMetadata& metadata, uint32_t order, uint32_t width, uint32_t count,
                       uint32_t* latents);

}  // namespace zw
