// The zarr-wasm codec core for C++20: decodes and encodes chunks of Zarr arrays. Guide:
// docs/cpp.md.
//
//   zarr_wasm::Chain chain("int16", {64, 48});  // data type and shape of a chunk
//   chain.transpose({1, 0}).bytes().zstd(5);    // codecs in encoding order, as in zarr.json
//
//   zarr_wasm::Plan plan;                       // one per array
//   if (auto s = plan.prepare(chain); !s.ok()) return fail(s.message());
//
//   zarr_wasm::Coder coder;                     // memory and library contexts: one per thread
//   std::vector<uint8_t> encoded(plan.encodedBound());
//   size_t size = 0;
//   auto status = coder.encode(plan, asBytes(values), encoded, size);
//
// Nothing here throws, prints or aborts: functions that can fail return a Status. The header builds
// with and without exceptions and RTTI, and only pointers and integers cross into the library.
// Hosts must be little-endian; on x86-64 the processor needs SSSE3 (2006).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace zarr_wasm {

/// The version of the linked library: "0.2.0".
const char* version();

/// The result of an operation that can fail.
class [[nodiscard]] Status {
 public:
  /// Value of codec() for errors that are not a codec's.
  static constexpr uint32_t kNoCodec = 0xffffffff;

  constexpr Status() = default;
  constexpr Status(uint32_t code, uint32_t offset, uint32_t codec)
      : code_(code), offset_(offset), codec_(codec) {}

  constexpr bool ok() const { return code_ == 0; }
  /// The name of the status, such as "ChecksumMismatch" (docs/errors.md). Names are stable. Never
  /// null.
  const char* name() const;
  /// A one-line message in English. Never null.
  const char* message() const;
  /// Corrupt input: the byte offset in the failing codec's input at which the error was detected.
  constexpr uint32_t offset() const { return offset_; }
  /// Position in the chain of the codec that failed, from 0, or kNoCodec.
  constexpr uint32_t codec() const { return codec_; }

 private:
  uint32_t code_ = 0;
  uint32_t offset_ = 0;
  uint32_t codec_ = kNoCodec;
};

enum class Endian : uint32_t { None = 0, Little = 1, Big = 2 };
enum class Compressor : uint32_t { BloscLz = 0, Lz4 = 1, Lz4Hc = 2, Zlib = 4, Zstd = 5 };
enum class Shuffle : uint32_t { None = 0, Bytes = 1, Bits = 2 };

namespace detail {
inline constexpr uint32_t kUnknown = 0xffffffff;
uint32_t codecId(const char* name, size_t length);
/// Id of a data type, and bytes per element and per component (0 = set by the chain).
struct DType {
  uint32_t id;
  uint32_t itemBytes;
  uint32_t componentBytes;
};
DType dtype(const char* name, size_t length);
class PlanState;
class CoderState;
}  // namespace detail

/// Describes a chunk: its data type, shape and codecs. Nothing is checked before Plan::prepare.
class Chain {
 public:
  using Words = std::span<const uint32_t>;

  /// @param dtype the name of the data type in Zarr v3: "int16", "float32", "complex64", "bool", …
  /// (docs/dtypes.md)
  /// @param shape the chunk's length along each axis, in elements; the first axis varies slowest
  Chain(std::string_view dtype, std::initializer_list<uint32_t> shape)
      : Chain(dtype, Words(shape.begin(), shape.size())) {}
  Chain(std::string_view dtype, Words shape) : Chain(dtype, 0, 0, shape) {}

  /// A chain for data types of variable width: "raw", "fixed_bytes" and "fixed_utf32".
  /// @param itemBytes bytes per element; four per character for "fixed_utf32"
  static Chain ofItems(std::string_view dtype, uint32_t itemBytes, Words shape) {
    return Chain(dtype, itemBytes, 0, shape);
  }

  /// Consecutive numbers in a struct: `count` numbers of `bytes` (1, 2, 4 or 8) bytes.
  struct Run {
    uint32_t bytes;
    uint32_t count;
  };
  /// A chain for a structured data type, whose elements are these runs without padding.
  static Chain ofStruct(std::span<const Run> runs, Words shape) {
    Chain chain("struct", 0, 0, shape);
    chain.itemBytes_ = 0;
    chain.runs_.assign(runs.begin(), runs.end());
    for (const Run& run : runs) chain.itemBytes_ += run.bytes * run.count;
    return chain;
  }

  /// Sets the fill value, one element in native byte order. Default: zeros. Used by Coder::fill and
  /// by codecs that change values.
  template <class T>
  requires std::is_trivially_copyable_v<T> Chain& fillValue(const T& value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    fill_.assign(bytes, bytes + sizeof(T));
    return *this;
  }

  /// Disables the verification of checksums of the data. Sizes and headers are still checked.
  Chain& skipChecksums() {
    skipsChecksums_ = true;
    return *this;
  }

  Chain& transpose(std::initializer_list<uint32_t> order) { return codec("transpose", order); }
  Chain& bytes(Endian endian = Endian::Little) {
    return codec("bytes", {static_cast<uint32_t>(endian)});
  }
  Chain& zstd(int32_t level = 0, bool checksum = false) {
    return codec("zstd", {static_cast<uint32_t>(level), checksum ? 1u : 0u});
  }
  Chain& gzip(int32_t level = -1) { return codec("gzip", {static_cast<uint32_t>(level)}); }
  Chain& zlib(int32_t level = -1) { return codec("zlib", {static_cast<uint32_t>(level)}); }
  Chain& lz4(int32_t acceleration = 1) {
    return codec("lz4", {static_cast<uint32_t>(acceleration)});
  }
  /// @param typeBytes element size for the shuffle, 1 to 255; usually the size of the data type
  /// @param blockBytes block size; 0 = automatic
  Chain& blosc(Compressor compressor, uint32_t level, Shuffle shuffle, uint32_t typeBytes,
               uint32_t blockBytes = 0) {
    return codec("blosc", {static_cast<uint32_t>(compressor), level, static_cast<uint32_t>(shuffle),
                           typeBytes, blockBytes, 0});
  }
  /// Appends a CRC-32C, as in Zarr v3.
  Chain& crc32c() { return codec("crc32c", {1}); }

  /// Adds any codec of the core. src/codecs documents the integer parameters of each codec at the
  /// top of its source file; src/codecs/codec_list.inc lists the names.
  Chain& codec(std::string_view name, Words parameters) {
    codecs_.insert(codecs_.end(), {detail::codecId(name.data(), name.size()),
                                   static_cast<uint32_t>(parameters.size())});
    codecs_.insert(codecs_.end(), parameters.begin(), parameters.end());
    codecCount_++;
    return *this;
  }
  Chain& codec(std::string_view name, std::initializer_list<uint32_t> parameters = {}) {
    return codec(name, Words(parameters.begin(), parameters.size()));
  }

  /// The chain as input for Plan::prepare. The format (src/chain/plan.hpp) may change with each
  /// version of the library.
  std::vector<uint32_t> words() const {
    std::vector<uint32_t> words = {kPlanVersion, skipsChecksums_ ? kSkipChecksums : 0, dtype_,
                                   itemBytes_, static_cast<uint32_t>(runs_.size())};
    for (const Run& run : runs_) words.insert(words.end(), {run.bytes, run.count});
    words.push_back(static_cast<uint32_t>(shape_.size()));
    words.insert(words.end(), shape_.begin(), shape_.end());
    for (size_t at = 0; at < itemBytes_ && at < kMaxItemBytes; at += 4)
      words.push_back(fillWord(at));
    words.push_back(codecCount_);
    words.insert(words.end(), codecs_.begin(), codecs_.end());
    return words;
  }

 private:
  static constexpr uint32_t kPlanVersion = 2;
  static constexpr uint32_t kSkipChecksums = 2;
  static constexpr size_t kMaxItemBytes = size_t{1} << 20;

  Chain(std::string_view name, uint32_t itemBytes, uint32_t componentBytes, Words shape)
      : shape_(shape.begin(), shape.end()) {
    const detail::DType dtype = detail::dtype(name.data(), name.size());
    dtype_ = dtype.id;
    itemBytes_ = dtype.itemBytes ? dtype.itemBytes : itemBytes;
    const uint32_t width = dtype.componentBytes ? dtype.componentBytes : componentBytes;
    if (width) runs_ = {{width, itemBytes_ / width}};
  }

  uint32_t fillWord(size_t at) const {
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && at + i < fill_.size() && at + i < itemBytes_; i++) {
      word |= uint32_t{fill_[at + i]} << (8 * i);
    }
    return word;
  }

  uint32_t dtype_ = detail::kUnknown;
  uint32_t itemBytes_ = 0;
  std::vector<Run> runs_;
  std::vector<uint32_t> shape_;
  std::vector<uint8_t> fill_;
  std::vector<uint32_t> codecs_;
  uint32_t codecCount_ = 0;
  bool skipsChecksums_ = false;
};

/// A checked chain, ready to run for each chunk of an array. Immutable once prepared, so threads
/// may share it.
class Plan {
 public:
  Plan() noexcept;
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Default limit for the size of a decoded chunk: 1 GiB.
  static constexpr uint64_t kDefaultMaxChunkBytes = uint64_t{1} << 30;

  /// Checks a chain and computes sizes. On failure the plan is unchanged.
  /// @param maxChunkBytes limit for the size of a decoded chunk, at most 2³¹ - 1
  Status prepare(const Chain& chain, uint64_t maxChunkBytes = kDefaultMaxChunkBytes) {
    const std::vector<uint32_t> words = chain.words();
    return prepare(words.data(), words.size(), maxChunkBytes);
  }

  /// True once prepared.
  explicit operator bool() const { return state_ != nullptr; }
  /// Size of a decoded chunk in bytes; 0 before prepare.
  size_t decodedBytes() const;
  /// Maximum size of an encoded chunk, for the output of Coder::encode; 0 before prepare.
  size_t encodedBound() const;

 private:
  friend class Coder;
  Status prepare(const uint32_t* words, size_t count, uint64_t maxChunkBytes);
  std::unique_ptr<detail::PlanState> state_;
};

/// One axis of a region: the `count` elements start, start + step, … of the chunk are at multiples
/// of `stride` bytes in the caller's array. `step` is at least 1, except with a single element.
struct Axis {
  uint32_t start;
  uint32_t step;
  uint32_t count;
  uint32_t stride;
};

/// Runs plans. Owns buffers and library contexts and reuses them for all chunks: create one per
/// thread and keep it. Decoded elements are in C order and in native byte order.
class Coder {
 public:
  Coder() noexcept;
  Coder(Coder&&) noexcept;
  Coder& operator=(Coder&&) noexcept;
  ~Coder();

  /// Decodes a chunk into `out`, which must have plan.decodedBytes() bytes and not overlap
  /// `encoded`. On failure its contents are unspecified. Never writes outside `out`; `encoded` may
  /// be untrusted.
  Status decode(const Plan& plan, std::span<const uint8_t> encoded, std::span<uint8_t> out) {
    return decode(plan, encoded.data(), encoded.size(), out.data(), out.size());
  }

  /// Decodes a chunk and writes a region of it to `array`. `axes` has one entry per axis of the
  /// chunk; the first element of the region is written at byte `offset`. Fails with BadPlacement,
  /// and writes nothing, if an element lies outside the chunk or the array.
  Status decodeRegion(const Plan& plan, std::span<const uint8_t> encoded,
                      std::span<const Axis> axes, std::span<uint8_t> array, size_t offset = 0) {
    return decodeRegion(plan, encoded.data(), encoded.size(), axes.data(), axes.size(),
                        array.data(), array.size(), offset);
  }

  /// Writes the fill value to the elements that decodeRegion would write, for chunks that are not
  /// stored.
  Status fill(const Plan& plan, std::span<const Axis> axes, std::span<uint8_t> array,
              size_t offset = 0) {
    return fill(plan, axes.data(), axes.size(), array.data(), array.size(), offset);
  }

  /// Encodes `decoded`, plan.decodedBytes() bytes, into the front of `out`, which must have at
  /// least plan.encodedBound() bytes. `size` is the number of bytes written, 0 on failure.
  Status encode(const Plan& plan, std::span<const uint8_t> decoded, std::span<uint8_t> out,
                size_t& size) {
    return encode(plan, decoded.data(), decoded.size(), out.data(), out.size(), size);
  }

  /// Frees all memory; the next call allocates it again.
  void trim();

 private:
  Status decode(const Plan& plan, const uint8_t* encoded, size_t encodedSize, uint8_t* out,
                size_t outSize);
  Status decodeRegion(const Plan& plan, const uint8_t* encoded, size_t encodedSize,
                      const Axis* axes, size_t rank, uint8_t* array, size_t arraySize,
                      size_t offset);
  Status fill(const Plan& plan, const Axis* axes, size_t rank, uint8_t* array, size_t arraySize,
              size_t offset);
  Status encode(const Plan& plan, const uint8_t* decoded, size_t decodedSize, uint8_t* out,
                size_t outSize, size_t& size);
  detail::CoderState* state();
  std::unique_ptr<detail::CoderState> state_;
};

}  // namespace zarr_wasm
