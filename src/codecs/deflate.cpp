#include "codecs/deflate.hpp"

#include <libdeflate.h>

#include <new>

#include "kernels/adler32.hpp"

namespace zw {
namespace {

constexpr size_t kZlibHeader = 2;
constexpr size_t kZlibTrailer = 4;

libdeflate_decompressor* inflateContext(Workspace& work) {
  return work.context<libdeflate_decompressor>(
      ContextId::Inflate, libdeflate_alloc_decompressor, [](void* context) {
        libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(context));
      });
}

/// libdeflate's compressors have a fixed level; another level replaces the compressor.
struct Deflater {
  libdeflate_compressor* compressor = nullptr;
  uint32_t level = 0;

  Deflater() = default;
  ~Deflater() { libdeflate_free_compressor(compressor); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  libdeflate_compressor* of(uint32_t wanted) {
    if (compressor && level == wanted) return compressor;
    libdeflate_free_compressor(compressor);
    compressor = libdeflate_alloc_compressor(static_cast<int>(wanted));
    level = wanted;
    return compressor;
  }
};

Deflater* deflateContext(Workspace& work) {
  return work.context<Deflater>(
      ContextId::Deflate, [] { return new (std::nothrow) Deflater; },
      [](void* context) { delete static_cast<Deflater*>(context); });
}

}  // namespace

Status inflateRaw(Workspace& work, ByteView in, ByteSpan out, Inflated& done) {
  libdeflate_decompressor* context = inflateContext(work);
  if (!context) return Code::OutOfMemory;
  switch (libdeflate_deflate_decompress_ex(context, in.data(), in.size(), out.data(), out.size(),
                                           &done.used, &done.produced)) {
    case LIBDEFLATE_SUCCESS:
      return {};
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return Code::SizeMismatch;
    default:
      return Code::Corrupt;
  }
}

Status inflateZlib(Workspace& work, ByteView in, ByteSpan out, Inflated& done,
                   bool verifiesChecksum) {
  if (in.size() < kZlibHeader + kZlibTrailer) return {Code::Truncated, in.size()};
  const uint32_t method = in[0], flags = in[1];
  const bool isZlib =
      (method & 0x0f) == 8 && (method >> 4) <= 7 && (method * 256 + flags) % 31 == 0;
  const bool hasDictionary = flags & 0x20;
  if (!isZlib || hasDictionary) return Code::BadHeader;
  // The stream must not extend into the checksum.
  const ByteView stream = in.subspan(kZlibHeader, in.size() - kZlibHeader - kZlibTrailer);
  if (Status s = inflateRaw(work, stream, out, done)) return {s.code, kZlibHeader};
  done.used += kZlibHeader;
  if (verifiesChecksum &&
      adler32(1, out.data(), done.produced) != loadBigEndian(in.data() + done.used)) {
    return {Code::ChecksumMismatch, done.used};
  }
  done.used += kZlibTrailer;
  return {};
}

Status deflateRaw(Workspace& work, uint32_t level, ByteView in, ByteSpan out, size_t& produced) {
  Deflater* deflater = deflateContext(work);
  libdeflate_compressor* compressor = deflater ? deflater->of(level) : nullptr;
  if (!compressor) return Code::OutOfMemory;
  produced = libdeflate_deflate_compress(compressor, in.data(), in.size(), out.data(), out.size());
  return {};
}

Status deflateZlib(Workspace& work, uint32_t level, ByteView in, ByteSpan out, size_t& produced) {
  produced = 0;
  if (out.size() < kZlibHeader + kZlibTrailer) return {};
  const ByteSpan room = out.subspan(kZlibHeader, out.size() - kZlibHeader - kZlibTrailer);
  size_t streamBytes = 0;
  if (Status s = deflateRaw(work, level, in, room, streamBytes)) return s;
  if (streamBytes == 0) return {};
  // CMF: deflate with a 32 KiB window; FLG: level hint, and check bits (a multiple of 31).
  const uint32_t effort = level < 2 ? 0 : level < 6 ? 1 : level < 8 ? 2 : 3;
  const uint32_t header = 0x7800 | effort << 6;
  const uint32_t checked = header + 31 - header % 31;
  out[0] = static_cast<uint8_t>(checked >> 8);
  out[1] = static_cast<uint8_t>(checked);
  storeBigEndian(room.data() + streamBytes, adler32(1, in.data(), in.size()));
  produced = kZlibHeader + streamBytes + kZlibTrailer;
  return {};
}

Status deflateLevel(int32_t zlibLevel, uint32_t& level) {
  if (zlibLevel < -1 || zlibLevel > 9) return Code::BadParameters;
  level = zlibLevel < 0 ? 6 : static_cast<uint32_t>(zlibLevel);
  return {};
}

}  // namespace zw
