// Tests the installed C++ library, with the system's zstd as the counterpart for reading and
// writing.
#include <zstd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "zarr_wasm/core.hpp"

namespace {

using zarr_wasm::Axis;
using zarr_wasm::Chain;
using zarr_wasm::Coder;
using zarr_wasm::Plan;
using zarr_wasm::Status;
using Bytes = std::vector<uint8_t>;

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  failures++;
}

bool failsAs(Status status, const char* name) {
  return !status.ok() && std::strcmp(status.name(), name) == 0 && *status.message() != 0;
}

/// Elements 0, 1, 2 … of a 3 × 5 chunk of uint16, little-endian.
Bytes chunk() {
  Bytes bytes(30);
  for (size_t i = 0; i < 15; i++) bytes[2 * i] = static_cast<uint8_t>(i);
  return bytes;
}

/// The same elements transposed and big-endian, written by hand.
Bytes swappedChunk() {
  Bytes bytes;
  for (uint8_t column = 0; column < 5; column++) {
    for (uint8_t row = 0; row < 3; row++) {
      bytes.push_back(0);
      bytes.push_back(static_cast<uint8_t>(row * 5 + column));
    }
  }
  return bytes;
}

Chain chain() {
  Chain made("uint16", {3, 5});
  made.fillValue(uint16_t{0x0102}).transpose({1, 0}).bytes(zarr_wasm::Endian::Big).zstd(3, true);
  return made;
}

void encodesWhatOthersRead() {
  Plan plan;
  Coder coder;
  expect(plan.prepare(chain()).ok(), "the chain is prepared");
  expect(plan.decodedBytes() == 30, "a chunk has 30 bytes");
  Bytes encoded(plan.encodedBound());
  size_t size = 0;
  expect(coder.encode(plan, chunk(), encoded, size).ok(), "a chunk is encoded");
  Bytes decoded(30);
  expect(ZSTD_decompress(decoded.data(), 30, encoded.data(), size) == 30, "zstd decodes it");
  expect(decoded == swappedChunk(), "its elements are swapped, in both ways");
}

void decodesWhatOthersWrite() {
  Plan plan;
  Coder coder;
  expect(plan.prepare(chain()).ok(), "the chain is prepared");
  const Bytes swapped = swappedChunk();
  Bytes encoded(ZSTD_compressBound(swapped.size()));
  encoded.resize(ZSTD_compress(encoded.data(), encoded.size(), swapped.data(), swapped.size(), 9));
  Bytes decoded(30);
  expect(coder.decode(plan, encoded, decoded).ok(), "output of zstd is decoded");
  expect(decoded == chunk(), "to the elements");

  // Row 2, every third column from 1 on, at byte 4 of another array.
  Bytes array(12, 0xee);
  const std::array<Axis, 2> region = {{{2, 1, 1, 0}, {1, 3, 2, 4}}};
  expect(coder.decodeRegion(plan, encoded, region, array, 4).ok(), "a region is decoded");
  expect(array == Bytes({0xee, 0xee, 0xee, 0xee, 11, 0, 0xee, 0xee, 14, 0, 0xee, 0xee}),
         "to where it belongs");
  expect(coder.fill(plan, region, array, 4).ok(), "a region is filled");
  expect(array == Bytes({0xee, 0xee, 0xee, 0xee, 2, 1, 0xee, 0xee, 2, 1, 0xee, 0xee}),
         "with the fill value");
  coder.trim();
  expect(coder.decode(plan, encoded, decoded).ok(), "works after trim");
}

void refuses() {
  Plan plan;
  Coder coder;
  Bytes decoded(30), encoded(4);
  size_t size = 1;
  expect(failsAs(coder.decode(plan, encoded, decoded), "BadPlan"), "a plan must be prepared");
  expect(failsAs(plan.prepare(Chain("uint17", {3, 5}).bytes()), "UnknownDataType"), "data types");
  const Status unknown = plan.prepare(Chain("uint8", {3, 5}).bytes().codec("zip"));
  expect(failsAs(unknown, "UnknownCodec") && unknown.codec() == 1, "codecs");
  expect(failsAs(plan.prepare(Chain("uint16", {3, 5}).transpose({1, 1}).bytes()), "BadPermutation"),
         "permutations");
  expect(failsAs(plan.prepare(Chain("uint16", {1 << 16, 1 << 16}).bytes()), "LimitExceeded"),
         "large chunks");
  expect(failsAs(plan.prepare(chain(), 29), "LimitExceeded"),
         "chunks that are larger than allowed");
  expect(!plan, "nothing was prepared");
  expect(plan.prepare(chain()).ok(), "the chain is prepared");
  expect(!plan.prepare(Chain("uint8", {3}).zstd()).ok() && plan.decodedBytes() == 30,
         "a failed prepare leaves the plan unchanged");
  expect(!coder.decode(plan, encoded, std::span(decoded).first(29)).ok(), "less room");
  expect(!coder.decode(plan, {}, decoded).ok(), "no bytes");
  expect(!coder.encode(plan, chunk(), encoded, size).ok() && size == 0, "less room for encoding");
  Bytes whole(plan.encodedBound());
  expect(coder.encode(plan, chunk(), whole, size).ok(), "a chunk is encoded");
  for (size_t cut = 0; cut < size; cut++) {
    expect(!coder.decode(plan, std::span(whole).first(cut), decoded).ok(), "a chunk cut short");
  }
  const std::array<Axis, 2> outside = {{{0, 1, 3, 10}, {1, 1, 5, 2}}};
  Bytes array(1000);
  expect(failsAs(coder.decodeRegion(plan, std::span(whole).first(size), outside, array),
                 "BadPlacement"),
         "regions outside");
  const std::array<Axis, 1> flat = {{{0, 1, 3, 10}}};
  expect(failsAs(coder.fill(plan, flat, array), "BadPlacement"), "regions of another rank");

  Plan other = std::move(plan);
  Coder mover = std::move(coder);
  expect(!plan && mover.decode(other, std::span(whole).first(size), decoded).ok(), "both move");
}

void knowsOtherTypes() {
  Plan plan;
  Coder coder;
  const std::array<uint32_t, 1> two = {2};
  const std::array<Chain::Run, 2> runs = {{{1, 1}, {2, 1}}};
  Chain items = Chain::ofStruct(runs, two).codec("bytes", {3, 0, 2});
  expect(plan.prepare(items).ok() && plan.decodedBytes() == 6, "structures");
  Bytes encoded(plan.encodedBound());
  size_t size = 0;
  expect(coder.encode(plan, Bytes({1, 2, 3, 4, 5, 6}), encoded, size).ok(), "are encoded");
  expect(size == 6 && encoded == Bytes({1, 3, 2, 4, 6, 5}), "field by field");
  expect(plan.prepare(Chain::ofItems("raw", 7, two).bytes(zarr_wasm::Endian::None)).ok() &&
             plan.decodedBytes() == 14,
         "raw bytes");
  expect(plan.prepare(Chain("complex64", {2}).bytes(zarr_wasm::Endian::Big).gzip(1).crc32c()).ok(),
         "complex numbers");
  expect(plan.prepare(Chain("float32", {64})
                          .bytes()
                          .blosc(zarr_wasm::Compressor::Lz4, 5, zarr_wasm::Shuffle::Bits, 4))
             .ok(),
         "blosc");
}

}  // namespace

int main() {
  encodesWhatOthersRead();
  decodesWhatOthersWrite();
  refuses();
  knowsOtherTypes();
  std::printf("%d failed\n", failures);
  return failures == 0 ? 0 : 1;
}
