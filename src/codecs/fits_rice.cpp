// fits_rice (bytes → bytes): RICE_1 of tiles of FITS images (FITS standard 4.0, section 10.4.1).
// Name: Zarr v3 "fits_rice". Decoder only; full module only.
//
//   first value   big-endian
//   blocks        id (3, 4 or 5 bits for values of 1, 2 or 4 bytes), then the differences from the
//                 value before: 0, -1, 1, -2, … as 0, 1, 2, 3, …
//     id 0        all are 0
//     id 1 …      the bits above the lowest id - 1 in unary, then these
//     plain id    without coding; the highest id (7, 15 or 26)
//
// The first value has a difference, too. Decoded values are little-endian.
//
// Parameters: [values of a block, bytes of a value]
//
// Trust: the number of values is the one of the chunk. The reader never leaves the input.
#ifdef ZW_RARE_CODECS

#include "codecs/bit_reader.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

constexpr uint32_t kMaxBlock = 65536;

struct Coding {
  uint32_t idBits;
  uint32_t plainId;
};

Coding codingOf(uint32_t bytes) {
  if (bytes == 1) return {3, 7};
  return bytes == 2 ? Coding{4, 15} : Coding{5, 26};
}

Status prepare(Step& step) {
  if (step.params.size() != 2 || step.params[0] == 0 || step.params[0] > kMaxBlock)
    return Code::BadParameters;
  const uint32_t bytes = step.params[1];
  if (bytes != 1 && bytes != 2 && bytes != 4) return Code::BadParameters;
  if (!step.decoded.exact || step.decoded.bytes % bytes != 0) return Code::BadParameters;
  // Blocks of one value have an id for each.
  step.encoded = upperBound(2 * uint64_t{step.decoded.bytes} + 65536);
  return {};
}

/// Reads the differences of a block, and adds them to `value`.
Status readBlock(BitReader& reader, uint32_t bytes, uint32_t& value, ByteSpan out) {
  const Coding coding = codingOf(bytes);
  const uint32_t id = reader.bits(coding.idBits);
  if (id > coding.plainId) return Code::Corrupt;
  for (size_t i = 0; i < out.size(); i += bytes) {
    if (id != 0) {
      const uint32_t code = id == coding.plainId ? reader.bits(8 * bytes) : reader.split(id - 1);
      value += (code & 1) ? ~(code >> 1) : code >> 1;
    }
    // The next value overwrites the bytes above this one.
    if (out.size() - i >= sizeof(value)) {
      store(out.data() + i, value);
    } else {
      for (uint32_t k = 0; k < bytes; k++) out[i + k] = static_cast<uint8_t>(value >> 8 * k);
    }
  }
  return reader.isPastEnd() ? Code::Truncated : Code::Ok;
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const uint32_t bytes = step.params[1];
  const size_t block = size_t{step.params[0]} * bytes;
  const ByteSpan room = decodeRoom(step, out);
  BitReader reader(in);
  uint32_t value = reader.bits(8 * bytes);
  if (reader.isPastEnd()) return {Code::Truncated, in.size()};
  for (size_t at = 0; at < room.size(); at += block) {
    const ByteSpan values = room.subspan(at, std::min(block, room.size() - at));
    if (Status s = readBlock(reader, bytes, value, values)) return {s.code, reader.byte()};
  }
  reader.align();
  result = room;
  return reader.byte() == in.size() ? Status{} : Status{Code::TrailingBytes, reader.byte()};
}

}  // namespace

constinit const Codec kFitsRiceCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
