#ifdef ZW_RARE_CODECS

#include <span>

#include "codecs/pcodec_deltas.hpp"

#include "simd/u8x16.hpp"

namespace zw {
namespace {

/// Predicts with kOrder weights, or with `order` weights if kOrder is 0.
template <uint32_t kOrder>
ZW_INLINE void predict(const PcoMetadata& metadata, uint32_t order, uint32_t mask, uint32_t count,
                       uint32_t* latents) {
  const uint32_t weights = kOrder ? kOrder : order;
  for (uint32_t i = 0; i < count; i++) {
    int64_t sum = metadata.bias;  // cannot overflow: see fitsConv
    for (uint32_t j = 0; j < weights; j++) sum += int64_t{metadata.weights[j]} * latents[i + j];
    const uint64_t prediction = static_cast<uint64_t>(sum > 0 ? sum : 0) >> metadata.shift;
    latents[i + weights] = (latents[i + weights] + static_cast<uint32_t>(prediction)) & mask;
  }
}

}  // namespace

template <class Latent>
void sumPcoDeltas(std::span<uint64_t> moments, uint32_t stored, uint32_t count, Latent* latents) {
  // Missing deltas at the end only affect latents that are not used.
  for (uint32_t i = stored; i < count; i++) latents[i] = 0;
  for (size_t order = moments.size(); order-- > 0;) {
    Latent sum = static_cast<Latent>(moments[order]);
    for (uint32_t i = 0; i < count; i++) {
      const Latent delta = latents[i];
      latents[i] = sum;
      sum += delta;
    }
    moments[order] = sum;
  }
}

template <class Latent>
bool addPcoLookbacks(const uint32_t* lookbacks, uint32_t window, size_t at, uint32_t count,
                     Latent* history) {
  uint32_t lowest = UINT32_MAX, highest = 0;
  for (uint32_t i = 0; i < count; i++) {
    lowest = lookbacks[i] < lowest ? lookbacks[i] : lowest;
    highest = lookbacks[i] > highest ? lookbacks[i] : highest;
  }
  if (count > 0 && (lowest == 0 || highest > window)) return false;
  for (uint32_t i = 0; i < count; i++) {
    const size_t back = lookbacks[i];
    if (back <= at + i) history[at + i] += history[at + i - back];
  }
  return true;
}

void addPcoPredictions(const PcoMetadata& metadata, uint32_t order, uint32_t width, uint32_t count,
                       uint32_t* latents) {
  const uint32_t mask = width == 32 ? UINT32_MAX : (1u << width) - 1;
  switch (order) {
    case 2:
      return predict<2>(metadata, order, mask, count, latents);
    case 4:
      return predict<4>(metadata, order, mask, count, latents);
    case 6:  // used by the pco library
      return predict<6>(metadata, order, mask, count, latents);
    case 8:
      return predict<8>(metadata, order, mask, count, latents);
    default:
      return predict<0>(metadata, order, mask, count, latents);
  }
}

template void sumPcoDeltas(std::span<uint64_t>, uint32_t, uint32_t, uint32_t*);
template void sumPcoDeltas(std::span<uint64_t>, uint32_t, uint32_t, uint64_t*);
template bool addPcoLookbacks(const uint32_t*, uint32_t, size_t, uint32_t, uint32_t*);
template bool addPcoLookbacks(const uint32_t*, uint32_t, size_t, uint32_t, uint64_t*);

}  // namespace zw

#endif
