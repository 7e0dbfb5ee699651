// Strided copies: permutations, crops, steps and fills, as rank-n copies into C order.
#include <numeric>

#include "cases.hpp"
#include "kernels/strided_copy.hpp"

namespace zw::bench {

namespace {

using Shape = std::vector<size_t>;

/// Axes that read a C-order array of `shape` permuted by `order` (as in numpy.transpose) and write
/// it in C order.
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

/// Bytes from the start of the first element to the end of the last.
size_t extent(const std::vector<CopyAxis>& axes, size_t itemBytes, size_t CopyAxis::*stride) {
  return std::accumulate(axes.begin(), axes.end(), itemBytes, [=](size_t sum, const CopyAxis& a) {
    return sum + (a.length - 1) * (a.*stride);
  });
}

/// Adds a copy; `over` is the baseline, by default a copy of the same number of bytes.
void addCopy(Cases& cases, std::string name, std::vector<CopyAxis> axes, uint32_t itemBytes,
             uint32_t swapBytes = 1, std::string over = {}) {
  size_t bytes = itemBytes;
  for (const CopyAxis& a : axes) bytes *= a.length;
  if (over.empty()) over = copyName(bytes);
  cases.push_back({std::move(name), std::move(over), bytes, [=](const Input&) {
                     Block src = noise(extent(axes, itemBytes, &CopyAxis::srcStride));
                     Block dst = noise(extent(axes, itemBytes, &CopyAxis::dstStride));
                     StridedCopy copy;
                     if (prepareStridedCopy(axes, itemBytes, swapBytes, copy)) std::abort();
                     return [=, scratch = std::make_shared<Buffer>()] {
                       runStridedCopy(copy, src.get(), dst.get(), scratch.get());
                     };
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

std::string permuteName(const Shape& shape, const Shape& order, const char* type) {
  return std::string("permute ") + type + ' ' + text(shape) + ' ' + text(order);
}

void addPermute(Cases& cases, const Shape& shape, const Shape& order, const char* type,
                uint32_t itemBytes) {
  addCopy(cases, permuteName(shape, order, type), permuted(shape, order, itemBytes), itemBytes);
}

/// The same with byte-swapped components, compared with the plain copy.
void addSwapped(Cases& cases, const Shape& shape, const Shape& order, const char* type,
                uint32_t itemBytes, uint32_t swapBytes) {
  const std::string plain = permuteName(shape, order, type);
  addCopy(cases, plain + " with byte swap", permuted(shape, order, itemBytes), itemBytes, swapBytes,
          plain);
}

void addPlanes(Cases& cases) {
  // 4 MiB, sides that are not powers of two.
  addPermute(cases, {2000, 2098}, {1, 0}, "u8", 1);
  addPermute(cases, {1400, 1498}, {1, 0}, "u16", 2);
  addPermute(cases, {1000, 1049}, {1, 0}, "u32", 4);
  addPermute(cases, {700, 749}, {1, 0}, "u64", 8);
  addPermute(cases, {500, 525}, {1, 0}, "complex128", 16);
  addSwapped(cases, {1400, 1498}, {1, 0}, "u16", 2, 2);
  addSwapped(cases, {1000, 1049}, {1, 0}, "u32", 4, 4);
  addSwapped(cases, {700, 749}, {1, 0}, "u64", 8, 8);
  addSwapped(cases, {500, 525}, {1, 0}, "complex128", 16, 8);
  // Powers of two, whose cache lines conflict.
  addPermute(cases, {1024, 2048}, {1, 0}, "u16", 2);
  addPermute(cases, {8192, 8192}, {1, 0}, "u8", 1);
  addPermute(cases, {4096, 8192}, {1, 0}, "u16", 2);
  addPermute(cases, {4096, 4096}, {1, 0}, "u32", 4);
  addPermute(cases, {2048, 4096}, {1, 0}, "u64", 8);
  addPermute(cases, {2048, 2048}, {1, 0}, "complex128", 16);
}

void addHigherRanks(Cases& cases) {
  addPermute(cases, {128, 128, 128}, {2, 1, 0}, "u16", 2);
  addPermute(cases, {128, 128, 128}, {2, 1, 0}, "u32", 4);
  addPermute(cases, {128, 128, 128}, {2, 0, 1}, "u16", 2);
  addPermute(cases, {128, 128, 128}, {0, 2, 1}, "u16", 2);
  addPermute(cases, {32, 32, 32, 32}, {3, 2, 1, 0}, "u32", 4);
  addSwapped(cases, {128, 128, 128}, {2, 1, 0}, "u16", 2, 2);
  addPermute(cases, {32, 48, 40, 34}, {1, 3, 0, 2}, "u16", 2);
}

/// Interleaved channels to planes, and the reverse.
void addChannels(Cases& cases) {
  addPermute(cases, {1180, 1180, 3}, {2, 0, 1}, "u8", 1);
  addPermute(cases, {3, 1180, 1180}, {1, 2, 0}, "u8", 1);
}

/// Rows placed in a larger array, every second element, fill values.
void addOthers(Cases& cases) {
  addCopy(cases, "place rows of 128 B, 4 MiB", {{32768, 128, 512}, {128, 1, 1}}, 1);
  addCopy(cases, "every second u16, 4 MiB", {{2048, 4096, 2048}, {1024, 4, 2}}, 2);
  addCopy(cases, "fill u16, 4 MiB", {{2 * kMiB, 0, 2}}, 2);
}

}  // namespace

void addStridedCopyCases(Cases& cases) {
  addPlanes(cases);
  addHigherRanks(cases);
  addChannels(cases);
  addOthers(cases);
}

}  // namespace zw::bench
