// zstd (bytes → bytes): RFC 8878, one or more frames, including skippable ones. Frames need not
// state their content size (streaming writers do not). Names: Zarr v2 "zstd", v3 "zstd" and
// "numcodecs.zstd".
//
//   u32le fd2fb528   header (window, content size?, dictionary id?)   blocks   XXH64 checksum?
//   u32le 184d2a5?   u32le size   that many bytes to skip
//
// Parameters: [level, checksum]   int32 within libzstd's range; 0 or 1. Encoder only
//
// Trust: frames are decoded in one pass directly into the output, so neither the window nor the
// content size in a header is used as an allocation size; the only allocations are contexts of a
// fixed size. Frames that need a dictionary, and formats from before 1.0, are rejected with
// BadVersion.
#include "codecs/zstd.hpp"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>

#include "codecs/sizes.hpp"
#include "codecs/zstd_decoder.hpp"

namespace zw {
namespace {

constexpr uint32_t kMagic = 0xfd2fb528, kSkippableMagic = 0x184d2a50;

/// The magic number of the frame at the front of `in`. If fewer bytes are left, those of a frame's are
/// assumed to follow.
uint32_t magicOf(ByteView in) {
  uint8_t bytes[4];
  store(bytes, kMagic);
  std::copy_n(in.begin(), std::min<size_t>(in.size(), 4), bytes);
  return load<uint32_t>(bytes);
}

/// Length of the skippable frame at the front of `in`.
Status measureSkippable(ByteView in, size_t& length) {
  constexpr size_t kHeader = 8;
  if (in.size() < kHeader) return {Code::Truncated, in.size()};
  const uint32_t size = load<uint32_t>(in.data() + 4);
  if (size > UINT32_MAX - kHeader) return Code::BadHeader;  // as libzstd does
  if (size > in.size() - kHeader) return {Code::Truncated, in.size()};
  length = kHeader + size;
  return {};
}

zstd::FrameDecoder* decodeContext(Workspace& work) {
  return work.context<zstd::FrameDecoder>(
      ContextId::ZstdDecode, [] { return new (std::nothrow) zstd::FrameDecoder; },
      [](void* context) { delete static_cast<zstd::FrameDecoder*>(context); });
}

ZSTD_CCtx* encodeContext(Workspace& work) {
  return work.context<ZSTD_CCtx>(ContextId::ZstdEncode, ZSTD_createCCtx, [](void* context) {
    ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(context));
  });
}

Status prepare(Step& step) {
  if (Status s = prepareCompressor(step, 2)) return s;
  if (!isZstdLevel(signedParam(step, 0)) || step.params[1] > 1) return Code::BadParameters;
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  size_t produced = 0;
  if (Status s = zstdDecode(work, in, room, produced, step.verifiesChecksums)) {
    return s.code == Code::SizeMismatch ? Status{tooLarge(step), s.at} : s;
  }
  return decodedResult(step, room, produced, result);
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  size_t produced = 0;
  const bool checksum = step.params[1] != 0;
  if (Status s = zstdEncode(work, signedParam(step, 0), checksum, in, out, produced)) return s;
  if (produced == 0) return Code::EncodeFailed;
  result = out.first(produced);
  return {};
}
#endif

}  // namespace

bool isLegacyZstd(ByteView in) {
  if (in.size() < 4) return false;
  const uint32_t magic = load<uint32_t>(in.data());
  return magic == 0x1eb52ffd || (magic >= 0xfd2fb522 && magic <= 0xfd2fb527);
}

bool isZstdLevel(int32_t level) {
  return level >= ZSTD_minCLevel() && level <= ZSTD_maxCLevel();
}

Status zstdDecode(Workspace& work, ByteView in, ByteSpan out, size_t& produced,
                  bool verifiesChecksums) {
  zstd::FrameDecoder* const decoder = decodeContext(work);
  if (!decoder) return Code::OutOfMemory;
  produced = 0;
  size_t used = 0;
  do {
    const ByteView rest = in.subspan(used);
    const uint32_t magic = magicOf(rest);
    size_t length = 0, made = 0;
    Status status;
    if (magic == kMagic) {
      status = decoder->decode(rest, out.subspan(produced), verifiesChecksums, length, made);
    } else if ((magic & ~15u) == kSkippableMagic) {
      status = measureSkippable(rest, length);
    } else if (isLegacyZstd(rest)) {
      status = Code::BadVersion;
    } else {
      status = used == 0 ? Code::BadHeader : Code::TrailingBytes;
    }
    if (status) return {status.code, used + status.at};
    used += length;
    produced += made;
  } while (used < in.size());
  return {};
}

Status zstdEncode(Workspace& work, int32_t level, bool checksum, ByteView in, ByteSpan out,
                  size_t& produced) {
  produced = 0;
  ZSTD_CCtx* context = encodeContext(work);
  if (!context) return Code::OutOfMemory;
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
  // Blocks are not split before the search of matches: slow, and gains little (docs/compile-flags.md).
  ZSTD_CCtx_setParameter(context, ZSTD_c_blockSplitterLevel, 1);
  const size_t made = ZSTD_compress2(context, out.data(), out.size(), in.data(), in.size());
  if (!ZSTD_isError(made)) {
    produced = made;
    return {};
  }
  switch (ZSTD_getErrorCode(made)) {
    case ZSTD_error_dstSize_tooSmall:
      return {};
    case ZSTD_error_memory_allocation:
      return Code::OutOfMemory;
    default:
      return Code::EncodeFailed;
  }
}

constinit const Codec kZstdCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
