// zstd-frame: streams one frame, as for Icechunk metadata. Other piece sizes, the zstd codec and libzstd
// must yield the same bytes.
//
// Input: u16le bytes of the dictionary (0: none), u8 bytes fed at a time, u8 bytes read at a time,
// the dictionary, the frame
#include "codecs/zstd_frame.hpp"

#include <zstd.h>

#include "codecs/zstd.hpp"
#include "input.hpp"
#include "support.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

constexpr size_t kHead = 4;
constexpr size_t kWholePiece = 128 << 10;
/// Maximum number of bytes that are compared.
constexpr size_t kMaxRead = 1 << 18;

struct Expanded {
  Status status;
  Bytes bytes;
  bool isCut = false;
};

/// Reads until there is no more output; true if the maximum was reached.
bool readAll(ZstdFrame& frame, size_t room, Expanded& found) {
  for (;;) {
    ExactBlock out(room);
    size_t made = 0;
    found.status = frame.read(out.span(), made);
    ZW_PROPERTY(made <= room && (made == 0 || !found.status));
    if (found.status || made == 0) return !!found.status;
    found.bytes.insert(found.bytes.end(), out.data(), out.data() + made);
    found.isCut = found.bytes.size() > kMaxRead;
    if (found.isCut) return true;
  }
}

Expanded expand(ZstdFrame& frame, ByteView dictionary, ByteView encoded, size_t fed, size_t room) {
  Expanded found;
  {
    const ExactBlock given(Bytes(dictionary.begin(), dictionary.end()));
    if ((found.status = frame.start(given.view()))) return found;
  }
  while (!encoded.empty()) {
    const ByteView piece = encoded.first(std::min(fed, encoded.size()));
    encoded = encoded.subspan(piece.size());
    const ExactBlock in(Bytes(piece.begin(), piece.end()));
    if ((found.status = frame.feed(in.view())) || readAll(frame, room, found)) return found;
  }
  found.status = frame.end();
  return found;
}

bool isWhole(const Expanded& found) {
  return !found.status && !found.isCut;
}

/// True for frames of the current format that are not skippable.
bool hasMagic(ByteView encoded) {
  return encoded.size() >= 4 && load<uint32_t>(encoded.data()) == 0xfd2fb528;
}

void run(ByteView bytes) {
  Input input(bytes);
  const size_t dictionaryBytes = input.u16();
  const size_t fed = input.between(1, 256), room = input.between(1, 256);
  const ByteView dictionary = input.bytes(dictionaryBytes), encoded = input.rest();
  static ZstdFrame used;
  const Expanded whole = expand(used, dictionary, encoded, encoded.size(), kWholePiece);
  // The output size does not limit a frame, and so few bytes must not exhaust memory.
  ZW_PROPERTY(whole.status.code != Code::SizeMismatch && whole.status.code != Code::OutOfMemory);
  ZstdFrame fresh;
  const Expanded again = expand(fresh, dictionary, encoded, encoded.size(), kWholePiece);
  // If buffers are large from earlier frames, a wrong content size is detected later.
  ZW_PROPERTY(isWhole(again) == isWhole(whole) && (!isWhole(whole) || again.bytes == whole.bytes));
  if (!isWhole(whole)) return;
  // Errors may differ (windows above the limit when streaming, empty compressed blocks otherwise),
  // but not the bytes.
  if (whole.bytes.size() <= 4096) {
    const Expanded pieces = expand(fresh, dictionary, encoded, fed, room);
    ZW_PROPERTY(!isWhole(pieces) || pieces.bytes == whole.bytes);
  }
  if (!hasMagic(encoded)) return;
  static ZSTD_DCtx* const context = ZSTD_createDCtx();
  ExactBlock theirs(whole.bytes.size());
  const size_t expected =
      ZSTD_decompress_usingDict(context, theirs.data(), whole.bytes.size(), encoded.data(),
                                encoded.size(), dictionary.data(), dictionary.size());
  ZW_PROPERTY(expected == whole.bytes.size() && theirs.copy() == whole.bytes);
  if (!dictionary.empty()) return;
  static Workspace work;
  ExactBlock out(whole.bytes.size());
  size_t produced = 0;
  if (!zstdDecode(work, encoded, out.span(), produced)) ZW_PROPERTY(out.copy() == whole.bytes);
}

}  // namespace

std::vector<Target> zstdFrameTargets() {
  return {{"zstd-frame", run, [](ByteView input) { return std::min(kHead, input.size()); }}};
}

}  // namespace zw::fuzz
