// blosc: the Blosc container. Ranges that are decoded block by block, as in partial reads, must
// equal those of the whole frame.
//
// Input: u16le begin, u16le length, u8 flags (1 legacy zstd, 2 trailing bytes), the frame
#include "codecs/blosc_decode.hpp"
#include "input.hpp"
#include "support.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

constexpr size_t kHead = 5;
constexpr size_t kMaxDecoded = 1 << 18;

void run(ByteView bytes) {
  Input input(bytes);
  size_t begin = input.u16(), length = input.u16();
  const uint8_t flags = input.u8();
  const ByteView data = input.rest();
  const ExactBlock in(Bytes(data.begin(), data.end()));
  BloscFrame frame;
  if (readBloscFrame(in.view(), kMaxDecoded, flags & 2, frame)) return;
  ZW_PROPERTY(frame.decodedBytes <= kMaxDecoded && frame.bytes.size() <= in.size());
  if (frame.stored) return;
  const BloscDecodeOptions options = {.legacyZstd = (flags & 1) != 0};
  static Workspace work;
  work.setScratchLimit(kMaxDecoded + 4096);
  ExactBlock whole(frame.decodedBytes);
  const Status s = decodeBloscRange(frame, 0, whole.span(), options, work);
  begin = std::min<size_t>(begin, frame.decodedBytes);
  length = std::min<size_t>(length, frame.decodedBytes - begin);
  ExactBlock part(length);
  const Status partly = decodeBloscRange(frame, begin, part.span(), options, work);
  if (s) return;
  ZW_PROPERTY(!partly);
  ZW_PROPERTY(length == 0 || std::memcmp(part.data(), whole.data() + begin, length) == 0);
}

}  // namespace

std::vector<Target> bloscTargets() {
  return {{"blosc", run, [](ByteView input) { return std::min(kHead, input.size()); }}};
}

}  // namespace zw::fuzz
