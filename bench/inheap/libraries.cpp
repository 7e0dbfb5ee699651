// The cases with a counterpart in a native library, implemented by it.
#include <blosc.h>
#include <libdeflate.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>

#include "cases.hpp"

// c-blosc's own kernels with its choice of instruction set; missing from its public header, but
// exported by its static library.
extern "C" {
void blosc_internal_unshuffle(size_t, size_t, const uint8_t*, const uint8_t*);
int blosc_internal_bitunshuffle(size_t, size_t, const uint8_t*, const uint8_t*, const uint8_t*);
}

namespace zw::bench {

namespace {

void unshuffleBytes(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  blosc_internal_unshuffle(itemBytes, count * itemBytes, src, dst);
}

void unshuffleBits(uint8_t* dst, const uint8_t* src, size_t count, uint32_t itemBytes) {
  static const Block scratch = block(4 * kMiB);
  blosc_internal_bitunshuffle(itemBytes, count * itemBytes, src, dst, scratch.get());
}

bool decodeBlosc(const uint8_t* in, size_t, uint8_t* out, size_t outBytes) {
  return blosc_decompress_ctx(in, out, outBytes, 1) == static_cast<int>(outBytes);
}

bool decodeZstd(const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
  static ZSTD_DCtx* const context = ZSTD_createDCtx();
  return ZSTD_decompressDCtx(context, out, outBytes, in, inBytes) == outBytes;
}

bool decodeLz4(const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
  constexpr int kHeader = 4;  // the decoded size, which is known
  return LZ4_decompress_safe(reinterpret_cast<const char*>(in) + kHeader,
                             reinterpret_cast<char*>(out), static_cast<int>(inBytes) - kHeader,
                             static_cast<int>(outBytes)) == static_cast<int>(outBytes);
}

bool decodeGzip(const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
  static libdeflate_decompressor* const context = libdeflate_alloc_decompressor();
  size_t decoded = 0;
  return libdeflate_gzip_decompress(context, in, inBytes, out, outBytes, &decoded) ==
             LIBDEFLATE_SUCCESS &&
         decoded == outBytes;
}

Decode decoderOf(const std::string& name, size_t) {
  if (name == "zstd level 3") return decodeZstd;
  if (name == "lz4") return decodeLz4;
  if (name == "gzip level 5") return decodeGzip;
  return decodeBlosc;
}

Encode encoderOf(const std::string& name, uint32_t itemBytes) {
  if (name == "zstd level 3") {
    return [](const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
      static ZSTD_CCtx* const context = ZSTD_createCCtx();
      return ZSTD_compressCCtx(context, out, outBytes, in, inBytes, 3);
    };
  }
  if (name == "gzip level 5") {
    return [](const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
      static libdeflate_compressor* const context = libdeflate_alloc_compressor(5);
      return libdeflate_gzip_compress(context, in, inBytes, out, outBytes);
    };
  }
  return [=](const uint8_t* in, size_t inBytes, uint8_t* out, size_t outBytes) {
    const int made = blosc_compress_ctx(5, BLOSC_SHUFFLE, itemBytes, inBytes, in, out, outBytes,
                                        BLOSC_LZ4_COMPNAME, 0, 1);
    return static_cast<size_t>(std::max(made, 0));
  };
}

}  // namespace

Cases allCases() {
  Cases cases;
  addUnshuffleCases(cases, unshuffleBytes, unshuffleBits);
  addDecodeCases(cases, decoderOf);
  addEncodeCases(cases, encoderOf);
  return cases;
}

}  // namespace zw::bench
