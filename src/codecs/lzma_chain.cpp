#ifdef ZW_RARE_CODECS

#include "codecs/lzma_chain.hpp"

#include <algorithm>

namespace zw {
namespace {

/// Slots of an LZMA1 or LZMA2 filter, after its id.
enum LzmaSlot : size_t { kPreset = 1, kDictionary, kLc, kLp, kPb, kMode, kNice, kFinder, kDepth };
/// Slot of the distance of a delta filter, or of the start offset of another filter.
constexpr size_t kOnlySlot = 1;

template <class T>
void setIfGiven(T& option, uint32_t slot) {
  if (slot != kLzmaAbsent) option = static_cast<T>(slot);
}

/// True if all slots from `first` on are absent.
bool allAbsent(std::span<const uint32_t> slots, size_t first) {
  return std::all_of(slots.begin() + static_cast<ptrdiff_t>(first), slots.end(),
                     [](uint32_t slot) { return slot == kLzmaAbsent; });
}

Status readLzmaOptions(std::span<const uint32_t> slots, lzma_options_lzma& options) {
  const uint32_t preset = slots[kPreset] == kLzmaAbsent ? LZMA_PRESET_DEFAULT : slots[kPreset];
  if (lzma_lzma_preset(&options, preset)) return Code::BadParameters;
  setIfGiven(options.dict_size, slots[kDictionary]);
  setIfGiven(options.lc, slots[kLc]);
  setIfGiven(options.lp, slots[kLp]);
  setIfGiven(options.pb, slots[kPb]);
  setIfGiven(options.mode, slots[kMode]);
  setIfGiven(options.nice_len, slots[kNice]);
  setIfGiven(options.mf, slots[kFinder]);
  setIfGiven(options.depth, slots[kDepth]);
  return {};
}

bool isLzma(lzma_vli id) {
  return id == LZMA_FILTER_LZMA1 || id == LZMA_FILTER_LZMA1EXT || id == LZMA_FILTER_LZMA2;
}

}  // namespace

Status LzmaChain::fromSlots(std::span<const uint32_t> slots) {
  const size_t count = slots.size() / kLzmaFilterSlots;
  if (count == 0 || count > LZMA_FILTERS_MAX || slots.size() % kLzmaFilterSlots != 0) {
    return Code::BadParameters;
  }
  for (size_t i = 0; i < count; i++) {
    const auto filter = slots.subspan(i * kLzmaFilterSlots, kLzmaFilterSlots);
    const lzma_vli id = filter[0] == kLzma1Slot ? LZMA_FILTER_LZMA1 : filter[0];
    if (isLzma(id)) {
      if (Status s = readLzmaOptions(filter, lzma[i])) return s;
      filters[i] = {id, &lzma[i]};
      continue;
    }
    if (!allAbsent(filter, kOnlySlot + 1)) return Code::BadParameters;
    if (id == LZMA_FILTER_DELTA) {
      delta[i] = {};
      delta[i].type = LZMA_DELTA_TYPE_BYTE;
      delta[i].dist = 1;
      setIfGiven(delta[i].dist, filter[kOnlySlot]);
      filters[i] = {id, &delta[i]};
    } else if (id >= LZMA_FILTER_X86 && id <= LZMA_FILTER_ARM64) {
      bcj[i] = {};
      setIfGiven(bcj[i].start_offset, filter[kOnlySlot]);
      filters[i] = {id, &bcj[i]};
    } else {
      return Code::BadParameters;
    }
  }
  filters[count] = {LZMA_VLI_UNKNOWN, nullptr};
  return {};
}

Status LzmaChain::fromPreset(lzma_vli id, uint32_t preset) {
  if (lzma_lzma_preset(&lzma[0], preset == kLzmaAbsent ? LZMA_PRESET_DEFAULT : preset)) {
    return Code::BadParameters;
  }
  filters[0] = {id, &lzma[0]};
  filters[1] = {LZMA_VLI_UNKNOWN, nullptr};
  return {};
}

void capDictionaries(lzma_filter* filters, size_t bytes) {
  const uint64_t enough = std::max<uint64_t>(bytes, LZMA_DICT_SIZE_MIN);
  for (; filters->id != LZMA_VLI_UNKNOWN; filters++) {
    if (!isLzma(filters->id)) continue;
    auto& options = *static_cast<lzma_options_lzma*>(filters->options);
    options.dict_size = static_cast<uint32_t>(std::min<uint64_t>(options.dict_size, enough));
  }
}

}  // namespace zw

#endif  // ZW_RARE_CODECS
