// imagecodecs_lerc (bytes → bytes): Esri's LERC, versions 2.1 to 2.6, through its library;
// optionally inside zstd or zlib, as in TIFF. Numbers of 8 to 64 bits, one plane per band. Masked
// pixels are 0, or NaN on request. LERC 1 is rejected, since its decoder does not check the end of
// its input. Decoder only; images module only.
//
// Parameters: 1 if masked floats are NaN, otherwise 0
//
// Trust: the library allocates what headers claim, and without exceptions it would abort the module
// if out of memory. So the size is compared with the chunk size first, and the memory that the
// library may need is allocated and freed once before it is called.
#ifdef ZW_IMAGE_CODECS

#include <cstdlib>

#include <Lerc_c_api.h>

#include "codecs/deflate.hpp"
#include "codecs/image.hpp"
#include "codecs/zstd.hpp"

namespace zw {
namespace {

constexpr uint8_t kZstd[] = {0x28, 0xb5, 0x2f, 0xfd};
constexpr uint8_t kLerc1[] = {'C', 'n', 't', 'Z', 'I', 'm', 'a', 'g', 'e', ' '};
constexpr uint8_t kLerc2[] = {'L', 'e', 'r', 'c', '2', ' '};

template <size_t n>
bool startsWith(ByteView in, const uint8_t (&magic)[n]) {
  return in.size() >= n && std::memcmp(in.data(), magic, n) == 0;
}

/// True for the header of a zlib stream with a window of 32 KiB.
bool isZlib(ByteView in) {
  return in.size() >= 2 && in[0] == 0x78 &&
         (in[1] == 0x9c || in[1] == 0x5e || in[1] == 0x01 || in[1] == 0xda);
}

/// Decompresses a blob inside zstd or zlib; `in` becomes the blob.
Status unwrap(const Step& step, Workspace& work, ByteView& in) {
  const bool isZstd = startsWith(in, kZstd);
  if (!isZstd && !isZlib(in)) return {};
  ByteSpan room;
  const Size blob = upperBound(uint64_t{compressedSize(step.decoded).bytes} + step.decoded.bytes);
  if (Status s = work.scratch(ScratchSlot::Image, blob.bytes, room)) return s;
  if (isZstd) {
    size_t produced = 0;
    if (Status s = zstdDecode(work, in, room, produced, step.verifiesChecksums)) return s;
    in = room.first(produced);
  } else {
    Inflated done;
    if (Status s = inflateZlib(work, in, room, done, step.verifiesChecksums)) return s;
    in = room.first(done.produced);
  }
  return {};
}

/// Fields of the header.
struct Info {
  uint32_t type, depth, columns, rows, bands, validPixels, bytes, masks;
};
constexpr uint32_t kTypeBytes[] = {1, 1, 2, 2, 4, 4, 4, 8};

/// Compares the first header with the chunk size before the library reads it.
Status checkHeader(const Step& step, ByteView in) {
  uint64_t rows = 0, columns = 0;
  if (startsWith(in, kLerc1)) return Code::UnsupportedImage;
  if (!startsWith(in, kLerc2)) return Code::BadHeader;
  if (in.size() < 22) return Code::Truncated;
  const auto version = load<uint32_t>(in.data() + 6);
  const size_t at = version >= 3 ? 14 : 10;  // after a checksum
  rows = load<uint32_t>(in.data() + at);
  columns = load<uint32_t>(in.data() + at + 4);
  if (rows == 0 || columns == 0) return Code::BadHeader;
  return rows > step.decoded.bytes || columns > step.decoded.bytes / rows ? Status{tooLarge(step)}
                                                                          : Status{};
}

/// Checks that there is enough memory for the library: several times the image, and its tables.
Status checkMemory(size_t imageBytes, size_t blobBytes) {
  constexpr size_t kTables = 8 << 20;
  const uint64_t maxBytes = uint64_t{imageBytes} * 5 + uint64_t{blobBytes} * 2 + kTables;
  void* block = maxBytes < SIZE_MAX / 2 ? std::malloc(static_cast<size_t>(maxBytes)) : nullptr;
  if (!block) return Code::OutOfMemory;
  // Prevents the compiler from removing the allocation.
  *static_cast<volatile char*>(block) = 0;
  std::free(block);
  return {};
}

Status readInfo(ByteView in, Info& info) {
  uint32_t words[9] = {};
  double range[3] = {};
  if (lerc_getBlobInfo(in.data(), static_cast<uint32_t>(in.size()), words, range, 9, 3) != 0)
    return Code::Corrupt;
  info = {words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8]};
  if (info.type >= std::size(kTypeBytes)) return Code::BadHeader;
  return info.bytes > in.size() ? Code::Truncated : Code::Ok;
}

/// Sets masked floats to NaN. There is a mask for each band, or one for all.
void maskFloats(const Info& info, ByteView masks, ByteSpan values) {
  constexpr uint32_t kFloat = 6, kDouble = 7;
  if (info.type < kFloat || info.masks == 0) return;
  // The highest bytes of a quiet NaN.
  const uint16_t top = info.type == kDouble ? 0x7ff8 : 0x7fc0;
  const size_t width = kTypeBytes[info.type], pixelBytes = width * info.depth;
  const size_t pixels = size_t{info.columns} * info.rows;
  for (size_t band = 0; band < info.bands; band++) {
    const uint8_t* mask = masks.data() + (info.masks == info.bands ? band * pixels : 0);
    uint8_t* pixel = values.data() + band * pixels * pixelBytes;
    for (size_t i = 0; i < pixels; i++, pixel += pixelBytes) {
      if (mask[i] != 0) continue;
      std::memset(pixel, 0, pixelBytes);
      for (size_t at = width - 2; at < pixelBytes; at += width) std::memcpy(pixel + at, &top, 2);
    }
  }
}

Status prepare(Step& step) {
  if (step.params.size() != 1 || step.params[0] > 1) return Code::BadParameters;
  return prepareImage(step);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  if (Status s = unwrap(step, work, in)) return s;
  if (Status s = checkHeader(step, in)) return s;
  if (Status s = checkMemory(step.decoded.bytes, in.size())) return s;
  Info info;
  if (Status s = readInfo(in, info)) return s;
  ByteSpan room = decodeRoom(step, out);
  const uint64_t pixels = uint64_t{info.columns} * info.rows;
  const uint64_t samples = uint64_t{info.depth} * info.bands;
  if (Status s = imageRoom(step, info.columns, info.rows, samples, kTypeBytes[info.type], room))
    return s;
  ByteSpan masks;
  if (info.masks > info.bands) return Code::BadHeader;
  if (Status s = work.scratch(ScratchSlot::Codec, static_cast<size_t>(pixels) * info.masks, masks))
    return s;
  if (info.validPixels != pixels || info.masks > 0) std::memset(room.data(), 0, room.size());
  const auto failed = lerc_decode(in.data(), info.bytes, static_cast<int>(info.masks),
                                  info.masks ? masks.data() : nullptr, static_cast<int>(info.depth),
                                  static_cast<int>(info.columns), static_cast<int>(info.rows),
                                  static_cast<int>(info.bands), info.type, room.data());
  if (failed) return Code::Corrupt;
  if (step.params[0] == 1) maskFloats(info, masks, room);
  result = room;
  return {};
}

}  // namespace

constinit const Codec kImageLercCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_IMAGE_CODECS
