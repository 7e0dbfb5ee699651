// The materialise pass: permutations, crops, steps and fills, as rank-n copies into C order.
#include <numeric>

#include "cases.hpp"
#include "kernels/strided_copy.hpp"

namespace zw::bench {

namespace {

using Shape = std::vector<size_t>;

/// Axes that read an array of `shape` in C order permuted by `order` (as numpy.transpose does) and
/// write it in C order.
std::vector<CopyAxis> permuted(const Shape& shape, const std::vector<size_t>& order,
                               size_t itemBytes) {
  std::vector<size_t> srcStrides(shape.size());
  size_t stride = itemBytes;
  for (size_t a = shape.size(); a-- > 0; stride *= shape[a]) srcStrides[a] = stride;
  std::vector<CopyAxis> axes(shape.size());
  stride = itemBytes;
  for (size_t a = shape.size(); a-- > 0; stride *= shape[order[a]]) {
    axes[a] = {shape[order[a]], srcStrides[order[a]], stride};
  }
  return axes;
}

/// The bytes from the first element's start to the last element's end.
size_t extent(const std::vector<CopyAxis>& axes, size_t itemBytes, size_t CopyAxis::*stride) {
  return std::accumulate(axes.begin(), axes.end(), itemBytes, [=](size_t sum, const CopyAxis& a) {
    return sum + (a.length - 1) * (a.*stride);
  });
}

void addCopy(Cases& cases, std::string name, std::vector<CopyAxis> axes, uint32_t itemBytes,
             uint32_t swapBytes = 1) {
  size_t bytes = itemBytes;
  for (const CopyAxis& a : axes) bytes *= a.length;
  cases.push_back({std::move(name), bytes, [=] {
                     Block src = noise(extent(axes, itemBytes, &CopyAxis::srcStride));
                     Block dst = noise(extent(axes, itemBytes, &CopyAxis::dstStride));
                     StridedCopy copy;
                     if (prepareStridedCopy(axes, itemBytes, swapBytes, copy)) std::abort();
                     return [=] { runStridedCopy(copy, src.get(), dst.get()); };
                   }});
}

std::string text(const std::vector<size_t>& v) {
  std::string s;
  for (size_t x : v) {
    s += s.empty() ? '[' : ',';
    s += std::to_string(x);
  }
  s += ']';
  return s;
}

void addPermute(Cases& cases, const Shape& shape, const std::vector<size_t>& order,
                uint32_t itemBytes, uint32_t swapBytes = 1) {
  std::string name = "permute " + std::to_string(itemBytes) + " B " + text(shape) + ' ' +
                     text(order) + (swapBytes > 1 ? " swap " + std::to_string(swapBytes) : "");
  addCopy(cases, std::move(name), permuted(shape, order, itemBytes), itemBytes, swapBytes);
}

void addPlanes(Cases& cases) {
  // 4 MiB, sides that are no powers of two.
  const std::vector<std::pair<Shape, uint32_t>> planes = {
      {{2000, 2098}, 1}, {{1400, 1498}, 2}, {{1000, 1049}, 4}, {{700, 749}, 8}, {{500, 525}, 16}};
  for (const auto& [shape, itemBytes] : planes) {
    addPermute(cases, shape, {1, 0}, itemBytes);
    if (itemBytes > 1) addPermute(cases, shape, {1, 0}, itemBytes, itemBytes);
  }
  addPermute(cases, {700, 749}, {1, 0}, 8, 4);   // complex64
  addPermute(cases, {500, 525}, {1, 0}, 16, 8);  // complex128
  // The same, powers of two, whose lines collide in the caches.
  addPermute(cases, {2048, 2048}, {1, 0}, 1);
  addPermute(cases, {1024, 2048}, {1, 0}, 2);
  addPermute(cases, {1024, 1024}, {1, 0}, 4);
  addPermute(cases, {512, 1024}, {1, 0}, 8);
  addPermute(cases, {512, 512}, {1, 0}, 16);
  // 64 MiB.
  addPermute(cases, {8192, 8192}, {1, 0}, 1);
  addPermute(cases, {4096, 8192}, {1, 0}, 2);
  addPermute(cases, {4096, 4096}, {1, 0}, 4);
  addPermute(cases, {4096, 4096}, {1, 0}, 4, 4);
  addPermute(cases, {2048, 4096}, {1, 0}, 8);
  addPermute(cases, {4000, 4194}, {1, 0}, 4);
  // 256 KiB.
  addPermute(cases, {500, 524}, {1, 0}, 1);
  addPermute(cases, {350, 374}, {1, 0}, 2);
  addPermute(cases, {250, 262}, {1, 0}, 4);
  addPermute(cases, {175, 187}, {1, 0}, 8);
}

void addHigherRanks(Cases& cases) {
  for (size_t n : {64u, 128u}) {
    addPermute(cases, {n, n, n}, {2, 1, 0}, 2);
    addPermute(cases, {n, n, n}, {2, 1, 0}, 2, 2);
    addPermute(cases, {n, n, n}, {2, 0, 1}, 2);
    addPermute(cases, {n, n, n}, {1, 2, 0}, 2);
    addPermute(cases, {n, n, n}, {0, 2, 1}, 2);
    addPermute(cases, {n, n, n}, {1, 0, 2}, 2);
  }
  addPermute(cases, {64, 64, 64}, {2, 1, 0}, 1);
  addPermute(cases, {128, 128, 256}, {2, 1, 0}, 1);
  addPermute(cases, {100, 110, 190}, {2, 1, 0}, 2);
  addPermute(cases, {100, 110, 95}, {2, 1, 0}, 4);
  addPermute(cases, {32, 48, 40, 34}, {1, 3, 0, 2}, 2);
  addPermute(cases, {16, 32, 64, 64}, {1, 3, 0, 2}, 2);
  addPermute(cases, {32, 32, 64, 32}, {1, 3, 0, 2}, 2);
  addPermute(cases, {32, 32, 64, 32}, {3, 2, 1, 0}, 2);
}

/// Interleaved channels to planes and back, and pixels moved as they are.
void addChannels(Cases& cases) {
  for (uint32_t itemBytes : {1u, 2u, 4u}) {
    const size_t side = itemBytes == 1 ? 1180 : itemBytes == 2 ? 836 : 590;
    for (size_t channels : {2u, 3u, 4u, 5u}) {
      addPermute(cases, {side, side, channels}, {2, 0, 1}, itemBytes);
      addPermute(cases, {channels, side, side}, {1, 2, 0}, itemBytes);
    }
    addPermute(cases, {side, side, 3}, {1, 0, 2}, itemBytes);
  }
}

/// Rows placed in a larger array, short ones too.
void addRows(Cases& cases) {
  for (size_t row : {3u, 6u, 12u, 24u, 40u, 64u, 100u, 200u, 1000u}) {
    const size_t rows = 4 * kMiB / row;
    const std::string name = "rows of " + std::to_string(row) + " B";
    addCopy(cases, name, {{rows, row, row + 20}, {row, 1, 1}}, 1);
    if (row % 2 > 0) continue;
    addCopy(cases, name + " swap 2", {{rows, row, row + 20}, {row / 2, 2, 2}}, 2, 2);
  }
}

/// Every second or third element of a row.
void addSteps(Cases& cases) {
  for (uint32_t itemBytes : {1u, 2u, 4u, 8u}) {
    const size_t side = 2048 / itemBytes;
    for (size_t step : {2u, 3u}) {
      addCopy(cases, "step " + std::to_string(step) + ", " + std::to_string(itemBytes) + " B",
              {{2048, step * 2048, 2048}, {side, step * itemBytes, itemBytes}}, itemBytes);
    }
  }
}

void addOddItems(Cases& cases) {
  for (uint32_t itemBytes : {3u, 5u, 7u, 12u, 20u, 33u, 100u}) {
    const size_t count = 4 * kMiB / itemBytes, side = 1000;
    addCopy(cases, "field of " + std::to_string(itemBytes) + " B",
            {{count, itemBytes + 9, itemBytes + 9}}, itemBytes);
    addPermute(cases, {side, count / side}, {1, 0}, itemBytes);
  }
  addPermute(cases, {600, 583}, {1, 0}, 12, 4);
}

void addFills(Cases& cases) {
  for (uint32_t itemBytes : {1u, 2u, 4u, 8u, 16u, 3u, 12u, 64u}) {
    addCopy(cases, "fill " + std::to_string(itemBytes) + " B",
            {{4 * kMiB / itemBytes, 0, itemBytes}}, itemBytes);
  }
  addCopy(cases, "fill 2 B, rows of 100", {{20000, 0, 220}, {100, 0, 2}}, 2);
}

}  // namespace

void addStridedCopyCases(Cases& cases) {
  addPlanes(cases);
  addHigherRanks(cases);
  addChannels(cases);
  addRows(cases);
  addSteps(cases);
  addOddItems(cases);
  addFills(cases);
}

}  // namespace zw::bench
