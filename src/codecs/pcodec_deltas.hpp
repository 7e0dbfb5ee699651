// Delta encodings of pcodec: restore the latents of a batch.
#pragma once

#include "codecs/pcodec_metadata.hpp"

namespace zw {

/// Consecutive deltas: repeated running sums. `moments` holds the state of each order, lowest
/// first. `latents` holds `stored` deltas on entry and `count` latents on return.
template <class Latent>
void sumPcoDeltas(std::span<uint64_t> moments, uint32_t stored, uint32_t count, Latent* latents);

/// Lookback deltas: adds to each of the `count` deltas from `history[at]` on the latent that is
/// `lookbacks[i]` before it; latents before the history are zero. False if a lookback is outside
/// 1 … window.
template <class Latent>
bool addPcoLookbacks(const uint32_t* lookbacks, uint32_t window, size_t at, uint32_t count,
                     Latent* history);

/// Conv1 deltas: adds to each of `count` deltas a prediction from the `order` latents before it.
/// `latents` holds the latents before the first delta, then the deltas.
void addPcoPredictions(const PcoMetadata& metadata, uint32_t order, uint32_t width, uint32_t count,
                       uint32_t* latents);

}  // namespace zw
