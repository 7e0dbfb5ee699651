// accumulate: requests of accumulations and histograms, mostly valid, with arbitrary data. Whatever is
// accepted stays within the box and the state; the fast kernels count the same elements, with the same
// minima and maxima, as the same request element by element.
//
// Input: kind of request, its words, a word to change, data
#include <cmath>

#include "accumulate_request.hpp"
#include "input.hpp"
#include "kernels/histogram.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;
using test::JointTable;
using test::Request;

constexpr size_t kMaxBytes = 1 << 14;

uint32_t cellOf(Input& input, uint32_t count) {
  return input.u8() % 8 == 0 ? kNoCell : input.between(0, count - 1);
}

JointTable jointTable(Input& input, const Request& request, bool isLabels) {
  JointTable table;
  size_t entries = 1;
  for (uint32_t a = 0; a < request.axes.size(); a++) {
    if (input.u8() % 2) continue;
    table.axes.push_back(a);
    entries = std::min<size_t>(entries * request.axes[a].length, kMaxBytes);
  }
  if (table.axes.empty()) return table;
  for (size_t i = 0; i < entries; i++) {
    if (isLabels) table.cells.push_back(cellOf(input, 2));
    if (!isLabels) table.weights.push_back(input.u8() / 16.0);
  }
  table.stride = request.cells;
  return table;
}

Request chooseRequest(Input& input) {
  Request request;
  request.number = input.between(0, 12);
  request.flags = input.between(0, 7);
  for (uint32_t field = 0; field < kFields; field++) {
    if (field != 1 && input.u8() % 2) request.fields.push_back(field);
  }
  request.axes.resize(input.between(1, 4));
  for (auto& axis : request.axes) {
    axis = {input.u8() % 4 ? input.between(1, 9) : input.between(1, 70),
            input.between(0, 2),
            request.cells,
            {},
            static_cast<double>(input.u8())};
    for (uint32_t i = 0; axis.kind == 2 && i < axis.length; i++) {
      axis.table.push_back(cellOf(input, 3));
    }
    if (request.cells < kMaxBytes) request.cells *= axis.kind == 0 ? axis.length : 1 + axis.kind;
  }
  if (input.u8() % 4 == 0) request.labels = jointTable(input, request, true);
  if (!request.labels.axes.empty()) request.cells *= 2;
  if (input.u8() % 4 == 0) request.weights.push_back(jointTable(input, request, false));
  for (uint32_t n = input.between(0, 2); n > 0; n--) request.missing.push_back(input.u8());
  request.scale = input.u8() / 8.0 - 9;
  request.offset = input.u8();
  return request;
}

/// Returns the state; empty if the request was refused, or is too large to run.
std::vector<uint64_t> accumulate(const Request& request, const std::vector<uint32_t>& words,
                                 ByteView data) {
  const std::vector<double> tables = request.tables();
  WordReader reader(words);
  Accumulation accumulation;
  if (readAccumulation(reader, test::bytesOf(tables), accumulation)) return {};
  if (accumulation.boxBytes > kMaxBytes || accumulation.form.bytes() > 64 * kMaxBytes) return {};
  ExactBlock box(accumulation.boxBytes);
  for (size_t i = 0; i < box.size(); i++) {
    box.data()[i] = data.empty() ? static_cast<uint8_t>(i) : data[i % data.size()];
  }
  std::vector<uint64_t> state(accumulation.form.bytes() / 8);
  clearState(accumulation.form, state.data());
  runAccumulation(accumulation, box.data(), state.data());
  std::vector<uint64_t> merged = state;
  mergeStates(accumulation.form, state.data(), merged.data());
  return state;
}

void checkAccumulation(Input& input) {
  Request request = chooseRequest(input);
  std::vector<uint32_t> words = request.words();
  const bool isChanged = input.u8() % 4 == 0;
  if (isChanged) words[input.u16() % words.size()] = input.u8() % 2 ? input.u32() : input.u8();
  const ByteView data = input.rest();
  const std::vector<uint64_t> fast = accumulate(request, words, data);
  if (isChanged || fast.empty() || !request.labels.axes.empty()) return;
  size_t elements = 1;
  for (uint32_t a = 0; a < request.axes.size(); a++) {
    request.labels.axes.push_back(a);
    elements *= request.axes[a].length;
  }
  request.labels.cells.assign(elements, 0);
  const std::vector<uint64_t> slow = accumulate(request, request.words(), data);
  ZW_PROPERTY(slow.size() == fast.size());
  size_t plane = 0;
  for (const uint32_t field : request.fields) {
    for (size_t i = plane * request.cells; i < (plane + 1) * request.cells; i++) {
      const auto a = bitCast<double>(fast[i]), b = bitCast<double>(slow[i]);
      const bool isCompared = field == 0 || field == 4 || field == 5;
      ZW_PROPERTY(!isCompared || fast[i] == slow[i] || a == b || (std::isnan(a) && std::isnan(b)));
    }
    plane += field == 2 || field == 3 || (field >= 6 && field <= 9) ? 2 : 1;
  }
}

void checkHistogram(Input& input) {
  std::vector<uint32_t> words = {input.between(0, 12), input.between(0, 7),   input.u8() % 2u,
                                 input.u8() % 2u,      input.between(1, 300), input.between(0, 63),
                                 input.u16() % 900u,   input.u8() % 3u};
  std::vector<double> tables(5 + words.back());
  for (double& x : tables)
    x = input.u8() % 2 ? bitCast<double>(uint64_t{input.u32()} << 32) : input.u8();
  if (input.u8() % 4 == 0) words[input.u8() % words.size()] = input.u32();
  WordReader reader(words);
  Histogram request;
  if (readHistogram(reader, test::bytesOf(tables), request)) return;
  const size_t bytes = request.count * numberBytes(request.rule.number);
  if (bytes > kMaxBytes) return;
  ExactBlock box(bytes);
  const ByteView data = input.rest();
  for (size_t i = 0; i < bytes; i++) box.data()[i] = data.empty() ? 0 : data[i % data.size()];
  std::vector<double> counts(request.bins);
  runHistogram(request, box.data(), counts.data());
  double sum = 0;
  for (const double n : counts) sum += n;
  ZW_PROPERTY(sum <= static_cast<double>(request.count));
}

void run(ByteView bytes) {
  Input input(bytes);
  if (input.u8() % 4 == 0) {
    checkHistogram(input);
  } else {
    checkAccumulation(input);
  }
}

}  // namespace

std::vector<Target> accumulateTargets() {
  return {{"accumulate", run, nullptr}};
}

}  // namespace zw::fuzz
