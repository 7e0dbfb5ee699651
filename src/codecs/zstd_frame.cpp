#ifdef ZW_FULL_MODULE

// Trust: memory depends only on the window in the frame's header, up to kMaxWindowLog. Callers
// limit the output. Invalid dictionaries are rejected, including raw content, and so are frames
// that need another dictionary (their ids differ).
#include "codecs/zstd_frame.hpp"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "codecs/zstd.hpp"

namespace zw {
namespace {

/// 128 MiB, as used by zstd's highest levels.
constexpr int kMaxWindowLog = 27;

/// The reason why libzstd rejected a dictionary; it reports damaged ones as out of memory too.
Code dictionaryCode(ZSTD_DCtx* context, ByteView dictionary) {
  if (ZSTD_getDictID_fromDict(dictionary.data(), dictionary.size()) == 0) return Code::Corrupt;
  const size_t taken =
      ZSTD_decompressBegin_usingDict(context, dictionary.data(), dictionary.size());
  return ZSTD_isError(taken) ? Code::Corrupt : Code::OutOfMemory;
}

}  // namespace

Status ZstdFrame::start(ByteView dictionary) {
  if (!context_) context_ = ZSTD_createDCtx();
  if (!context_) return Code::OutOfMemory;
  in_ = {};
  used_ = 0;
  hasEnded_ = false;
  // Also drops the previous dictionary.
  ZSTD_DCtx_reset(context_, ZSTD_reset_session_and_parameters);
  ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kMaxWindowLog);
  if (dictionary.empty()) return {};
  const size_t loaded = ZSTD_DCtx_loadDictionary_advanced(
      context_, dictionary.data(), dictionary.size(), ZSTD_dlm_byCopy, ZSTD_dct_fullDict);
  return ZSTD_isError(loaded) ? Status{dictionaryCode(context_, dictionary)} : Status{};
}

Status ZstdFrame::feed(ByteView in) {
  if (!context_) return Code::Corrupt;
  if (hasEnded_ && !in.empty()) return Code::TrailingBytes;
  in_ = in;
  used_ = 0;
  return {};
}

Status ZstdFrame::read(ByteSpan out, size_t& made) {
  made = 0;
  if (!context_) return Code::Corrupt;
  if (hasEnded_) return used_ == in_.size() ? Status{} : Status{Code::TrailingBytes};
  ZSTD_inBuffer input{in_.data(), in_.size(), used_};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  const size_t left = ZSTD_decompressStream(context_, &output, &input);
  if (ZSTD_isError(left)) {
    const Code code = zstdCode(left);
    // The size of `out` does not limit the frame, so this is damage.
    return code == Code::SizeMismatch ? Code::Corrupt : code;
  }
  used_ = input.pos;
  made = output.pos;
  hasEnded_ = left == 0;
  return hasEnded_ && made == 0 && used_ != in_.size() ? Status{Code::TrailingBytes} : Status{};
}

void ZstdFrame::release() {
  if (context_) ZSTD_freeDCtx(context_);
  context_ = nullptr;
  in_ = {};
}

}  // namespace zw

#endif  // ZW_FULL_MODULE
