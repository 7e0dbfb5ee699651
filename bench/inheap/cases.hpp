// The list of benchmark cases. To add a case, add it to a group here (or write a file with a
// function addXCases, declare it below and call it in ours.cpp); it becomes rows of
// `npm run bench`.
//
// Cases with the same names exist for our kernels (ours.cpp) and, if there is a native library to
// compare with, for its functions (libraries.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zw::bench {

inline constexpr size_t kKiB = 1024, kMiB = 1024 * 1024;

/// Uninitialised memory shared by the copies of a lambda; aligned to a cache line, as the core's
/// buffers should be.
using Block = std::shared_ptr<uint8_t[]>;
inline Block block(size_t bytes) {
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  return Block(static_cast<uint8_t*>(memory), [](uint8_t* p) { std::free(p); });
}

/// A block of reproducible noise.
inline Block noise(size_t bytes) {
  Block b = block(bytes);
  uint32_t state = 12345;
  for (size_t i = 0; i < bytes; i += sizeof(state)) {  // blocks end at a cache line
    state = state * 1664525u + 1013904223u;
    std::memcpy(&b[i], &state, sizeof(state));
  }
  return b;
}

/// Bytes provided by the host (see Case::input).
struct Input {
  Block data;
  size_t bytes = 0;
};

struct Case {
  std::string name;
  /// The baseline: another case of this list, or a native library for which libraries.cpp has a
  /// case of the same name.
  std::string over;
  /// Number of bytes produced by a run.
  size_t bytes;
  /// Prepares data and returns the function to time.
  std::function<std::function<void()>(const Input&)> prepare;
  /// The required input: "corpus: codec" (as named in bench/codecs.mjs) for encoded bytes, "corpus"
  /// for plain ones, or empty.
  std::string input = {};
};
using Cases = std::vector<Case>;

/// "4 MiB", "256 KiB".
inline std::string sizeName(size_t bytes) {
  return bytes >= kMiB ? std::to_string(bytes / kMiB) + " MiB"
                       : std::to_string(bytes / kKiB) + " KiB";
}

/// The case that copies (almost) the same number of bytes.
inline std::string copyName(size_t bytes) {
  for (size_t size : {16 * kKiB, 256 * kKiB, 4 * kMiB, 8 * kMiB, 64 * kMiB}) {
    if (bytes <= size + size / 8) return "memory.copy, " + sizeName(size);
  }
  std::abort();
}

/// Adds a case whose run is `work(dst, src)` on two blocks of `bytes` bytes.
template <class Work>
void addCopyLike(Cases& cases, std::string name, std::string over, size_t bytes, Work work) {
  cases.push_back({std::move(name), std::move(over), bytes, [bytes, work](const Input&) {
                     Block src = noise(bytes), dst = noise(bytes);
                     return [=] { work(dst.get(), src.get()); };
                   }});
}

/// A case as a line of JSON, without its functions.
std::string caseLine(const Case& oneCase);

/// Applies or reverts a shuffle of `count` items.
using Unshuffle = void (*)(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes);

/// Decodes all of `in` to exactly `outBytes` bytes, or returns false.
using Decode =
    std::function<bool(const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes)>;

/// Encodes all of `in` to at most `outBytes` bytes. Returns the encoded size, or 0 on failure.
using Encode =
    std::function<size_t(const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes)>;

void addMemoryCases(Cases& cases);
void addByteswapCases(Cases& cases);
void addChecksumCases(Cases& cases);
void addStridedCopyCases(Cases& cases);
void addNumberCases(Cases& cases);
void addUnshuffleCases(Cases& cases, Unshuffle bytes, Unshuffle bits);
/// Cases without a counterpart in libraries.cpp: the other direction, and odd widths.
void addShuffleCases(Cases& cases, Unshuffle bytes, Unshuffle bits, Unshuffle unshuffleBytes);
/// Returns the decoder of a codec in bench/codecs.mjs, for chunks of a given size.
using DecoderOf = std::function<Decode(const std::string& codec, size_t bytes)>;
void addDecodeCases(Cases& cases, const DecoderOf& decoderOf);
/// The same for encoders, which also take the element size. Chunks are of 4 MiB.
using EncoderOf = std::function<Encode(const std::string& codec, uint32_t itemBytes)>;
void addEncodeCases(Cases& cases, const EncoderOf& encoderOf);
void addPlacedChunkCases(Cases& cases);

/// The cases of this program (ours.cpp or libraries.cpp).
Cases allCases();

}  // namespace zw::bench
