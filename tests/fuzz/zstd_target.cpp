// zstd-decode: our decoder of frames against libzstd's. libzstd decodes the frames that ours accepts
// to the same bytes, and ours decodes the frames that libzstd encodes. (libzstd also accepts streams
// damaged at their ends, and codes of 12 bits.)
//
// Input: u8 whether the rest is encoded first, u8 level, u8 flags, u16le room for a frame, or the
// number of times that the rest is repeated and how often its bytes change, the rest
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "codecs/zstd.hpp"
#include "input.hpp"
#include "support.hpp"
#include "targets.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

constexpr size_t kHead = 5;
constexpr uint32_t kMagic = 0xfd2fb528;

void compare(ByteView encoded, size_t room) {
  if (encoded.size() < 4 || load<uint32_t>(encoded.data()) != kMagic) return;
  static ZSTD_DCtx* const context = ZSTD_createDCtx();
  static Workspace work;
  const ExactBlock in(Bytes(encoded.begin(), encoded.end()));
  ExactBlock ours(room), theirs(room);
  size_t produced = 0;
  if (zstdDecode(work, in.view(), ours.span(), produced)) return;
  const size_t expected =
      ZSTD_decompressDCtx(context, theirs.data(), room, in.view().data(), in.view().size());
  ZW_PROPERTY(expected == produced);
  ZW_PROPERTY(std::equal(ours.data(), ours.data() + produced, theirs.data()));
}

/// `bytes` several times, with changes: blocks with matches of all kinds.
Bytes repeated(ByteView bytes, uint32_t times, uint32_t changed) {
  Bytes all;
  uint32_t random = 1;
  for (uint32_t t = 0; t < times; t++) {
    for (uint8_t byte : bytes) {
      random = random * 1664525 + 1013904223;
      all.push_back(random >> 24 < changed ? byte ^ (random >> 16 & 15) : byte);
    }
  }
  return all;
}

Bytes encode(const Bytes& bytes, int level, uint32_t flags) {
  static ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  const auto set = [](ZSTD_cParameter name, int value) {
    ZSTD_CCtx_setParameter(context, name, value);
  };
  set(ZSTD_c_compressionLevel, level);
  set(ZSTD_c_checksumFlag, flags & 1);
  set(ZSTD_c_contentSizeFlag, flags >> 1 & 1);
  if (flags & 4) set(ZSTD_c_targetCBlockSize, 1340);
  if (flags & 8) set(ZSTD_c_windowLog, 10 + static_cast<int>(flags >> 5));
  if (flags & 16) set(ZSTD_c_literalCompressionMode, 1 + static_cast<int>(flags >> 5) % 2);
  Bytes encoded(ZSTD_compressBound(bytes.size()) + 1024);
  const size_t made =
      ZSTD_compress2(context, encoded.data(), encoded.size(), bytes.data(), bytes.size());
  ZW_PROPERTY(!ZSTD_isError(made));
  encoded.resize(made);
  return encoded;
}

void run(ByteView bytes) {
  Input input(bytes);
  const bool isEncoded = input.u8() % 2 == 0;
  const int level = input.u8() % 24 - 2;
  const uint32_t flags = input.u8(), number = input.u16();
  const ByteView rest = input.rest();
  if (isEncoded) {
    compare(rest, number);
    return;
  }
  const Bytes raw = repeated(rest, 1 + number % 32, number >> 8 & 63);
  Bytes encoded = encode(raw, level, flags);
  static Workspace work;
  ExactBlock out(raw.size());
  size_t produced = 0;
  ZW_PROPERTY(!zstdDecode(work, encoded, out.span(), produced));
  ZW_PROPERTY(out.copy() == raw);
  uint32_t random = number + 1;
  for (uint32_t damaged = 0; damaged < 4; damaged++) {
    random = random * 1664525 + 1013904223;
    encoded[(random >> 8) % encoded.size()] ^= 1u << (random >> 4 & 7);
    compare(encoded, raw.size() + (damaged % 2 ? 100 : 0));
  }
}

}  // namespace

std::vector<Target> zstdTargets() {
  return {{"zstd-decode", run, [](ByteView input) { return std::min(kHead, input.size()); }}};
}

}  // namespace zw::fuzz
