#ifdef ZW_RARE_CODECS

#include "codecs/pcodec_page.hpp"

#include <algorithm>

#include "codecs/pcodec_deltas.hpp"
#include "codecs/pcodec_join.hpp"
#include "codecs/pcodec_table.hpp"

namespace zw {
namespace {

uint64_t roundUp(uint64_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/// Divides a block of scratch memory into arrays. The size of the block was computed by the same
/// rules.
class Carver {
 public:
  explicit Carver(ByteSpan bytes) : bytes_(bytes) {}
  template <class T>
  std::span<T> take(size_t count) {
    T* const items = reinterpret_cast<T*>(bytes_.data() + at_);
    at_ += static_cast<size_t>(roundUp(count * sizeof(T)));
    return {items, count};
  }

 private:
  ByteSpan bytes_;
  size_t at_ = 0;
};

bool isWide(const PcoVariable& variable) {
  return variable.width == 64;
}

/// State of a variable while a page is decoded. Latents of up to 32 bits are stored as 32 bits.
template <class Latent>
struct Channel {
  const PcoVariable* variable = nullptr;
  PcoTable<Latent> table;
  uint32_t states[4] = {};
  uint64_t moments[kPcoMaxOrder] = {};  // of consecutive deltas
  std::span<Latent> history;            // of lookback deltas: all latents of the page
  /// Latents of a batch. conv1 keeps the preceding latents at the front.
  Latent batch[kPcoMaxWeights + kPcoBatch] = {};

  bool hasDeltas() const { return variable->stateCount > 0; }
};

template <class Latent>
class Page {
 public:
  Page(PcoReader& in, const PcoMetadata& metadata, Number number, uint32_t count)
      : in_(in), metadata_(metadata), number_(number), count_(count) {
    if (metadata.delta == PcoDelta::Lookback) lookbacks_.variable = &metadata.variables[0];
    const PcoVariable& primary = metadata.variables[metadata.primary];
    (hasDict() ? indices_.variable : primary_.variable) = &primary;
    if (metadata.hasSecondary()) secondary_.variable = &metadata.variables[metadata.primary + 1];
  }

  Status decode(Workspace& work, uint8_t* out) {
    const uint64_t pageAt = in_.position();
    if (Status s = prepare(work)) return s;
    in_.seek(pageAt);
    if (Status s = readHead()) return s;
    for (uint32_t at = 0; at < count_; at += kPcoBatch) {
      if (Status s = decodeBatch(at, std::min(kPcoBatch, count_ - at), out)) return s;
    }
    return in_.align() ? Status{} : Status{Code::Corrupt, in_.byte()};
  }

 private:
  bool hasDict() const { return metadata_.mode == PcoMode::Dict; }

  /// Number of latents in the history of a variable, including those in the head.
  uint64_t historyLength(const PcoVariable& variable) const {
    if (metadata_.delta != PcoDelta::Lookback || variable.stateCount == 0) return 0;
    return std::max(count_, variable.stateCount);
  }

  uint64_t scratchBytes(const PcoVariable& variable) const {
    const uint64_t latentBytes = isWide(variable) ? 8 : 4;
    const uint64_t nodeBytes =
        isWide(variable) ? sizeof(PcoNode<uint64_t>) : sizeof(PcoNode<uint32_t>);
    return roundUp(variable.binCount * sizeof(PcoBin)) +
           roundUp((uint64_t{1} << variable.tableLog) * nodeBytes) +
           roundUp(historyLength(variable) * latentBytes);
  }

  Status prepare(Workspace& work) {
    uint64_t bytes = roundUp(uint64_t{metadata_.dictLength} * sizeof(Latent));
    for (uint32_t i = 0; i < metadata_.variableCount; i++)
      bytes += scratchBytes(metadata_.variables[i]);
    if (bytes > SIZE_MAX) return Code::LimitExceeded;
    ByteSpan scratch;
    if (Status s = work.scratch(ScratchSlot::Codec, static_cast<size_t>(bytes), scratch)) return s;
    Carver carver(scratch);
    if (Status s = prepare(lookbacks_, carver)) return s;
    if (Status s = prepare(primary_, carver)) return s;
    if (Status s = prepare(indices_, carver)) return s;
    if (Status s = prepare(secondary_, carver)) return s;
    dict_ = carver.take<Latent>(metadata_.dictLength);
    in_.seek(metadata_.dictAt);
    for (Latent& value : dict_) value = static_cast<Latent>(in_.bits(8 * numberBytes(number_)));
    return {};
  }

  template <class L>
  Status prepare(Channel<L>& channel, Carver& carver) {
    if (!channel.variable) return {};
    const PcoVariable& variable = *channel.variable;
    const auto bins = carver.take<PcoBin>(variable.binCount);
    const auto nodes = carver.take<PcoNode<L>>(size_t{1} << variable.tableLog);
    channel.history = carver.take<L>(static_cast<size_t>(historyLength(variable)));
    return makePcoTable(in_, variable, metadata_.window, bins, nodes, channel.table);
  }

  Status readHead() {
    readState(lookbacks_);
    readState(primary_);
    readState(indices_);
    readState(secondary_);
    if (in_.isPastEnd()) return {Code::Truncated, in_.byte()};
    return in_.align() ? Status{} : Status{Code::Corrupt, in_.byte()};
  }

  /// The head's part of a variable: the latents that its deltas begin with, and four states.
  template <class L>
  void readState(Channel<L>& channel) {
    if (!channel.variable) return;
    const PcoVariable& variable = *channel.variable;
    for (uint32_t i = 0; i < variable.stateCount && !in_.isPastEnd(); i++) {
      const uint64_t latent = in_.bits(variable.width);
      if (metadata_.delta == PcoDelta::Consecutive) channel.moments[i] = latent;
      if (metadata_.delta == PcoDelta::Lookback) channel.history[i] = static_cast<L>(latent);
      if (metadata_.delta == PcoDelta::Conv1) channel.batch[i] = static_cast<L>(latent);
    }
    for (uint32_t& state : channel.states)
      state = static_cast<uint32_t>(in_.bits(variable.tableLog));
  }

  /// Number of latents stored in the batch at `at`. The head holds `states` of them, so the last
  /// batch has fewer.
  uint32_t storedCount(uint32_t at, uint32_t states) const {
    const uint32_t left = count_ - at > states ? count_ - at - states : 0;
    return std::min(left, kPcoBatch);
  }

  /// Decodes the latents of `count` numbers from number `at` on; null if the data is corrupt.
  template <class L>
  const L* latents(Channel<L>& channel, uint32_t at, uint32_t count) {
    const uint32_t states = channel.variable->stateCount;
    const uint32_t stored = storedCount(at, states);
    L* place = channel.batch;
    if (channel.hasDeltas() && metadata_.delta == PcoDelta::Lookback) {
      place = channel.history.data() + (stored ? states + at : 0);
    } else if (channel.hasDeltas() && metadata_.delta == PcoDelta::Conv1) {
      place += states;
    }
    if (!decodePcoLatents(in_, channel.table, channel.states, stored, place)) return nullptr;
    return channel.hasDeltas() ? undelta(channel, at, stored, count) : channel.batch;
  }

  template <class L>
  const L* undelta(Channel<L>& channel, uint32_t at, uint32_t stored, uint32_t count) {
    const uint32_t states = channel.variable->stateCount;
    if (metadata_.delta == PcoDelta::Consecutive) {
      sumPcoDeltas({channel.moments, states}, stored, count, channel.batch);
      return channel.batch;
    }
    if (metadata_.delta == PcoDelta::Lookback) {
      L* const history = channel.history.data();
      const bool good =
          addPcoLookbacks(lookbacks_.batch, metadata_.window, size_t{states} + at, stored, history);
      return good ? history + at : nullptr;
    }
    if constexpr (sizeof(L) == 4) {  // readPcoMetadata rejects other widths
      addPcoPredictions(metadata_, states, channel.variable->width, stored, channel.batch);
      std::copy_n(channel.batch, count, ready_);
      std::copy_n(channel.batch + kPcoBatch, states, channel.batch);
      return ready_;
    }
    return nullptr;
  }

  Status decodeBatch(uint32_t at, uint32_t count, uint8_t* out) {
    if (lookbacks_.variable && !decodeLookbacks(at)) return damage();
    uint8_t* const to = out + size_t{at} * numberBytes(number_);
    if (hasDict()) {
      const uint32_t* const indices = latents(indices_, at, count);
      return indices && look(indices, count, to) ? Status{} : damage();
    }
    const Latent* const primary = latents(primary_, at, count);
    const Latent* secondary = nullptr;
    if (primary && secondary_.variable) secondary = latents(secondary_, at, count);
    if (!primary || (secondary_.variable && !secondary)) return damage();
    joinPcoLatents(metadata_, number_, primary, secondary, count, to);
    return {};
  }

  /// The status for a batch that cannot be decoded.
  Status damage() const { return {in_.isPastEnd() ? Code::Truncated : Code::Corrupt, in_.byte()}; }

  /// Decodes one lookback per stored latent.
  bool decodeLookbacks(uint32_t at) {
    const uint32_t states = metadata_.variables[metadata_.primary].stateCount;
    return decodePcoLatents(in_, lookbacks_.table, lookbacks_.states, storedCount(at, states),
                            lookbacks_.batch);
  }

  /// Stores the numbers of dictionary indices; false if an index is out of range.
  bool look(const uint32_t* indices, uint32_t count, uint8_t* out) {
    Latent* const values = primary_.batch;
    for (uint32_t i = 0; i < count; i++) {
      if (indices[i] >= dict_.size()) return false;
      values[i] = dict_[indices[i]];
    }
    storePcoNumbers(number_, values, count, out);
    return true;
  }

  PcoReader& in_;
  const PcoMetadata& metadata_;
  const Number number_;
  const uint32_t count_;
  Channel<uint32_t> lookbacks_;
  Channel<Latent> primary_;
  Channel<uint32_t> indices_;  // primary of dict
  Channel<Latent> secondary_;
  std::span<Latent> dict_;
  uint32_t ready_[kPcoBatch];  // of conv1
};

}  // namespace

Status decodePcoPage(PcoReader& in, const PcoMetadata& metadata, Number number, uint32_t count,
                     Workspace& work, uint8_t* out) {
  if (numberBytes(number) == 8) {
    return Page<uint64_t>(in, metadata, number, count).decode(work, out);
  }
  return Page<uint32_t>(in, metadata, number, count).decode(work, out);
}

}  // namespace zw

#endif
