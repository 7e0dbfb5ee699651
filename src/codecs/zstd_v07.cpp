#ifdef ZW_RARE_CODECS

// Frames of zstd v0.7 (magic fd2fb527), found inside Blosc chunks that Zarr v1 wrote in 2016. Only
// the full module contains this decoder, and only Blosc calls it, if its parameters allow that.
//
// Trust: libzstd's legacy decoder, which knows both buffer sizes. It allocates one fixed-size
// context per call; such chunks are rare, so it is not kept.
#include "codecs/zstd.hpp"

extern "C" {
#include <legacy/zstd_v07.h>
}

namespace zw {

Status zstdDecodeV07(ByteView in, ByteSpan out) {
  ZSTDv07_DCtx* context = ZSTDv07_createDCtx();
  if (!context) return Code::OutOfMemory;
  const size_t made = ZSTDv07_decompressDCtx(context, out.data(), out.size(), in.data(), in.size());
  ZSTDv07_freeDCtx(context);
  if (ZSTDv07_isError(made)) return Code::Corrupt;
  return made == out.size() ? Status{} : Code::SizeMismatch;
}

}  // namespace zw

#endif  // ZW_RARE_CODECS
