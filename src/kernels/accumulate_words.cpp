// Reads and checks the words and tables of accumulations.
#include <algorithm>

#include "base/checked.hpp"
#include "kernels/accumulate.hpp"

namespace zw {
namespace {

/// Takes tables from the front, each padded to 8 bytes. A failed read makes ok() false.
class TableReader {
 public:
  explicit TableReader(ByteView bytes) : reader_(bytes) {}

  template <class T>
  const T* take(uint64_t count) {
    uint64_t bytes;
    if (!checkedMul(count, sizeof(T), bytes) || bytes > reader_.left()) {
      ok_ = false;
      return nullptr;
    }
    const ByteView table = reader_.bytes(static_cast<size_t>((bytes + 7) / 8 * 8));
    ok_ = ok_ && reader_.ok();
    return reinterpret_cast<const T*>(table.data());
  }
  bool ok() const { return ok_; }
  bool atEnd() const { return reader_.left() == 0; }

 private:
  ByteReader reader_;
  bool ok_ = true;
};

/// Highest cell number of a table.
uint32_t highestCell(const uint32_t* table, uint64_t count) {
  uint32_t highest = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (table[i] != kNoCell) highest = std::max(highest, table[i]);
  }
  return highest;
}

class Reader {
 public:
  Reader(WordReader& words, ByteView tables, Accumulation& out)
      : words_(words), tables_(tables), out_(out) {}

  Status read() {
    if (Status s = readStateForm(words_, out_.form)) return s;
    if (Status s = readAxes()) return s;
    if (Status s = readMissing()) return s;
    if (Status s = readCellTables()) return s;
    if (Status s = readLabels()) return s;
    if (Status s = readWeights()) return s;
    if (!words_.ok() || !words_.atEnd() || !tables_.ok() || !tables_.atEnd()) {
      return Code::BadParameters;
    }
    if (highest_ >= out_.form.cells) return Code::BadPlacement;
    fuse();
    return {};
  }

 private:
  Status readAxes() {
    const uint32_t rank = words_.next();
    if (rank == 0 || rank > kMaxRank) return Code::BadParameters;
    uint64_t bytes = numberBytes(out_.form.rule.number);
    for (uint32_t a = 0; a < rank; a++) {
      CellAxis& axis = out_.axes[a];
      axis = {};
      axis.length = words_.next();
      kinds_[a] = words_.next();
      axis.stride = words_.next();
      if (axis.length == 0 || kinds_[a] > kTable) return Code::BadParameters;
      if (kinds_[a] == kReduced) axis.stride = 0;
      if (!checkedMul(bytes, axis.length, bytes) || bytes > SIZE_MAX) return Code::LimitExceeded;
      if (kinds_[a] == kKept && !addHighest(axis.length - 1, axis.stride))
        return Code::BadPlacement;
    }
    out_.rank = rank;
    out_.boxBytes = static_cast<size_t>(bytes);
    const double* numbers = tables_.take<double>(uint64_t{3} + rank);
    if (!tables_.ok()) return Code::BadParameters;
    out_.form.rule.scale = numbers[0];
    out_.form.rule.offset = numbers[1];
    out_.position = numbers[2];
    for (uint32_t a = 0; a < rank; a++) out_.axes[a].positionStride = numbers[3 + a];
    return {};
  }

  Status readMissing() {
    const uint32_t count = words_.next();
    if (count > kMaxMissing) return Code::LimitExceeded;
    const uint64_t* missing = tables_.take<uint64_t>(count);
    if (!tables_.ok()) return Code::BadParameters;
    out_.form.rule.missing = {missing, count};
    return {};
  }

  Status readCellTables() {
    for (uint32_t a = 0; a < out_.rank; a++) {
      if (kinds_[a] != kTable) continue;
      CellAxis& axis = out_.axes[a];
      axis.table = tables_.take<uint32_t>(axis.length);
      if (!tables_.ok()) return Code::BadParameters;
      if (!addHighest(highestCell(axis.table, axis.length), axis.stride)) {
        return Code::BadPlacement;
      }
    }
    return {};
  }

  /// Reads the axes of a joint table, and sets its strides. Returns the number of its entries.
  Status readJoint(uint32_t slot, uint32_t rank, uint64_t& entries) {
    const std::span<const uint32_t> axes = words_.take(rank);
    if (!words_.ok()) return Code::BadParameters;
    entries = 1;
    for (uint32_t i = rank; i-- > 0;) {
      if (axes[i] >= out_.rank || (used_[axes[i]] & 1u << slot) != 0) return Code::BadParameters;
      used_[axes[i]] |= 1u << slot;
      CellAxis& axis = out_.axes[axes[i]];
      axis.joint[slot] = static_cast<size_t>(entries);
      entries *= axis.length;  // at most the number of elements
    }
    return {};
  }

  Status readLabels() {
    const uint32_t rank = words_.next();
    if (rank == 0) return {};
    uint64_t entries;
    if (Status s = readJoint(0, rank, entries)) return s;
    out_.labelStride = words_.next();
    out_.labels = tables_.take<uint32_t>(entries);
    if (!tables_.ok()) return Code::BadParameters;
    const bool isInside = addHighest(highestCell(out_.labels, entries), out_.labelStride);
    return isInside ? Status{} : Code::BadPlacement;
  }

  Status readWeights() {
    const uint32_t count = words_.next();
    if (count > kMaxWeights || (count > 0) != out_.form.isWeighted) return Code::BadParameters;
    for (uint32_t i = 0; i < count; i++) {
      uint64_t entries;
      if (Status s = readJoint(1 + i, words_.next(), entries)) return s;
      out_.weights[i] = tables_.take<double>(entries);
      if (!tables_.ok()) return Code::BadParameters;
    }
    out_.weightCount = count;
    return {};
  }

  bool addHighest(uint64_t cell, uint64_t stride) {
    uint64_t product;
    return checkedMul(cell, stride, product) && checkedAdd(highest_, product, highest_);
  }

  /// Fuses neighbouring axes whose strides allow it, and drops those of length 1.
  void fuse() {
    uint32_t rank = 0;
    for (uint32_t a = 0; a < out_.rank; a++) {
      const CellAxis axis = out_.axes[a];
      if (axis.length == 1 && !axis.table) continue;
      if (rank > 0 && canFuse(out_.axes[rank - 1], axis)) {
        const size_t length = out_.axes[rank - 1].length * axis.length;
        out_.axes[rank - 1] = axis;
        out_.axes[rank - 1].length = length;
      } else {
        out_.axes[rank++] = axis;
      }
    }
    if (rank == 0) {
      out_.axes[rank++] = {};
      out_.axes[0].length = 1;
    }
    out_.rank = rank;
  }

  bool canFuse(const CellAxis& outer, const CellAxis& inner) const {
    if (outer.table || inner.table || outer.stride != inner.stride * inner.length) return false;
    for (uint32_t i = 0; i <= kMaxWeights; i++) {
      if (outer.joint[i] != inner.joint[i] * inner.length) return false;
    }
    return !out_.form.hasPositions() ||
           outer.positionStride == inner.positionStride * static_cast<double>(inner.length);
  }

  enum Kind : uint32_t { kKept, kReduced, kTable };

  WordReader& words_;
  TableReader tables_;
  Accumulation& out_;
  uint32_t kinds_[kMaxRank];
  uint8_t used_[kMaxRank] = {};  // bits: the axis belongs to the labels, to weights
  uint64_t highest_ = 0;         // highest cell number
};

}  // namespace

Status readAccumulation(WordReader& words, ByteView tables, Accumulation& out) {
  out = {};
  return Reader(words, tables, out).read();
}

}  // namespace zw
