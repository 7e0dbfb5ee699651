// gzip (bytes → bytes): RFC 1952, one or more members.
// Names: Zarr v2 "gzip", v3 "gzip" and "numcodecs.gzip". (The "gzip" of v1 is zlib.)
//
//   10 bytes   1f 8b  08  FLG  MTIME(4)  XFL  OS
//   by FLG     FEXTRA: u16 length + bytes; FNAME, FCOMMENT: zero-terminated; FHCRC: u16
//   then       DEFLATE, CRC-32 (u32le) and size mod 2^32 (u32le) of the member's decoded bytes
//
// Parameters: [level]   int32, -1 (default) or 0..9. Encoder only
//
// Trust: no field is used as an allocation size, and the members together may not decode to more
// than the chunk. Header checksums, data checksums and sizes are verified.
#include "codecs/deflate.hpp"
#include "codecs/sizes.hpp"
#include "kernels/crc32.hpp"

namespace zw {
namespace {

constexpr uint16_t kMagic = 0x8b1f;
constexpr uint8_t kDeflate = 8;
constexpr size_t kFixedHeader = 10;
constexpr size_t kTrailer = 8;

enum Flag : uint8_t { kHeaderCrc = 2, kExtra = 4, kName = 8, kComment = 16, kReserved = 0xe0 };

/// Skips a zero-terminated string.
void skipText(ByteReader& reader) {
  while (reader.u8() != 0) {
  }
}

/// Reads a member's header from the front of `in`; `size` is its length.
Status readHeader(ByteView in, size_t& size) {
  ByteReader reader(in);
  const uint16_t magic = reader.u16();
  const uint8_t method = reader.u8(), flags = reader.u8();
  reader.bytes(kFixedHeader - reader.at());
  if (!reader.ok()) return {Code::Truncated, in.size()};
  if (magic != kMagic || method != kDeflate) return Code::BadHeader;
  if (flags & kReserved) return {Code::BadHeader, 3};
  if (flags & kExtra) reader.bytes(reader.u16());
  if (flags & kName) skipText(reader);
  if (flags & kComment) skipText(reader);
  size = reader.at();
  const uint16_t headerCrc = flags & kHeaderCrc ? reader.u16() : uint16_t{0};
  if (!reader.ok()) return {Code::Truncated, in.size()};
  if ((flags & kHeaderCrc) && headerCrc != (crc32(0, in.data(), size) & 0xffff)) {
    return {Code::ChecksumMismatch, size};
  }
  size = reader.at();
  return {};
}

/// True if a member's trailer (CRC-32, size) matches its decoded bytes.
bool isTrailerRight(const uint8_t* trailer, ByteView decoded, bool verifiesCrc) {
  if (load<uint32_t>(trailer + 4) != static_cast<uint32_t>(decoded.size())) return false;
  return !verifiesCrc || load<uint32_t>(trailer) == crc32(0, decoded.data(), decoded.size());
}

/// Decodes the member at the front of `in` to the front of `out`.
Status decodeMember(const Step& step, ByteView in, ByteSpan out, Workspace& work, Inflated& done) {
  size_t header = 0;
  if (Status s = readHeader(in, header)) return s;
  if (in.size() - header < kTrailer) return {Code::Truncated, in.size()};
  // The stream must not extend into the trailer.
  const ByteView stream = in.subspan(header, in.size() - header - kTrailer);
  if (Status s = inflateRaw(work, stream, out, done)) return {s.code, header};
  const size_t trailer = header + done.used;
  if (!isTrailerRight(in.data() + trailer, out.first(done.produced), step.verifiesChecksums)) {
    return {Code::ChecksumMismatch, trailer};
  }
  done.used = trailer + kTrailer;
  return {};
}

Status prepare(Step& step) {
  if (Status s = prepareCompressor(step, 1)) return s;
  uint32_t level;
  return deflateLevel(signedParam(step, 0), level);
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  size_t used = 0, produced = 0;
  do {
    const ByteView rest = in.subspan(used);
    const bool isMember = rest.size() >= 2 && load<uint16_t>(rest.data()) == kMagic;
    if (used > 0 && !isMember) return {Code::TrailingBytes, used};
    Inflated done;
    if (Status s = decodeMember(step, rest, room.subspan(produced), work, done)) {
      return {s.code == Code::SizeMismatch ? tooLarge(step) : s.code, used + s.at};
    }
    used += done.used;
    produced += done.produced;
  } while (used < in.size());
  return decodedResult(step, room, produced, result);
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  uint32_t level = 0;
  if (Status s = deflateLevel(signedParam(step, 0), level)) return s;
  if (out.size() < kFixedHeader + kTrailer) return Code::EncodeFailed;
  const ByteSpan room = out.subspan(kFixedHeader, out.size() - kFixedHeader - kTrailer);
  size_t stream = 0;
  if (Status s = deflateRaw(work, level, in, room, stream)) return s;
  if (stream == 0) return Code::EncodeFailed;
  // No time and no name, so that equal chunks have equal bytes. OS 255 = unknown.
  constexpr uint8_t header[kFixedHeader] = {0x1f, 0x8b, kDeflate, 0, 0, 0, 0, 0, 0, 255};
  std::memcpy(out.data(), header, kFixedHeader);
  uint8_t* trailer = room.data() + stream;
  store(trailer, crc32(0, in.data(), in.size()));
  store(trailer + 4, static_cast<uint32_t>(in.size()));
  result = out.first(kFixedHeader + stream + kTrailer);
  return {};
}
#endif

}  // namespace

constinit const Codec kGzipCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
