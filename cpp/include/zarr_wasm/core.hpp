// The zarr-wasm codec core for C++20: decodes and encodes chunks of Zarr arrays. Guide: docs/cpp.md.
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

/// Version of the library that is linked, "0.2.0".
const char* version();

/// What an operation has come to. Statuses of failure are data: they can be copied, kept and
/// compared.
class [[nodiscard]] Status {
 public:
  /// Position of a codec where no codec is to blame.
  static constexpr uint32_t kNoCodec = 0xffffffff;

  constexpr Status() = default;
  constexpr Status(uint32_t code, uint32_t offset, uint32_t codec)
      : code_(code), offset_(offset), codec_(codec) {}

  constexpr bool ok() const { return code_ == 0; }
  /// "ChecksumMismatch": names stay, numbers may change. docs/errors.md lists them.
  const char* name() const;
  /// One line of English. Never null.
  const char* message() const;
  /// Of corrupt input: the byte of it at which the trouble was noticed.
  constexpr uint32_t offset() const { return offset_; }
  /// Position in the chain of the codec that failed, from 0; kNoCodec.
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
/// Number, and bytes of an element and of what byte order applies to (0: the chain gives them).
struct DType {
  uint32_t id;
  uint32_t itemBytes;
  uint32_t componentBytes;
};
DType dtype(const char* name, size_t length);
class PlanState;
class CoderState;
}  // namespace detail

/// A data type, the shape of a chunk and the codecs that it goes through. Only a description:
/// nothing is checked before Plan::prepare.
class Chain {
 public:
  using Words = std::span<const uint32_t>;

  /// @param dtype a name as in Zarr v3: "int16", "float32", "complex64", "bool", …
  /// (docs/dtypes.md).
  /// @param shape elements of a chunk along each axis; the first varies slowest.
  Chain(std::string_view dtype, std::initializer_list<uint32_t> shape)
      : Chain(dtype, Words(shape.begin(), shape.size())) {}
  Chain(std::string_view dtype, Words shape) : Chain(dtype, 0, 0, shape) {}

  /// Data types whose width is not in their name: "raw", "fixed_bytes" (of itemBytes bytes) and
  /// "fixed_utf32" (four for each character).
  static Chain ofItems(std::string_view dtype, uint32_t itemBytes, Words shape) {
    return Chain(dtype, itemBytes, 0, shape);
  }

  /// A structured type: runs of `count` numbers of `bytes` bytes (1, 2, 4 or 8), one after the
  /// other.
  struct Run {
    uint32_t bytes;
    uint32_t count;
  };
  static Chain ofStruct(std::span<const Run> runs, Words shape) {
    Chain chain("struct", 0, 0, shape);
    chain.itemBytes_ = 0;
    chain.runs_.assign(runs.begin(), runs.end());
    for (const Run& run : runs) chain.itemBytes_ += run.bytes * run.count;
    return chain;
  }

  /// The fill value, as an element in memory; zeros without it. Codecs that change values need it,
  /// and Coder::fill.
  template <class T>
  requires std::is_trivially_copyable_v<T> Chain& fillValue(const T& value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    fill_.assign(bytes, bytes + sizeof(T));
    return *this;
  }

  /// Checksums of the data are not verified when decoding; sizes and headers are.
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
  /// @param typeBytes bytes of what is shuffled, 1 to 255; of an element, as a rule.
  Chain& blosc(Compressor compressor, uint32_t level, Shuffle shuffle, uint32_t typeBytes,
               uint32_t blockBytes = 0) {
    return codec("blosc", {static_cast<uint32_t>(compressor), level, static_cast<uint32_t>(shuffle),
                           typeBytes, blockBytes, 0});
  }
  /// Behind the data, as in Zarr v3.
  Chain& crc32c() { return codec("crc32c", {1}); }

  /// Any codec of the core, by the name and with the integers that are above its source in
  /// src/codecs.
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

  /// What Plan::prepare reads: src/chain/plan.hpp has its form, which belongs to this version of
  /// the library.
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

/// A chain that is checked, sized and ready to be run for every chunk of an array. Once prepared it
/// does not change: threads may share it.
class Plan {
 public:
  Plan() noexcept;
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Most bytes of a decoded chunk, unless prepare is told another number: 1 GiB.
  static constexpr uint64_t kDefaultMaxChunkBytes = uint64_t{1} << 30;

  /// Checks a chain. On failure the plan stays as it was.
  Status prepare(const Chain& chain, uint64_t maxChunkBytes = kDefaultMaxChunkBytes) {
    const std::vector<uint32_t> words = chain.words();
    return prepare(words.data(), words.size(), maxChunkBytes);
  }

  explicit operator bool() const { return state_ != nullptr; }
  /// Bytes of a decoded chunk; 0 before prepare.
  size_t decodedBytes() const;
  /// Most bytes that a chunk is encoded to: room for Coder::encode. 0 before prepare.
  size_t encodedBound() const;

 private:
  friend class Coder;
  Status prepare(const uint32_t* words, size_t count, uint64_t maxChunkBytes);
  std::unique_ptr<detail::PlanState> state_;
};

/// One axis of a region: elements start, start + step, … (count of them) of the chunk lie at
/// multiples of `stride` bytes in the caller's array.
struct Axis {
  uint32_t start;
  uint32_t step;
  uint32_t count;
  uint32_t stride;
};

/// Runs plans. Holds the memory and the library contexts that chunks go through, and uses them
/// again: one per thread, for as long as there are chunks. Decoded elements are in C order and in
/// the host's byte order.
class Coder {
 public:
  Coder() noexcept;
  Coder(Coder&&) noexcept;
  Coder& operator=(Coder&&) noexcept;
  ~Coder();

  /// Decodes a chunk into `out`, exactly plan.decodedBytes() bytes that do not overlap `encoded`.
  /// On failure its contents mean nothing. Never writes elsewhere, whatever `encoded` holds.
  Status decode(const Plan& plan, std::span<const uint8_t> encoded, std::span<uint8_t> out) {
    return decode(plan, encoded.data(), encoded.size(), out.data(), out.size());
  }

  /// Decodes a chunk and writes part of it to where it belongs in `array`: one axis for each of the
  /// chunk, the element 0,0,… of the region at byte `offset`.
  Status decodeRegion(const Plan& plan, std::span<const uint8_t> encoded,
                      std::span<const Axis> axes, std::span<uint8_t> array, size_t offset = 0) {
    return decodeRegion(plan, encoded.data(), encoded.size(), axes.data(), axes.size(),
                        array.data(), array.size(), offset);
  }

  /// Writes the fill value where decodeRegion would write elements: for chunks that are not stored.
  Status fill(const Plan& plan, std::span<const Axis> axes, std::span<uint8_t> array,
              size_t offset = 0) {
    return fill(plan, axes.data(), axes.size(), array.data(), array.size(), offset);
  }

  /// Encodes `decoded`, plan.decodedBytes() bytes, into the front of `out`, which has room for
  /// plan.encodedBound(); `size` is the number of bytes written, 0 on failure.
  Status encode(const Plan& plan, std::span<const uint8_t> decoded, std::span<uint8_t> out,
                size_t& size) {
    return encode(plan, decoded.data(), decoded.size(), out.data(), out.size(), size);
  }

  /// Gives back the memory; the next call takes it again.
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
