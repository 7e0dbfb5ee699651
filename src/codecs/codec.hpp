// What a codec is to the core: one struct of functions, prepared once per array and run per chunk.
//
// Life of a codec in a chain:
//   prepare   once per array: checks every parameter against the array and computes sizes. All
//             checks of the configuration happen here, none at run time.
//   decode    once per chunk: may rely on a prepared Step, and on nothing about the bytes it reads.
//   encode    likewise; absent (nullptr) in the decode module.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/limits.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"
#include "dtypes/dtype.hpp"

// What a module holds is defined by cmake/Core.cmake; native builds hold everything:
//   ZW_FULL_MODULE    encoders                        full.wasm
//   ZW_RARE_CODECS    rare decoders                   full.wasm, images.wasm
//   ZW_IMAGE_CODECS   decoders of images              images.wasm
// Codecs write `ZW_FULL_ONLY(encode)` in their table row, and the linker drops what nothing refers
// to.
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

/// A run of `count` components of `bytes` bytes each: what byte order applies to. A complex64
/// element is one run of two 4-byte components; a struct has a run per field.
struct Component {
  uint32_t bytes;
  uint32_t count;
};

/// The array at one point of a chain. Products are checked when it is made: itemCount * itemBytes
/// fits the session's chunk limit, hence a size_t.
struct ArrayInfo {
  DTypeId dtype = DTypeId::Uint8;
  uint32_t itemBytes = 1;
  uint32_t rank = 0;
  std::array<uint32_t, kMaxRank> shape{};
  size_t itemCount = 1;
  std::span<const Component> components;  // never empty; together exactly itemBytes

  size_t bytes() const { return itemCount * itemBytes; }
};

/// A number of bytes, exact or an upper bound (what a compressor yields).
struct Size {
  size_t bytes = 0;
  bool exact = true;
};

struct ChunkView;
struct Codec;
class StepPool;

/// Most bytes of one element that an array→array codec with a `mapFill` may make.
inline constexpr uint32_t kMaxMappedItem = 16;

/// A codec bound to one array. The chain fills the decoded side (`decodedArray` for AA and AB,
/// `decoded` for BB) and the parameters, `prepare` fills the encoded side.
struct Step {
  const Codec* codec = nullptr;
  std::span<const uint32_t> params;  // integers; each codec documents its slots
  ArrayInfo decodedArray;
  ArrayInfo encodedArray;
  Size decoded;
  Size encoded;
  StepPool* pool = nullptr;       // where codecs with nested ones keep those; set by the chain
  Step* nested = nullptr;         // the nested ones, prepared; no span, for Step is incomplete here
  size_t nestedCount = 0;         // how many: setInner and inner() keep the two together
  uint32_t depth = 0;             // number of codecs that this one is nested in
  bool verifiesChecksums = true;  // false: the caller wants checksums of the data left unread
  uint8_t encodedFill[kMaxMappedItem] = {};  // what `mapFill` made of the fill value

  void setInner(std::span<Step> steps) {
    nested = steps.data();
    nestedCount = steps.size();
  }
  std::span<const Step> inner() const { return {nested, nestedCount}; }
};

/// The functions of a codec; those that it does not have are null. Its name is in codec_list.inc.
struct Codec {
  CodecKind kind;

  /// Checks `step.params` and fills the encoded side. Fails with BadParameters or a sharper code.
  /// May put a more special codec into `step.codec`.
  Status (*prepare)(Step& step) = nullptr;

  /// Codecs that move nothing (bytes, transpose) only change how the chunk is looked at, from the
  /// encoded towards the decoded side; they have no decode and no encode.
  void (*relabel)(const Step& step, ChunkView& view) = nullptr;

  /// Decodes all of `in`. `out` holds `step.decoded.bytes` writable bytes and does not overlap
  /// `in`. On success `result` is what was decoded: a part of `out`, or of `in` for codecs that
  /// only strip. When `step.decoded.exact`, anything but exactly that many bytes is SizeMismatch;
  /// when not, more than that is LimitExceeded. Input left over is TrailingBytes (but for images,
  /// behind whose end there may be anything). On failure the contents of `out` mean nothing.
  Status (*decode)(const Step& step, ByteView in, ByteSpan out, Workspace& work,
                   ByteView& result) = nullptr;

  /// Encodes all of `in` (`step.decoded.bytes` at most). `out` holds `step.encoded.bytes` writable
  /// bytes and does not overlap `in`; `result` is the part written.
  Status (*encode)(const Step& step, ByteView in, ByteSpan out, Workspace& work,
                   ByteView& result) = nullptr;

  /// Array→array codecs that change values: turns the fill value, one element of the decoded side,
  /// into one of the encoded side (at most kMaxMappedItem bytes). BadFill where there is none.
  /// Codecs without it leave elements as they are.
  Status (*mapFill)(const Step& step, const uint8_t* decoded, uint8_t* encoded) = nullptr;
};

#define ZW_CODEC(Id, name) extern const Codec k##Id##Codec;
#define ZW_CODEC_FULL(Id, name) extern const Codec k##Id##Codec;
#define ZW_CODEC_IMAGE(Id, name) extern const Codec k##Id##Codec;
#include "codecs/codec_list.inc"
#undef ZW_CODEC
#undef ZW_CODEC_FULL
#undef ZW_CODEC_IMAGE

/// The codec of an id; nullptr for an id out of range or a codec that this module does not hold.
const Codec* codecOf(uint32_t id);
/// The name of a codec id whether or not this module holds it; "" out of range.
const char* codecName(uint32_t id);

/// What a compressor may make of `decoded`: an upper bound that holds for every compressor here
/// (each bound is below n + n/8 + 64 KiB) and for odd but legal foreign streams (many small
/// frames). This, never a header's word, is what intermediate buffers are sized by.
inline Size compressedSize(Size decoded) {
  return {decoded.bytes + decoded.bytes / 8 + 65536, false};
}

}  // namespace zw
