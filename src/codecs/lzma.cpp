// lzma (bytes → bytes): LZMA data in one of three formats, as in Python's lzma module.
// Names: Zarr v1 "lzma", v2 "lzma", v3 "numcodecs.lzma". Full module only.
//
//   XZ     the .xz format: streams of blocks with an integrity check (none, CRC-32, CRC-64,
//          SHA-256)
//   ALONE  the old .lzma format: 13 bytes of header, then LZMA1 data; no check
//   RAW    the bare output of a filter chain, which only the array's metadata describes
//
// Parameters: [format, check, preset, filters…]; 0xffffffff = absent
//   format   1 XZ, 2 ALONE, 3 RAW
//   check    0 none, 1 CRC-32, 4 CRC-64 (default), 10 SHA-256; XZ only
//   preset   0..9, plus 0x80000000 for "extreme"; default 6; excludes filters
//   filters  0 to 4 filters of ten slots each; required for RAW; a single LZMA1 filter for ALONE.
//            The first slot is the filter:
//     1 (LZMA1) or 0x21 (LZMA2):  preset (default 6), dict_size, lc, lp, pb, mode, nice_len, mf,
//                                 depth; defaults come from the preset
//     3 (delta):                  dist 1..256 (default 1), then eight absent slots
//     4..10 (x86, PowerPC, IA-64, ARM, ARM-Thumb, SPARC, ARM64):
//                                 start_offset (default 0), then eight absent slots
// Decoding only uses the format, and for RAW the filters.
//
// Trust: checks are verified unless the plan skips checksums. Dictionaries are limited to the
// decoded size of the chunk, whatever a header or the metadata claims (lzma_chain.hpp); the rest of
// liblzma's memory is fixed.
#ifdef ZW_RARE_CODECS

#include "codecs/lzma_chain.hpp"
#include "codecs/lzma_container.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

enum Slot : size_t { kFormat, kCheck, kPreset, kFilters };

enum Format : uint32_t { kXz = 1, kAlone = 2, kRaw = 3 };

bool hasFilters(const Step& step) {
  return step.params.size() > kFilters;
}

/// Makes the filter chain of a step from its filters or its preset.
Status makeChain(const Step& step, LzmaChain& chain) {
  const bool isAlone = step.params[kFormat] == kAlone;
  if (!hasFilters(step)) {
    return chain.fromPreset(isAlone ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2, step.params[kPreset]);
  }
  if (Status s = chain.fromSlots(step.params.subspan(kFilters))) return s;
  const bool isOneLzma1 =
      chain.filters[0].id == LZMA_FILTER_LZMA1 && chain.filters[1].id == LZMA_VLI_UNKNOWN;
  return isAlone && !isOneLzma1 ? Code::BadParameters : Status{};
}

bool isCheckValid(uint32_t format, uint32_t check) {
  if (check == kLzmaAbsent || check == LZMA_CHECK_NONE) return true;
  return format == kXz &&
         (check == LZMA_CHECK_CRC32 || check == LZMA_CHECK_CRC64 || check == LZMA_CHECK_SHA256);
}

Status prepare(Step& step) {
  if (step.params.size() < kFilters) return Code::BadParameters;
  if (Status s = prepareCompressor(step, step.params.size())) return s;
  const uint32_t format = step.params[kFormat];
  if (format < kXz || format > kRaw) return Code::BadParameters;
  if (!isCheckValid(format, step.params[kCheck])) return Code::BadParameters;
  if (hasFilters(step) ? step.params[kPreset] != kLzmaAbsent : format == kRaw) {
    return Code::BadParameters;
  }
  LzmaChain chain;
  if (Status s = makeChain(step, chain)) return s;
  capDictionaries(chain.filters, step.decoded.bytes);
  // The encoder checks more options than the decoder; data cannot have been written with others.
  const bool isUsable = lzma_raw_decoder_memusage(chain.filters) != UINT64_MAX &&
                        lzma_raw_encoder_memusage(chain.filters) != UINT64_MAX;
  return isUsable ? Status{} : Code::BadParameters;
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  LzmaDone done;
  Status s;
  if (step.params[kFormat] == kXz) {
    s = decodeXz(work, in, room, done, step.verifiesChecksums);
  } else if (step.params[kFormat] == kAlone) {
    s = decodeLzmaAlone(work, in, room, done);
  } else {
    LzmaChain chain;
    s = makeChain(step, chain);
    if (!s) s = decodeLzmaRaw(work, chain.filters, in, room, done);
  }
  if (s) return s.code == Code::SizeMismatch ? Status{tooLarge(step), s.at} : s;
  return decodedResult(step, room, done.produced, result);
}

lzma_ret makeEncoder(const Step& step, LzmaChain& chain, lzma_stream* stream) {
  const uint32_t check = step.params[kCheck];
  switch (step.params[kFormat]) {
    case kXz:
      return lzma_stream_encoder(
          stream, chain.filters,
          check == kLzmaAbsent ? LZMA_CHECK_CRC64 : static_cast<lzma_check>(check));
    case kAlone:
      return lzma_alone_encoder(stream, &chain.lzma[0]);
    default:
      return lzma_raw_encoder(stream, chain.filters);
  }
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work,
                               ByteView& result) {
  lzma_stream* stream = lzmaStream(work);
  if (!stream) return Code::OutOfMemory;
  LzmaChain chain;
  if (Status s = makeChain(step, chain)) return s;
  // A dictionary larger than the data only costs memory, ten times its size in the encoder.
  capDictionaries(chain.filters, in.size());
  if (const lzma_ret r = makeEncoder(step, chain, stream); r != LZMA_OK) {
    return r == LZMA_MEM_ERROR ? Code::OutOfMemory : Code::BadParameters;
  }
  LzmaDone done;
  if (Status s = runLzma(*stream, in, out, done)) {
    return s.code == Code::OutOfMemory ? s : Code::EncodeFailed;
  }
  result = out.first(done.produced);
  return {};
}

}  // namespace

constinit const Codec kLzmaCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
