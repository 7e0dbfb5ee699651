// The codec interface: a struct of functions, prepared once per array and run for each chunk.
//
//   prepare   once per array: checks all parameters against the array and computes sizes. The
//             configuration is not checked again at run time.
//   decode    once per chunk: may rely on the prepared Step, but on nothing about its input bytes.
//   encode    once per chunk; null in the decode module.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/limits.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"
#include "dtypes/dtype.hpp"

// cmake/Core.cmake defines the contents of each module; native builds contain everything:
//   ZW_FULL_MODULE    encoders          full.wasm
//   ZW_RARE_CODECS    rare decoders     full.wasm, images.wasm
//   ZW_IMAGE_CODECS   image decoders    images.wasm
// Codecs refer to `ZW_FULL_ONLY(encode)`, and the linker drops unreferenced functions.
#ifdef ZW_FULL_MODULE
#define ZW_FULL_ONLY(function) function
#else
#define ZW_FULL_ONLY(function) nullptr
#endif
#ifdef ZW_RARE_CODECS
#define ZW_RARE_ONLY(codec) codec
#else
#define ZW_RARE_ONLY(codec) nullptr
#endif
#ifdef ZW_IMAGE_CODECS
#define ZW_IMAGES_ONLY(codec) codec
#else
#define ZW_IMAGES_ONLY(codec) nullptr
#endif

namespace zw {

/// Position in a chain: AA* AB BB* (spec: Zarr v3 core, codec pipeline).
enum class CodecKind : uint8_t { ArrayToArray, ArrayToBytes, BytesToBytes };

enum class CodecId : uint8_t {
#define ZW_CODEC(Id, name) Id,
#define ZW_CODEC_FULL(Id, name) Id,
#define ZW_CODEC_IMAGE(Id, name) Id,
#include "codecs/codec_list.inc"
#undef ZW_CODEC
#undef ZW_CODEC_FULL
#undef ZW_CODEC_IMAGE
};

/// A run of `count` components of `bytes` bytes each; byte order applies to components. A complex64
/// element is one run of two 4-byte components; a struct has a run per field.
struct Component {
  uint32_t bytes;
  uint32_t count;
};

/// The array at one point of a chain. Its size is checked when it is created: itemCount * itemBytes
/// is within the chunk limit and fits in size_t.
struct ArrayInfo {
  DTypeId dtype = DTypeId::Uint8;
  uint32_t itemBytes = 1;
  uint32_t rank = 0;
  std::array<uint32_t, kMaxRank> shape{};
  size_t itemCount = 1;
  std::span<const Component> components;  // never empty; they add up to itemBytes

  size_t bytes() const { return itemCount * itemBytes; }
};

/// A number of bytes: exact, or an upper bound (the output of a compressor).
struct Size {
  size_t bytes = 0;
  bool exact = true;
};

struct ChunkView;
struct Codec;
class StepPool;

/// Maximum size of an encoded element of array→array codecs with a mapFill, in bytes.
inline constexpr uint32_t kMaxMappedItem = 16;

/// A codec bound to one array. The chain sets the parameters and the decoded side (`decodedArray`
/// for AA and AB, `decoded` for BB); prepare() sets the encoded side.
struct Step {
  const Codec* codec = nullptr;
  std::span<const uint32_t> params;  // integers; each codec documents its slots
  ArrayInfo decodedArray;
  ArrayInfo encodedArray;
  Size decoded;
  Size encoded;
  StepPool* pool = nullptr;  // memory for nested steps; set by the chain
  Step* nested = nullptr;    // prepared nested steps; not a span, since Step is incomplete here
  size_t nestedCount = 0;
  uint32_t depth = 0;                        // nesting depth of this codec
  bool verifiesChecksums = true;             // false: checksums of the data are ignored
  uint8_t encodedFill[kMaxMappedItem] = {};  // result of mapFill

  void setInner(std::span<Step> steps) {
    nested = steps.data();
    nestedCount = steps.size();
  }
  std::span<const Step> inner() const { return {nested, nestedCount}; }
};

/// The functions of a codec; those that it does not have are null. Its name is in codec_list.inc.
struct Codec {
  CodecKind kind;

  /// Checks `step.params` and sets the encoded side. Fails with BadParameters or a more specific
  /// code. May replace `step.codec` by a specialised codec.
  Status (*prepare)(Step& step) = nullptr;

  /// For codecs that move no data (bytes, transpose): converts a view of the encoded side to one of
  /// the decoded side. Such codecs have no decode and no encode.
  void (*relabel)(const Step& step, ChunkView& view) = nullptr;

  /// Decodes all of `in`. `out` has `step.decoded.bytes` bytes and does not overlap `in`. On
  /// success `result` is the decoded data: a part of `out`, or of `in` for codecs that only strip
  /// bytes. Decoding to any other size is SizeMismatch if `step.decoded.exact`; otherwise only more
  /// bytes are an error, LimitExceeded. Leftover input is TrailingBytes, except for images, which
  /// may be followed by anything. On failure the contents of `out` are unspecified.
  Status (*decode)(const Step& step, ByteView in, ByteSpan out, Workspace& work,
                   ByteView& result) = nullptr;

  /// Encodes all of `in` (at most `step.decoded.bytes`). `out` has `step.encoded.bytes` bytes and
  /// does not overlap `in`; `result` is the part written.
  Status (*encode)(const Step& step, ByteView in, ByteSpan out, Workspace& work,
                   ByteView& result) = nullptr;

  /// For array→array codecs that change values: converts the fill value, one decoded element, to
  /// one encoded element of at most kMaxMappedItem bytes. Fails with BadFill if that is not
  /// possible. Codecs without this function do not change elements.
  Status (*mapFill)(const Step& step, const uint8_t* decoded, uint8_t* encoded) = nullptr;
};

#define ZW_CODEC(Id, name) extern const Codec k##Id##Codec;
#define ZW_CODEC_FULL(Id, name) extern const Codec k##Id##Codec;
#define ZW_CODEC_IMAGE(Id, name) extern const Codec k##Id##Codec;
#include "codecs/codec_list.inc"
#undef ZW_CODEC
#undef ZW_CODEC_FULL
#undef ZW_CODEC_IMAGE

/// The codec with this id; null if the id is out of range or this module does not contain the
/// codec.
const Codec* findCodec(uint32_t id);
/// The name of a codec id, whether or not this module contains the codec; "" if out of range.
const char* codecName(uint32_t id);

/// An upper bound, from a sum in 64 bits. A bound that does not fit in size_t becomes SIZE_MAX, which
/// is above every limit.
inline Size upperBound(uint64_t bytes) {
  return {static_cast<size_t>(std::min<uint64_t>(bytes, SIZE_MAX)), false};
}

/// An upper bound for the output of every compressor here (each stays below n + n/8 + 64 KiB) and
/// for unusual but valid foreign streams (many small frames). Intermediate buffers are sized by
/// this, never by a header.
inline Size compressedSize(Size decoded) {
  return upperBound(uint64_t{decoded.bytes} + decoded.bytes / 8 + 65536);
}

}  // namespace zw
