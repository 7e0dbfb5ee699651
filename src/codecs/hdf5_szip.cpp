// hdf5_szip (bytes → bytes): HDF5's filter 4, adaptive entropy coding as libaec's szlib applies it.
// Name: Zarr v3 "hdf5_szip". Decoder only; full module only.
//
//   u32   number of decoded bytes
//   …     code (aec.cpp). Pixels of 32 and 64 bits are coded as planes of bytes: first the first
//         byte of every pixel. An interval is a scan line, padded to whole blocks
//
// Parameters: [options, pixels of a block, bits of a pixel, pixels of a scan line], as in the file
//   options   16 = pixels of more than 8 bits are big-endian, 32 = differences; others are ignored
//
// Trust: the stated size must be the chunk's size before anything is decoded.
#ifdef ZW_RARE_CODECS

#include <algorithm>

#include "base/checked.hpp"
#include "codecs/aec.hpp"
#include "codecs/sizes.hpp"
#include "kernels/byteswap.hpp"
#include "kernels/shuffle.hpp"

namespace zw {
namespace {

constexpr size_t kHeader = 4;
enum Option : uint32_t { kBigEndian = 16, kDifferences = 32 };

struct Pixels {
  AecFormat format;
  uint32_t sampleBytes;
  uint32_t planes;  // 1 = pixels are samples
  bool isBigEndian;
};

Pixels readParameters(const Step& step) {
  const uint32_t options = step.params[0], blockSamples = std::max(step.params[1], 1u);
  const uint32_t bits = step.params[2], lineSamples = std::max(step.params[3], 1u);
  const bool hasPlanes = bits == 32 || bits == 64;
  Pixels pixels;
  pixels.planes = hasPlanes ? bits / 8 : 1;
  pixels.isBigEndian = (options & kBigEndian) != 0;
  AecFormat& format = pixels.format;
  format.bits = hasPlanes ? 8 : bits;
  format.blockSamples = blockSamples;
  format.intervalBlocks = static_cast<uint32_t>(ceilDiv(lineSamples, blockSamples));
  format.keptSamples = lineSamples;
  format.hasDifferences = (options & kDifferences) != 0;
  pixels.sampleBytes = aecSampleBytes(format);
  return pixels;
}

Status prepare(Step& step) {
  if (step.params.size() != 4 || step.params[1] == 0 || step.params[3] == 0) {
    return Code::BadParameters;
  }
  const Pixels pixels = readParameters(step);
  if (!isAecFormat(pixels.format)) return Code::BadParameters;
  const uint32_t unit = pixels.planes * pixels.sampleBytes;
  if (step.decoded.exact && step.decoded.bytes % unit != 0) return Code::BadParameters;
  // The filter stores chunks that would grow without coding them; short scan lines are padded.
  const Size compressed = compressedSize(step.decoded);
  step.encoded = upperBound(uint64_t{compressed.bytes} + step.decoded.bytes);
  return {};
}

Status decodePlanes(const Pixels& pixels, ByteView in, ByteSpan out, Workspace& work) {
  ByteSpan planes;
  if (Status s = work.scratch(ScratchSlot::Codec, out.size(), planes)) return s;
  if (Status s = aecDecode(pixels.format, in, planes.data(), planes.size())) return s;
  unshuffleBytes(out.data(), planes.data(), out.size() / pixels.planes, pixels.planes);
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  if (in.size() < kHeader) return {Code::Truncated, in.size()};
  const Pixels pixels = readParameters(step);
  const size_t size = load<uint32_t>(in.data());
  if (Status s = checkDecodedSize(step, size)) return s;
  if (size % (pixels.planes * pixels.sampleBytes) != 0) return {Code::BadHeader, 0};
  const ByteSpan room = decodeRoom(step, out).first(size);
  const ByteView data = in.subspan(kHeader);
  const size_t samples = size / pixels.sampleBytes;
  const Status s = pixels.planes > 1 ? decodePlanes(pixels, data, room, work)
                                     : aecDecode(pixels.format, data, room.data(), samples);
  if (!s && pixels.isBigEndian && pixels.planes == 1) {
    swapCopy(room.data(), room.data(), samples, pixels.sampleBytes);
  }
  result = room;
  return s ? Status{s.code, kHeader + s.at} : s;
}

}  // namespace

constinit const Codec kHdf5SzipCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
