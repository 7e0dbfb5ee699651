// Encodes an int16 chunk as in a Zarr v3 array with transpose, bytes, zstd and crc32c, decodes it,
// and decodes a part of it into a larger array. docs/cpp.md explains it.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "zarr_wasm/core.hpp"

namespace {

/// Throws an exception for a failed status.
void check(zarr_wasm::Status status) {
  if (!status.ok()) throw std::runtime_error(std::string(status.name()) + ": " + status.message());
}

std::span<const uint8_t> bytesOf(const std::vector<int16_t>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(int16_t)};
}

std::span<uint8_t> writableBytesOf(std::vector<int16_t>& values) {
  return {reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(int16_t)};
}

void run() {
  constexpr uint32_t kRows = 64, kColumns = 48;
  zarr_wasm::Chain chain("int16", {kRows, kColumns});
  chain.fillValue(int16_t{-1}).transpose({1, 0}).bytes(zarr_wasm::Endian::Big).zstd(5).crc32c();

  // Once per array: checks the chain and computes sizes.
  zarr_wasm::Plan plan;
  check(plan.prepare(chain));

  std::vector<int16_t> values(kRows * kColumns);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int16_t>(i / 7);

  // Once per thread; reused for every chunk.
  zarr_wasm::Coder coder;
  std::vector<uint8_t> encoded(plan.encodedBound());
  size_t size = 0;
  check(coder.encode(plan, bytesOf(values), encoded, size));
  encoded.resize(size);

  std::vector<int16_t> decoded(values.size());
  check(coder.decode(plan, encoded, writableBytesOf(decoded)));
  if (decoded != values) throw std::runtime_error("other values came back");

  // Every other row from 10 on, columns 8 to 15, into the upper left corner of a 100 × 200 array.
  constexpr uint32_t kWidth = 200, kItem = sizeof(int16_t);
  std::vector<int16_t> image(100 * kWidth);
  const zarr_wasm::Axis region[] = {{10, 2, 20, kWidth * kItem}, {8, 1, 8, kItem}};
  check(coder.decodeRegion(plan, encoded, region, writableBytesOf(image)));
  if (image[3 * kWidth + 5] != values[(10 + 3 * 2) * kColumns + 8 + 5]) {
    throw std::runtime_error("the region has other values");
  }

  // Chunks are verified: a flipped bit is an error, never another value.
  encoded[size / 2] ^= 4;
  const zarr_wasm::Status status = coder.decode(plan, encoded, writableBytesOf(decoded));
  if (status.ok()) throw std::runtime_error("a damaged chunk was decoded");

  std::printf(
      "zarr_wasm_core %s: %zu bytes encoded to %zu, decoded again; damaged: %s of codec %u\n",
      zarr_wasm::version(), values.size() * kItem, size, status.name(), status.codec());
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
