// bz2 (bytes → bytes): one or more bzip2 streams, as in Python's bz2 module.
// Names: Zarr v1 "bz2", v2 "bz2", v3 "numcodecs.bz2". Full module only.
//
//   "BZh" + level digit   blocks, each with a CRC-32   end mark and a CRC of all blocks
//
// Parameters: [level]   1..9 (blocks of level * 100 kB). Encoder only
//
// Trust: libbz2 stays within both buffers. The level digit selects one of nine fixed sizes of work
// memory, at most 4 MB. libbz2 does not distinguish a wrong checksum from other damage: both are
// Corrupt.
#ifdef ZW_RARE_CODECS

#include <bzlib.h>

#include <algorithm>

#include "codecs/sizes.hpp"

/// Called by libbz2 on internal errors; must not return.
extern "C" void bz_internal_error(int) {
  __builtin_trap();
}

namespace zw {
namespace {

constexpr size_t kMaxPerCall = 1u << 30;  // libbz2 counts in unsigned int

char* chars(const uint8_t* p) {
  return reinterpret_cast<char*>(const_cast<uint8_t*>(p));
}

/// Closes the stream in its destructor.
struct Decompressor {
  bz_stream stream = {};
  bool isOpen = false;
  ~Decompressor() {
    if (isOpen) BZ2_bzDecompressEnd(&stream);
  }
};

Code toCode(int result, bool first) {
  switch (result) {
    case BZ_MEM_ERROR:
      return Code::OutOfMemory;
    case BZ_DATA_ERROR_MAGIC:
      return first ? Code::BadHeader : Code::TrailingBytes;
    default:
      return Code::Corrupt;
  }
}

struct Done {
  size_t used = 0;
  size_t produced = 0;
};

/// Decodes the stream at the front of `in` to the front of `out`.
Status decodeStream(ByteView in, ByteSpan out, bool first, Done& done) {
  Decompressor d;
  if (const int r = BZ2_bzDecompressInit(&d.stream, 0, 0); r != BZ_OK) return toCode(r, first);
  d.isOpen = true;
  uint8_t beyond = 0;  // receives output that does not fit in `out`
  for (;;) {
    const size_t inLeft = in.size() - done.used, outLeft = out.size() - done.produced;
    const bool isFull = outLeft == 0;
    const auto inNow = static_cast<unsigned>(std::min(inLeft, kMaxPerCall));
    const auto outNow = static_cast<unsigned>(isFull ? 1 : std::min(outLeft, kMaxPerCall));
    d.stream.next_in = chars(in.data() + done.used);
    d.stream.avail_in = inNow;
    d.stream.next_out = isFull ? chars(&beyond) : chars(out.data() + done.produced);
    d.stream.avail_out = outNow;
    const int result = BZ2_bzDecompress(&d.stream);
    const size_t used = inNow - d.stream.avail_in, made = outNow - d.stream.avail_out;
    done.used += used;
    if (result != BZ_OK && result != BZ_STREAM_END) return {toCode(result, first), done.used};
    if (isFull && made > 0) return {Code::SizeMismatch, done.used};
    done.produced += made;
    if (result == BZ_STREAM_END) return {};
    if (used == 0 && made == 0) return {Code::Truncated, in.size()};
  }
}

Status prepare(Step& step) {
  if (Status s = prepareCompressor(step, 1)) return s;
  return step.params[0] >= 1 && step.params[0] <= 9 ? Status{} : Code::BadParameters;
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  size_t used = 0, produced = 0;
  do {
    Done done;
    if (Status s = decodeStream(in.subspan(used), room.subspan(produced), used == 0, done)) {
      return {s.code == Code::SizeMismatch ? tooLarge(step) : s.code, used + s.at};
    }
    used += done.used;
    produced += done.produced;
  } while (used < in.size());
  return decodedResult(step, room, produced, result);
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  if (in.size() > kMaxPerCall) return Code::EncodeFailed;
  auto room = static_cast<unsigned>(std::min(out.size(), 2 * kMaxPerCall));
  const int made = BZ2_bzBuffToBuffCompress(chars(out.data()), &room, chars(in.data()),
                                            static_cast<unsigned>(in.size()),
                                            static_cast<int>(step.params[0]), 0, 0);
  if (made == BZ_MEM_ERROR) return Code::OutOfMemory;
  if (made != BZ_OK) return Code::EncodeFailed;
  result = out.first(room);
  return {};
}

}  // namespace

constinit const Codec kBz2Codec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
