// hdf5_lzf (bytes → bytes): HDF5's filter 32000, one LZF stream. Name: Zarr v3 "hdf5_lzf". Full
// module only.
//
//   000nnnnn                        n + 1 literals follow
//   lllddddd [more] dddddddd        a match of l + 2 bytes (l = 7: more + 9) at distance d + 1,
//                                   whose highest bits come first
//
// Parameters: none
//
// Trust: every length is checked against the remaining input and output before use, and every
// distance against the bytes written so far.
#ifdef ZW_RARE_CODECS

#include <algorithm>

#include "base/checked.hpp"
#include "codecs/lz_copy.hpp"
#include "codecs/lz_match.hpp"
#include "codecs/sizes.hpp"

namespace zw {
namespace {

constexpr uint32_t kLiterals = 32, kLongMatch = 7, kMinMatch = 2;

Status prepare(Step& step) {
  return prepareCompressor(step, 0);
}

/// Decodes a match; `first` is its first byte.
Status decodeMatch(uint32_t first, const lz::Buffers& b, lz::Cursor& cursor) {
  size_t length = first >> 5;
  if (length == kLongMatch) {
    if (cursor.ip >= b.inEnd) return Code::Truncated;
    length += *cursor.ip++;
  }
  if (cursor.ip >= b.inEnd) return Code::Truncated;
  const size_t distance = ((first & 31) << 8 | *cursor.ip++) + 1;
  length += kMinMatch;
  if (distance > static_cast<size_t>(cursor.op - b.out)) return Code::Corrupt;
  if (length > static_cast<size_t>(b.outEnd - cursor.op)) return Code::SizeMismatch;
  lz::copyMatch(cursor.op, distance, length, b.outLimit);
  cursor.op += length;
  return {};
}

Status decodeStream(const lz::Buffers& b, lz::Cursor& cursor) {
  while (cursor.ip < b.inEnd) {
    const uint32_t first = *cursor.ip++;
    if (first >= kLiterals) {
      if (Status s = decodeMatch(first, b, cursor)) return s;
      continue;
    }
    const size_t count = first + 1;
    if (count > static_cast<size_t>(b.inEnd - cursor.ip)) return Code::Truncated;
    if (count > static_cast<size_t>(b.outEnd - cursor.op)) return Code::SizeMismatch;
    lz::copyLiterals(cursor.op, cursor.ip, count, b.outLimit, b.inEnd);
    cursor.op += count;
    cursor.ip += count;
  }
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  const lz::Buffers buffers = {.in = in.data(),
                               .inEnd = in.data() + in.size(),
                               .out = room.data(),
                               .outEnd = room.data() + room.size(),
                               .outLimit = room.data() + room.size()};
  lz::Cursor cursor = {buffers.in, buffers.out};
  if (Status s = decodeStream(buffers, cursor)) {
    const auto at = static_cast<uint64_t>(cursor.ip - in.data());
    return {s.code == Code::SizeMismatch ? tooLarge(step) : s.code, at};
  }
  return decodedResult(step, room, static_cast<size_t>(cursor.op - room.data()), result);
}

#ifdef ZW_FULL_MODULE
class Writer {
 public:
  static constexpr size_t kMaxDistance = 8192;
  static constexpr size_t kMaxLength = 264;

  explicit Writer(ByteSpan out) : out_(out) {}

  bool isWorthwhile(size_t, size_t) const { return true; }

  bool literals(const uint8_t* from, size_t count) {
    if (out_.size() - at_ < count + ceilDiv(count, kLiterals)) return false;
    while (count > 0) {
      const size_t run = std::min<size_t>(count, kLiterals);
      out_[at_++] = static_cast<uint8_t>(run - 1);
      std::memcpy(out_.data() + at_, from, run);
      at_ += run;
      from += run;
      count -= run;
    }
    return true;
  }

  bool match(size_t distance, size_t length) {
    if ((out_.size() - at_) / 3 < length / kMaxLength + 2) return false;
    // The last piece has at least the 3 bytes that the format's own encoder writes.
    while (length > kMaxLength) {
      const size_t piece = std::min(kMaxLength, length - 3);
      writePiece(distance, piece);
      length -= piece;
    }
    writePiece(distance, length);
    return true;
  }

  size_t written() const { return at_; }

 private:
  void writePiece(size_t distance, size_t length) {
    const size_t code = std::min<size_t>(length - kMinMatch, kLongMatch);
    out_[at_++] = static_cast<uint8_t>(code << 5 | (distance - 1) >> 8);
    if (code == kLongMatch) out_[at_++] = static_cast<uint8_t>(length - kMinMatch - kLongMatch);
    out_[at_++] = static_cast<uint8_t>(distance - 1);
  }

  ByteSpan out_;
  size_t at_ = 0;
};

Status encode(const Step&, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  lz::MatchTable table;
  if (Status s = lz::makeMatchTable(work, table)) return s;
  Writer writer(out);
  if (!lz::encode(table, in, writer)) return Code::EncodeFailed;
  result = out.first(writer.written());
  return {};
}
#endif

}  // namespace

constinit const Codec kHdf5LzfCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
