// blosc (bytes → bytes): a Blosc-1 frame (blosc_frame.hpp). The container is implemented here.
// Names: Zarr v1 "blosc", v2 "blosc", v3 "blosc" and "numcodecs.blosc".
//
// Parameters: [compressor, clevel, shuffle, typesize, blocksize, flags]
//   compressor  0 blosclz, 1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd
//   clevel      0..9; 0 = stored
//   shuffle     0 none, 1 bytes, 2 bits
//   typesize    1..255, element size for the shuffles
//   blocksize   in bytes; 0 = chosen by compressor, level and size
//   flags       1: zstd frames from before 1.0 are allowed (Zarr v1 arrays only)
//               2: bytes after the frame are allowed
// The decoder only uses the flags; everything else is in the frame.
//
// Trust: blosc_frame.cpp checks the header and the block table, blosc_decode.cpp the streams.
// Scratch memory is bounded by the decoded size. All of c-blosc's checks for untrusted frames are
// made.
#include "codecs/blosc_decode.hpp"
#include "codecs/blosc_encode.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

enum Slot : size_t { kCompressor, kLevel, kShuffle, kTypeBytes, kBlockBytes, kFlags, kSlots };

enum ParamFlag : uint32_t { kLegacyZstd = 1, kTrailingAllowed = 2 };

Status prepare(Step& step) {
  if (Status s = prepareCompressor(step, kSlots)) return s;
  const auto p = step.params;
  const bool valid = p[kCompressor] <= 5 && p[kLevel] <= 9 && p[kShuffle] <= 2 &&
                     p[kTypeBytes] >= 1 && p[kTypeBytes] <= 255 &&
                     p[kFlags] <= (kLegacyZstd | kTrailingAllowed);
  if (!valid) return Code::BadParameters;
  if (step.decoded.exact && step.decoded.bytes > kBloscMaxBytes) return Code::LimitExceeded;
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  const uint32_t flags = step.params[kFlags];
  BloscFrame frame;
  if (Status s = readBloscFrame(in, room.size(), flags & kTrailingAllowed, frame)) {
    return s.code == Code::SizeMismatch ? Status{tooLarge(step), s.at} : s;
  }
  if (Status s = decodedResult(step, room, frame.decodedBytes, result)) return s;
  if (frame.stored) {
    result = frame.bytes.subspan(kBloscHeader, frame.decodedBytes);
    return {};
  }
  const BloscDecodeOptions options = {.legacyZstd = (flags & kLegacyZstd) != 0};
  for (uint32_t block = 0; block < frame.blockCount; block++) {
    const ByteSpan rest = room.subspan(frame.begin(block));
    if (Status s = decodeBloscBlock(frame, block, rest, options, work)) return s;
  }
  return {};
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const auto p = step.params;
  const BloscSettings settings = {.compressor = static_cast<BloscCompressor>(p[kCompressor]),
                                  .level = p[kLevel],
                                  .filter = static_cast<BloscFilter>(p[kShuffle]),
                                  .typeBytes = p[kTypeBytes],
                                  .blockBytes = p[kBlockBytes]};
  size_t produced = 0;
  if (Status s = encodeBloscFrame(settings, in, out, work, produced)) return s;
  result = out.first(produced);
  return {};
}
#endif

}  // namespace

constinit const Codec kBloscCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
