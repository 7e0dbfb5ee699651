// Decoders of the three shapes in which LZMA data comes, over liblzma's filters.
#pragma once

#include <lzma.h>

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/status.hpp"
#include "codecs/workspace.hpp"

namespace zw {

/// How far a decode or encode got.
struct LzmaDone {
  size_t used = 0;
  size_t produced = 0;
};

/// The one liblzma coder of a workspace, reused from chunk to chunk; nullptr when out of memory.
lzma_stream* lzmaStream(Workspace& work);

/// Runs a coder that has been set up over all of `in` until it is finished. SizeMismatch where it
/// has more to write than `out` holds, Truncated where it wants more to read.
Status runLzma(lzma_stream& stream, ByteView in, ByteSpan out, LzmaDone& done);

/// The code for a liblzma error.
Code lzmaCode(lzma_ret result);

/// Decodes all of `in`: .xz streams one after the other, with padding between them.
Status decodeXz(Workspace& work, ByteView in, ByteSpan out, LzmaDone& done, bool verifiesChecks);

/// Decodes all of `in`: one .lzma stream ("LZMA alone").
Status decodeLzmaAlone(Workspace& work, ByteView in, ByteSpan out, LzmaDone& done);

/// Decodes all of `in`: the bare output of a filter chain, which is changed.
Status decodeLzmaRaw(Workspace& work, lzma_filter* filters, ByteView in, ByteSpan out,
                     LzmaDone& done);

}  // namespace zw
