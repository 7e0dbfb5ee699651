// crc32c, crc32, adler32, fletcher32 (bytes → bytes): data and checksum, u32le.
// Names: Zarr v2 "<name>", v3 "numcodecs.<name>"; also v3 "crc32c".
//
//   crc32c      CRC-32C (RFC 3720)
//   crc32       CRC-32 (IEEE 802.3)
//   adler32     Adler-32 (RFC 1950)
//   fletcher32  Fletcher-32 as HDF5 and netCDF compute it
//
// Parameters: [place]   0 = checksum before the data, 1 = after it (checksum_codec.hpp)
//
// decode.wasm contains the encoders as well: they take little more than the checksums, which gzip
// and zlib need anyway.
#include "codecs/checksum_codec.hpp"
#include "kernels/adler32.hpp"
#include "kernels/crc32.hpp"
#include "kernels/crc32c.hpp"
#include "kernels/fletcher32.hpp"

namespace zw {
namespace {

uint32_t sumCrc32c(ByteView data) {
  return crc32c(0, data.data(), data.size());
}
uint32_t sumCrc32(ByteView data) {
  return crc32(0, data.data(), data.size());
}
uint32_t sumAdler32(ByteView data) {
  return adler32(1, data.data(), data.size());
}
uint32_t sumFletcher32(ByteView data) {
  return fletcher32(data.data(), data.size());
}

Status prepare(Step& step) {
  if (step.params.size() != 1 || step.params[0] > 1) return Code::BadParameters;
  return prepareChecksum(step);
}

template <uint32_t (*sum)(ByteView)>
Status decode(const Step& step, ByteView in, ByteSpan, Workspace&, ByteView& result) {
  return stripChecksum(step, static_cast<ChecksumPlace>(step.params[0]), in, sum, result);
}

template <uint32_t (*sum)(ByteView)>
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  return addChecksum(static_cast<ChecksumPlace>(step.params[0]), in, out, sum, result);
}

template <uint32_t (*sum)(ByteView)>
constexpr Codec kChecksumCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode<sum>,
    .encode = encode<sum>,
};

}  // namespace

constinit const Codec kCrc32cCodec = kChecksumCodec<sumCrc32c>;
constinit const Codec kCrc32Codec = kChecksumCodec<sumCrc32>;
constinit const Codec kAdler32Codec = kChecksumCodec<sumAdler32>;
constinit const Codec kFletcher32Codec = kChecksumCodec<sumFletcher32>;

}  // namespace zw
