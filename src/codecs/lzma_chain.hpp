// LZMA filter chains, made from parameters and limited to the memory that the data needs.
#pragma once

#include <lzma.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"

namespace zw {

/// An absent parameter.
inline constexpr uint32_t kLzmaAbsent = 0xffffffff;
/// Parameter slots of one filter.
inline constexpr size_t kLzmaFilterSlots = 10;
/// Represents LZMA_FILTER_LZMA1, which does not fit in a slot.
inline constexpr uint32_t kLzma1Slot = 1;

/// A liblzma filter chain together with the options that it points to.
struct LzmaChain {
  lzma_filter filters[LZMA_FILTERS_MAX + 1];
  lzma_options_lzma lzma[LZMA_FILTERS_MAX];
  lzma_options_delta delta[LZMA_FILTERS_MAX];
  lzma_options_bcj bcj[LZMA_FILTERS_MAX];

  LzmaChain() { filters[0] = {LZMA_VLI_UNKNOWN, nullptr}; }
  LzmaChain(const LzmaChain&) = delete;
  LzmaChain& operator=(const LzmaChain&) = delete;

  /// Sets the chain from parameter slots; see lzma.cpp.
  Status fromSlots(std::span<const uint32_t> slots);
  /// Sets the chain to one LZMA1 or LZMA2 filter with a preset.
  Status fromPreset(lzma_vli id, uint32_t preset);
};

/// Limits the dictionaries of a chain to the size that `bytes` bytes of data can use. The result
/// does not change, since no match reaches back further than the data. Otherwise a header of a few
/// bytes could request 4 GiB.
void capDictionaries(lzma_filter* filters, size_t bytes);

}  // namespace zw
