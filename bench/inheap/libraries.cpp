// The cases that native libraries have a counterpart for, done by these.
#include <blosc.h>
#include <libdeflate.h>
#include <lz4.h>
#include <zstd.h>

#include "cases.hpp"

// c-blosc's own kernels with its own choice of instruction set; not in its public header, but in
// its static library.
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

Decode decoderOf(const std::string& name) {
  if (name == "zstd level 3") return decodeZstd;
  if (name == "lz4") return decodeLz4;
  if (name == "gzip level 5") return decodeGzip;
  return decodeBlosc;
}

}  // namespace

Cases allCases() {
  Cases cases;
  addUnshuffleCases(cases, unshuffleBytes, unshuffleBits);
  addDecodeCases(cases, decoderOf);
  return cases;
}

}  // namespace zw::bench
