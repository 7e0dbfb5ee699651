// Requests of accumulations as the words and tables that the core reads.
#pragma once

#include <vector>

#include "kernels/accumulate.hpp"
#include "support.hpp"

namespace zw::test {

struct RequestAxis {
  uint32_t length = 1;
  uint32_t kind = 0;  // 0: kept, 1: reduced, 2: table
  uint32_t stride = 0;
  std::vector<uint32_t> table;
  double positionStride = 0;
};

struct JointTable {
  std::vector<uint32_t> axes;
  std::vector<uint32_t> cells;
  std::vector<double> weights;
  uint32_t stride = 0;
};

struct Request {
  uint32_t number = 0;
  uint32_t flags = 0;
  uint32_t cells = 1;
  std::vector<uint32_t> fields;
  std::vector<RequestAxis> axes;
  std::vector<uint64_t> missing;
  double scale = 1, offset = 0, position = 0;
  JointTable labels;  // none if it has no axes
  std::vector<JointTable> weights;

  std::vector<uint32_t> form() const {
    std::vector<uint32_t> words = {number, flags, weights.empty() ? 0u : 1u, cells,
                                   static_cast<uint32_t>(fields.size())};
    words.insert(words.end(), fields.begin(), fields.end());
    return words;
  }

  std::vector<uint32_t> words() const {
    std::vector<uint32_t> all = form();
    all.push_back(static_cast<uint32_t>(axes.size()));
    for (const RequestAxis& axis : axes)
      all.insert(all.end(), {axis.length, axis.kind, axis.stride});
    all.push_back(static_cast<uint32_t>(missing.size()));
    addAxes(all, labels.axes);
    if (!labels.axes.empty()) all.push_back(labels.stride);
    all.push_back(static_cast<uint32_t>(weights.size()));
    for (const JointTable& table : weights) addAxes(all, table.axes);
    return all;
  }

  /// Doubles, so that the bytes are aligned.
  std::vector<double> tables() const {
    std::vector<double> all = {scale, offset, position};
    for (const RequestAxis& axis : axes) all.push_back(axis.positionStride);
    add(all, missing);
    for (const RequestAxis& axis : axes) add(all, axis.table);
    add(all, labels.cells);
    for (const JointTable& table : weights) add(all, table.weights);
    return all;
  }

 private:
  static void addAxes(std::vector<uint32_t>& all, const std::vector<uint32_t>& axes) {
    all.push_back(static_cast<uint32_t>(axes.size()));
    all.insert(all.end(), axes.begin(), axes.end());
  }
  template <class T>
  static void add(std::vector<double>& all, const std::vector<T>& table) {
    const size_t at = all.size();
    all.resize(at + (table.size() * sizeof(T) + 7) / 8);
    if (!table.empty()) std::memcpy(all.data() + at, table.data(), table.size() * sizeof(T));
  }
};

inline ByteView bytesOf(const std::vector<double>& tables) {
  return {reinterpret_cast<const uint8_t*>(tables.data()), 8 * tables.size()};
}

}  // namespace zw::test
