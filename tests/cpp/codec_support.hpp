// Helpers of the codec tests: parameter sets for each compressor, and runs of a single step outside
// a chain, in buffers of exactly the stated size.
#pragma once

#include <deque>
#include <ostream>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/step_pool.hpp"
#include "support.hpp"

namespace zw::test {

inline constexpr uint32_t kAbsent = 0xffffffff;

/// A codec with one set of parameters.
struct CodecCase {
  std::string name;
  const Codec* codec;
  std::vector<uint32_t> params;
  /// True if the data needs no end mark once the size is reached, and a zero byte may follow it.
  bool hasLooseEnd = false;
};

inline void PrintTo(const CodecCase& c, std::ostream* out) {
  *out << c.name;
}

/// The result of a run: a status, and the bytes if it is Ok.
struct Outcome {
  Status status;
  Bytes bytes;
  bool ok() const { return status.code == Code::Ok; }
};

inline std::string codeName(Status s) {
  return std::string(statusName(static_cast<uint32_t>(s.code))) + " at " + std::to_string(s.at);
}

/// The name of a codec in codec_list.inc.
inline std::string listedName(const Codec* codec) {
  uint32_t id = 0;
  while (*codecName(id) && findCodec(id) != codec) id++;
  return codecName(id);
}

/// Prepares a step; the case must outlive it. Steps of nested codecs live until the program ends.
inline Status prepareStep(const CodecCase& c, Size decoded, Step& step) {
  step.codec = c.codec;
  step.params = c.params;
  step.decoded = decoded;
  static std::deque<StepPool> pools;
  if (c.codec == &kConditionalCodec) step.pool = &pools.emplace_back();
  return c.codec->prepare(step);
}

inline Outcome decodeWith(const CodecCase& c, const Bytes& encoded, Size decoded, Workspace& work) {
  Step step;
  Outcome outcome;
  outcome.status = prepareStep(c, decoded, step);
  if (outcome.status) return outcome;
  const ExactBlock in(encoded);
  ExactBlock out(decoded.bytes);
  ByteView result;
  outcome.status = step.codec->decode(step, in.view(), out.span(), work, result);
  if (outcome.ok()) outcome.bytes.assign(result.begin(), result.end());
  return outcome;
}

inline Outcome decodeWith(const CodecCase& c, const Bytes& encoded, size_t bytes) {
  Workspace work;
  return decodeWith(c, encoded, {bytes, true}, work);
}

inline Outcome encodeWith(const CodecCase& c, const Bytes& bytes, Workspace& work) {
  Step step;
  Outcome outcome;
  outcome.status = prepareStep(c, {bytes.size(), true}, step);
  if (outcome.status) return outcome;
  const ExactBlock in(bytes);
  ExactBlock out(step.encoded.bytes);
  ByteView result;
  outcome.status = step.codec->encode(step, in.view(), out.span(), work, result);
  if (outcome.ok()) outcome.bytes.assign(result.begin(), result.end());
  return outcome;
}

inline Bytes encodedBy(const CodecCase& c, const Bytes& bytes) {
  Workspace work;
  return encodeWith(c, bytes, work).bytes;
}

/// Parses hexadecimal digits with optional spaces.
inline Bytes fromHex(const char* digits) {
  Bytes bytes;
  int high = -1;
  for (; *digits; digits++) {
    if (*digits == ' ') continue;
    const int value = *digits <= '9' ? *digits - '0' : *digits - 'a' + 10;
    if (high < 0) {
      high = value;
    } else {
      bytes.push_back(static_cast<uint8_t>(high * 16 + value));
      high = -1;
    }
  }
  return bytes;
}

inline Bytes fromText(const char* text) {
  return Bytes(text, text + std::strlen(text));
}

inline Bytes joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// 16-bit samples of a noisy slope, as bytes: suitable for shuffles.
inline Bytes slopeBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (size_t i = 0; i + 2 <= size; i += 2) {
    store(bytes.data() + i, static_cast<uint16_t>(i / 6 + random() % 8));
  }
  return bytes;
}

/// The ten slots of an LZMA filter: the given ones, then absent ones.
inline std::vector<uint32_t> lzmaFilter(std::vector<uint32_t> given) {
  given.resize(10, kAbsent);
  return given;
}

inline std::vector<uint32_t> joined(std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline CodecCase bloscCase(uint32_t compressor, uint32_t level, uint32_t shuffle, uint32_t typesize,
                           uint32_t blocksize = 0, uint32_t flags = 0) {
  static const char* const names[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
  std::string name = std::string("blosc_") + names[compressor] + "_level" + std::to_string(level) +
                     "_shuffle" + std::to_string(shuffle) + "_type" + std::to_string(typesize);
  if (blocksize) name += "_block" + std::to_string(blocksize);
  if (flags) name += "_flags" + std::to_string(flags);
  return {name, &kBloscCodec, {compressor, level, shuffle, typesize, blocksize, flags}};
}

inline std::vector<CodecCase> lzmaCases() {
  const auto lzma1 = lzmaFilter({1, 1}), lzma2 = lzmaFilter({0x21, 3, 1 << 16, 2, 1, 1});
  const auto delta = lzmaFilter({3, 4}), x86 = lzmaFilter({4}), arm64 = lzmaFilter({10, 8});
  return {
      {"lzma_xz", &kLzmaCodec, {1, kAbsent, kAbsent}},
      {"lzma_xz_crc32_preset0", &kLzmaCodec, {1, 1, 0}},
      {"lzma_xz_sha256_extreme", &kLzmaCodec, {1, 10, 0x80000001}},
      {"lzma_xz_nocheck", &kLzmaCodec, {1, 0, 2}},
      {"lzma_xz_delta", &kLzmaCodec, joined(joined({1, 4, kAbsent}, delta), lzma2)},
      {"lzma_alone", &kLzmaCodec, {2, kAbsent, 1}},
      {"lzma_alone_filter", &kLzmaCodec, joined({2, kAbsent, kAbsent}, lzma1)},
      {"lzma_raw_lzma1", &kLzmaCodec, joined({3, kAbsent, kAbsent}, lzma1)},
      {"lzma_raw_lzma2", &kLzmaCodec, joined({3, kAbsent, kAbsent}, lzma2)},
      {"lzma_raw_delta", &kLzmaCodec, joined(joined({3, 0, kAbsent}, delta), lzma2)},
      {"lzma_raw_x86", &kLzmaCodec, joined(joined({3, 0, kAbsent}, x86), lzma2)},
      {"lzma_raw_arm64", &kLzmaCodec, joined(joined({3, 0, kAbsent}, arm64), lzma2)},
  };
}

inline std::vector<CodecCase> checksumCases() {
  return {
      {"crc32c_end", &kCrc32cCodec, {1}},
      {"crc32c_start", &kCrc32cCodec, {0}},
      {"crc32_start", &kCrc32Codec, {0}},
      {"crc32_end", &kCrc32Codec, {1}},
      {"adler32_start", &kAdler32Codec, {0}},
      {"adler32_end", &kAdler32Codec, {1}},
      {"fletcher32", &kFletcher32Codec, {1}},
      {"jenkins", &kJenkinsCodec, {0, 0}},
      {"jenkins_prefix", &kJenkinsCodec, {7, 5, 0x64636261, 0x65}},
  };
}

/// The words of a codec nested in conditional.
inline std::vector<uint32_t> nested(CodecId id, const std::vector<uint32_t>& params) {
  return joined({static_cast<uint32_t>(id), static_cast<uint32_t>(params.size())}, params);
}

inline CodecCase conditionalCase(std::string name, uint32_t headerBytes,
                                 const std::vector<std::vector<uint32_t>>& codecs) {
  std::vector<uint32_t> params = {headerBytes, static_cast<uint32_t>(codecs.size())};
  for (const auto& words : codecs) params = joined(params, words);
  return {std::move(name), &kConditionalCodec, params};
}

inline std::vector<CodecCase> conditionalCases() {
  const auto zlib = nested(CodecId::Zlib, {1}), zstd = nested(CodecId::Zstd, {1, 1});
  const auto crc = nested(CodecId::Crc32c, {1}), bytes = nested(CodecId::Shuffle, {1});
  const auto inner = conditionalCase("", 1, {bytes, zlib}).params;
  return {
      conditionalCase("conditional_zlib_crc", 1, {zlib, crc}),
      conditionalCase("conditional_three", 2, {bytes, zlib, zstd, crc}),
      conditionalCase("conditional_nested", 1, {zstd, nested(CodecId::Conditional, inner), crc}),
  };
}

/// All compressors, and codecs that behave like one, with the parameter sets of the table-driven
/// tests.
inline const std::vector<CodecCase>& compressorCases() {
  static const std::vector<CodecCase> cases = [] {
    const auto level = [](int value) { return static_cast<uint32_t>(value); };
    std::vector<CodecCase> all = {
        {"zlib_default", &kZlibCodec, {level(-1)}},
        {"zlib_0", &kZlibCodec, {0}},
        {"zlib_1", &kZlibCodec, {1}},
        {"zlib_9", &kZlibCodec, {9}},
        {"gzip_default", &kGzipCodec, {level(-1)}},
        {"gzip_0", &kGzipCodec, {0}},
        {"gzip_5", &kGzipCodec, {5}},
        {"zstd_0", &kZstdCodec, {0, 0}},
        {"zstd_fast", &kZstdCodec, {level(-7), 1}},
        {"zstd_3_checksum", &kZstdCodec, {3, 1}},
        {"zstd_19", &kZstdCodec, {19, 0}},
        {"lz4_1", &kLz4Codec, {1}},
        {"lz4_20", &kLz4Codec, {20}},
        {"bz2_1", &kBz2Codec, {1}},
        {"bz2_9", &kBz2Codec, {9}},
        {"snappy", &kSnappyCodec, {}},
        {"base64", &kBase64Codec, {}},
        {"lzw", &kLzwCodec, {}, true},
        {"tiff_packbits", &kTiffPackbitsCodec, {0}, true},
        {"tiff_packbits_rows", &kTiffPackbitsCodec, {100}, true},
        {"hdf5_lzf", &kHdf5LzfCodec, {}},
        {"hdf5_lz4", &kHdf5Lz4Codec, {}},
        {"hdf5_bitshuffle", &kHdf5BitshuffleCodec, {2, 0, 0}},
        {"hdf5_bitshuffle_lz4", &kHdf5BitshuffleCodec, {2, 0, 1}},
        {"hdf5_bitshuffle_lz4_small", &kHdf5BitshuffleCodec, {3, 16, 1}},
        {"hdf5_bitshuffle_zstd", &kHdf5BitshuffleCodec, {4, 0, 2}},
    };
    for (uint32_t compressor = 0; compressor < 6; compressor++) {
      for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
        all.push_back(bloscCase(compressor, 5, shuffle, 2));
      }
      all.push_back(bloscCase(compressor, 1, 1, 8, 1024));
      all.push_back(bloscCase(compressor, 3, 2, 3));
    }
    all.push_back(bloscCase(1, 0, 1, 4));
    all.push_back(bloscCase(1, 9, 1, 17));
    all.push_back(bloscCase(0, 9, 2, 255));
    all.push_back(bloscCase(3, 9, 1, 16));
    for (auto& c : lzmaCases()) all.push_back(std::move(c));
    for (auto& c : checksumCases()) all.push_back(std::move(c));
    for (auto& c : conditionalCases()) all.push_back(std::move(c));
    return all;
  }();
  return cases;
}

}  // namespace zw::test
