// tiff_packbits (bytes → bytes): PackBits, the run-length encoding of TIFF and Macintosh. Names:
// "imagecodecs_packbits" in Zarr v2 and v3; unrelated to packbits.cpp. Spec: TIFF 6.0, section 9.
// Full module only.
//
//   0 … 127      n: n + 1 literal bytes follow
//   128          no-op
//   129 … 255    n: the next byte, 257 - n times
//
// There is no end mark: the input ends with the chunk. A single 0 at the end is padding to an even
// length (DICOM).
//
// Parameters: [row]   bytes per row; the encoder starts a new run at each row. 0 = a single row
//
// Trust: every run is checked against the remaining input and the remaining room.
#ifdef ZW_RARE_CODECS

#include <algorithm>
#include <cstring>

#include "codecs/sizes.hpp"

namespace zw {
namespace {

constexpr size_t kMaxRun = 128;
constexpr uint8_t kNothing = 128;
/// A run of two takes as many bytes as two literals.
constexpr size_t kMinRepeats = 3;

/// 128 literals take 129 bytes; short rows take more.
Status prepare(Step& step) {
  if (step.params.size() != 1) return Code::BadParameters;
  const uint64_t bytes = step.decoded.bytes;
  const uint64_t rows = step.params[0] == 0 ? 1 : bytes / step.params[0] + 1;
  step.encoded = upperBound(bytes + bytes / 128 + rows + 65536);
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  size_t at = 0, produced = 0;
  while (at < in.size()) {
    const uint8_t head = in[at++];
    if (head == kNothing) continue;
    const bool isLiteral = head < kNothing;
    if (isLiteral && head == 0 && at == in.size()) break;
    const size_t count = isLiteral ? size_t{head} + 1 : size_t{257} - head;
    const size_t given = isLiteral ? count : 1;
    if (given > in.size() - at) return {Code::Truncated, in.size()};
    if (count > room.size() - produced) return {tooLarge(step), at - 1};
    if (isLiteral) {
      std::memcpy(room.data() + produced, in.data() + at, count);
    } else {
      std::memset(room.data() + produced, in[at], count);
    }
    at += given;
    produced += count;
  }
  return decodedResult(step, room, produced, result);
}

/// Number of equal bytes from `at` on, up to `max`.
size_t repeatsAt(ByteView in, size_t at, size_t max) {
  const size_t end = std::min(in.size(), at + max);
  size_t i = at + 1;
  while (i < end && in[i] == in[at]) i++;
  return i - at;
}

/// End of the literals that start at `at`: at the next run, or after 128 bytes.
size_t literalEnd(ByteView in, size_t at) {
  const size_t end = std::min(in.size(), at + kMaxRun);
  size_t i = at;
  while (i < end && repeatsAt(in, i, kMinRepeats) < kMinRepeats) i++;
  return i;
}

/// Appends a row; false if it does not fit.
bool encodeRow(ByteView row, ByteSpan out, size_t& produced) {
  for (size_t at = 0; at < row.size();) {
    const size_t repeats = repeatsAt(row, at, kMaxRun);
    const bool isRun = repeats >= kMinRepeats;
    const size_t end = isRun ? at + repeats : literalEnd(row, at);
    const size_t count = end - at, given = isRun ? 1 : count;
    if (out.size() - produced < 1 + given) return false;
    out[produced++] = static_cast<uint8_t>(isRun ? 257 - count : count - 1);
    std::memcpy(out.data() + produced, row.data() + at, given);
    produced += given;
    at = end;
  }
  return true;
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  const size_t row = step.params[0] == 0 ? in.size() : step.params[0];
  size_t produced = 0;
  for (size_t at = 0; at < in.size(); at += row) {
    const ByteView bytes = in.subspan(at, std::min(row, in.size() - at));
    if (!encodeRow(bytes, out, produced)) return Code::EncodeFailed;
  }
  result = out.first(produced);
  return {};
}

}  // namespace

constinit const Codec kTiffPackbitsCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
