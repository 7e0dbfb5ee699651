#ifdef ZW_FULL_MODULE

#include "codecs/lz4_encode.hpp"

#define LZ4_STATIC_LINKING_ONLY
#include <lz4.h>
#include <lz4hc.h>

#include <cstdlib>

namespace zw {
namespace {

/// Converts a size to liblz4's int; blocks and chunks are below 2 GiB.
int intSize(size_t bytes) {
  return bytes > LZ4_MAX_INPUT_SIZE ? LZ4_MAX_INPUT_SIZE : static_cast<int>(bytes);
}

LZ4_stream_t* fastState(Workspace& work) {
  return work.context<LZ4_stream_t>(ContextId::Lz4Encode, LZ4_createStream, std::free);
}

LZ4_streamHC_t* hcState(Workspace& work) {
  return work.context<LZ4_streamHC_t>(ContextId::Lz4hcEncode, LZ4_createStreamHC, std::free);
}

const char* chars(ByteView in) {
  return reinterpret_cast<const char*>(in.data());
}

}  // namespace

Status lz4EncodeBlock(Workspace& work, int32_t acceleration, ByteView in, ByteSpan out,
                      size_t& produced) {
  produced = 0;
  if (in.size() > LZ4_MAX_INPUT_SIZE) return Code::EncodeFailed;
  LZ4_stream_t* state = fastState(work);
  if (!state) return Code::OutOfMemory;
  // The fast-reset variant saves clearing 16 KiB for each small block: the state was cleared when
  // it was created, and successful calls keep it valid.
  const int made =
      LZ4_compress_fast_extState_fastReset(state, chars(in), reinterpret_cast<char*>(out.data()),
                                           intSize(in.size()), intSize(out.size()), acceleration);
  produced = made > 0 ? static_cast<size_t>(made) : 0;
  if (made <= 0) LZ4_initStream(state, sizeof(*state));  // a failed call leaves it invalid
  return {};
}

Status lz4hcEncodeBlock(Workspace& work, int32_t level, ByteView in, ByteSpan out,
                        size_t& produced) {
  produced = 0;
  if (in.size() > LZ4_MAX_INPUT_SIZE) return Code::EncodeFailed;
  LZ4_streamHC_t* state = hcState(work);
  if (!state) return Code::OutOfMemory;
  const int made = LZ4_compress_HC_extStateHC(state, chars(in), reinterpret_cast<char*>(out.data()),
                                              intSize(in.size()), intSize(out.size()), level);
  produced = made > 0 ? static_cast<size_t>(made) : 0;
  return {};
}

}  // namespace zw

#endif  // ZW_FULL_MODULE
