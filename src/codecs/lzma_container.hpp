// Decodes the three LZMA formats over liblzma's filters.
#pragma once

#include <lzma.h>

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// Bytes of input that were used, and bytes of output.
struct LzmaDone {
  size_t used = 0;
  size_t produced = 0;
};

/// The liblzma coder of a workspace, reused from chunk to chunk; null if out of memory.
lzma_stream* lzmaStream(Workspace& work);

/// Runs an initialised coder over all of `in`. Fails with SizeMismatch if `out` is too small and
/// with Truncated if the input ends too early.
Status runLzma(lzma_stream& stream, ByteView in, ByteSpan out, LzmaDone& done);

/// The status code for a liblzma error.
Code lzmaCode(lzma_ret result);

/// Decodes all of `in`: one or more .xz streams with padding between them.
Status decodeXz(Workspace& work, ByteView in, ByteSpan out, LzmaDone& done, bool verifiesChecks);

/// Decodes all of `in`: one .lzma stream ("LZMA alone").
Status decodeLzmaAlone(Workspace& work, ByteView in, ByteSpan out, LzmaDone& done);

/// Decodes all of `in`: the bare output of a filter chain. Limits the dictionaries of `filters`.
Status decodeLzmaRaw(Workspace& work, lzma_filter* filters, ByteView in, ByteSpan out,
                     LzmaDone& done);

}  // namespace zw
