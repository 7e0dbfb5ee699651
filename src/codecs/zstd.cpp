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
// content size in a header is used as an allocation size; the only allocation is libzstd's
// fixed-size context. Frames that need a dictionary, and formats from before 1.0, are rejected with
// BadVersion.
#include "codecs/zstd.hpp"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "codecs/sizes.hpp"

namespace zw {
namespace {

/// Checks the header of the frame at the front of `in` and sets the length of the frame.
Status measureFrame(ByteView in, bool first, size_t& length) {
  ZSTD_frameHeader header;
  const size_t missing = ZSTD_getFrameHeader(&header, in.data(), in.size());
  if (ZSTD_isError(missing)) {
    if (ZSTD_getErrorCode(missing) != ZSTD_error_prefix_unknown) return zstdCode(missing);
    if (isLegacyZstd(in)) return Code::BadVersion;
    return first ? Code::BadHeader : Code::TrailingBytes;
  }
  if (missing > 0) return {Code::Truncated, in.size()};
  if (header.frameType == ZSTD_frame && header.dictID != 0) return Code::BadVersion;
  length = ZSTD_findFrameCompressedSize(in.data(), in.size());
  if (!ZSTD_isError(length)) return {};
  const bool cutShort = ZSTD_getErrorCode(length) == ZSTD_error_srcSize_wrong;
  return cutShort ? Status{Code::Truncated, in.size()} : Status{zstdCode(length)};
}

ZSTD_DCtx* decodeContext(Workspace& work) {
  return work.context<ZSTD_DCtx>(ContextId::ZstdDecode, ZSTD_createDCtx, [](void* context) {
    ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(context));
  });
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

Code zstdCode(size_t error) {
  switch (ZSTD_getErrorCode(error)) {
    case ZSTD_error_dstSize_tooSmall:
      return Code::SizeMismatch;
    case ZSTD_error_checksum_wrong:
      return Code::ChecksumMismatch;
    case ZSTD_error_memory_allocation:
      return Code::OutOfMemory;
    case ZSTD_error_prefix_unknown:
    case ZSTD_error_frameParameter_unsupported:
    case ZSTD_error_frameParameter_windowTooLarge:
      return Code::BadHeader;
    case ZSTD_error_dictionary_wrong:
      return Code::BadVersion;
    default:
      return Code::Corrupt;
  }
}

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
  ZSTD_DCtx* context = decodeContext(work);
  if (!context) return Code::OutOfMemory;
  // The context is shared and keeps its parameters, so this one is set each time.
  ZSTD_DCtx_setParameter(context, ZSTD_d_forceIgnoreChecksum,
                         verifiesChecksums ? ZSTD_d_validateChecksum : ZSTD_d_ignoreChecksum);
  produced = 0;
  size_t used = 0;
  do {
    const ByteView rest = in.subspan(used);
    const ByteSpan room = out.subspan(produced);
    size_t frame = 0;
    if (Status s = measureFrame(rest, used == 0, frame)) return {s.code, used + s.at};
    const size_t made = ZSTD_decompressDCtx(context, room.data(), room.size(), rest.data(), frame);
    if (ZSTD_isError(made)) return {zstdCode(made), used};
    used += frame;
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
  // Without splitting blocks before the search of matches: it costs up to half of the speed (labels), and gains less
  // than 1.5 % of the size of real data.
  ZSTD_CCtx_setParameter(context, ZSTD_c_blockSplitterLevel, 1);
  const size_t made = ZSTD_compress2(context, out.data(), out.size(), in.data(), in.size());
  if (!ZSTD_isError(made)) {
    produced = made;
    return {};
  }
  const Code code = zstdCode(made);
  if (code == Code::SizeMismatch) return {};
  return code == Code::OutOfMemory ? code : Code::EncodeFailed;
}

constinit const Codec kZstdCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
