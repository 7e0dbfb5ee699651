// LZMA filter chains: from parameter slots, and cut down to the memory that the data needs.
#pragma once

#include <lzma.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"

namespace zw {

/// A parameter slot that is not given.
inline constexpr uint32_t kLzmaAbsent = 0xffffffff;
/// Parameter slots of one filter.
inline constexpr size_t kLzmaFilterSlots = 10;
/// What stands for LZMA_FILTER_LZMA1, which does not fit a slot.
inline constexpr uint32_t kLzma1Slot = 1;

/// A chain as liblzma wants it, with the options it points to. Not to be copied.
struct LzmaChain {
  lzma_filter filters[LZMA_FILTERS_MAX + 1];
  lzma_options_lzma lzma[LZMA_FILTERS_MAX];
  lzma_options_delta delta[LZMA_FILTERS_MAX];
  lzma_options_bcj bcj[LZMA_FILTERS_MAX];

  LzmaChain() { filters[0] = {LZMA_VLI_UNKNOWN, nullptr}; }
  LzmaChain(const LzmaChain&) = delete;
  LzmaChain& operator=(const LzmaChain&) = delete;

  /// The chain that the slots spell out; see lzma.cpp.
  Status fromSlots(std::span<const uint32_t> slots);
  /// One LZMA1 or LZMA2 filter by a preset.
  Status fromPreset(lzma_vli id, uint32_t preset);
};

/// Lowers the dictionaries of a chain to what `bytes` bytes of data can make use of. A match
/// reaches back no further than the data does, so nothing else changes; without this, a few bytes
/// of header could ask for 4 GiB.
void capDictionaries(lzma_filter* filters, size_t bytes);

}  // namespace zw
