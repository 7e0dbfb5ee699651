// Our decoder of zstd frames against libzstd's. libzstd decodes the frames that ours accepts to the same
// bytes, and ours decodes the frames that libzstd encodes. (libzstd also accepts streams damaged at
// their ends, and codes of 12 bits.)
//
// zstd-decode: u8 whether the rest is encoded first, u8 level, u8 flags, u16le room for a frame, or the
//   number of times that the rest is repeated and how often its bytes change, the rest
// zstd-small: u8 level, u8 flags, u8 strategy and places of flushes, u16le as above, the rest: a frame of
//   few bytes, and many variants of it (zstd_mutants.hpp)
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "codecs/zstd.hpp"
#include "input.hpp"
#include "support.hpp"
#include "targets.hpp"
#include "zstd_mutants.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

constexpr size_t kHead = 5;
constexpr uint32_t kMagic = 0xfd2fb528;

/// Frames that were compared, by the decoders that accept them.
struct Verdicts {
  uint64_t both, theirs, none;
};

/// Prints the counts now and then: a run may end in any way.
void count(uint64_t Verdicts::*verdict) {
  static Verdicts all;
  all.*verdict += 1;
  const uint64_t sum = all.both + all.theirs + all.none;
  if (sum % 1'000'000 != 0) return;
  std::fprintf(stderr, "%llu frames: accepted by both %llu, by libzstd alone %llu\n",
               static_cast<unsigned long long>(sum), static_cast<unsigned long long>(all.both),
               static_cast<unsigned long long>(all.theirs));
}

/// `slack` bytes after the room must stay as they are.
void compare(ByteView encoded, size_t room, size_t slack = 0, bool verifiesChecksum = true) {
  if (encoded.size() < 4 || load<uint32_t>(encoded.data()) != kMagic) return;
  static ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_forceIgnoreChecksum, !verifiesChecksum);
  static Workspace work;
  ExactBlock in(encoded.size()), ours(room + slack), theirs(room);
  std::copy(encoded.begin(), encoded.end(), in.data());
  std::fill_n(ours.data() + room, slack, 0xa5);
  size_t produced = 0;
  const bool isAccepted =
      !zstdDecode(work, in.view(), ours.span().first(room), produced, verifiesChecksum);
  const size_t expected =
      ZSTD_decompressDCtx(context, theirs.data(), room, in.view().data(), in.view().size());
  ZW_PROPERTY(std::count(ours.data() + room, ours.data() + room + slack, 0xa5) ==
              static_cast<ptrdiff_t>(slack));
  if (!isAccepted) return count(ZSTD_isError(expected) ? &Verdicts::none : &Verdicts::theirs);
  count(&Verdicts::both);
  ZW_PROPERTY(expected == produced);
  ZW_PROPERTY(std::equal(ours.data(), ours.data() + produced, theirs.data()));
}

void expectDecoded(const Bytes& encoded, const Bytes& raw) {
  static Workspace work;
  ExactBlock out(raw.size());
  size_t produced = 0;
  ZW_PROPERTY(!zstdDecode(work, encoded, out.span(), produced));
  ZW_PROPERTY(produced == raw.size() && out.copy() == raw);
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

/// Ends blocks at every `flushed` bytes. 0: where libzstd does. `strategy` 0: the level's.
Bytes encode(const Bytes& bytes, int level, uint32_t flags, uint32_t strategy = 0,
             size_t flushed = 0) {
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
  if (strategy > 0) set(ZSTD_c_strategy, static_cast<int>(strategy));
  set(ZSTD_c_stableInBuffer, 1);  // our copy of the encoder has no code for windows in pieces
  ZSTD_CCtx_setPledgedSrcSize(context, bytes.size());
  Bytes encoded(ZSTD_compressBound(bytes.size()) + 1024);
  ZSTD_outBuffer out = {encoded.data(), encoded.size(), 0};
  ZSTD_inBuffer in = {bytes.data(), 0, 0};
  size_t left;
  do {
    in.size = flushed > 0 ? std::min(in.size + flushed, bytes.size()) : bytes.size();
    left = ZSTD_compressStream2(context, &out, &in,
                                in.size < bytes.size() ? ZSTD_e_flush : ZSTD_e_end);
    ZW_PROPERTY(!ZSTD_isError(left));
  } while (left > 0 || in.pos < bytes.size());
  encoded.resize(out.pos);
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
  expectDecoded(encoded, raw);
  uint32_t random = number + 1;
  for (uint32_t damaged = 0; damaged < 4; damaged++) {
    random = random * 1664525 + 1013904223;
    encoded[(random >> 8) % encoded.size()] ^= 1u << (random >> 4 & 7);
    compare(encoded, raw.size() + (damaged % 2 ? 100 : 0));
  }
}

void runSmall(ByteView bytes) {
  constexpr size_t kMaxBytes = 384, kMaxRaw = 4096;
  constexpr uint32_t kVariants = 1024;
  Input input(bytes);
  const int level = input.u8() % 24 - 2;
  const uint32_t flags = input.u8(), blocks = input.u8(), number = input.u16();
  const ByteView rest = input.bytes(kMaxBytes);
  Bytes raw = repeated(rest, 1 + number % 32, number >> 8 & 63);
  raw.resize(std::min(raw.size(), kMaxRaw));
  const Bytes encoded = encode(raw, level, flags, blocks % 10, size_t{blocks / 10u} * 16);
  expectDecoded(encoded, raw);
  // Other blocks of similar data.
  const Bytes donor = encode(repeated(rest, 1 + blocks % 8, 255), 19 - level, flags);
  const auto seed = static_cast<uint32_t>(number + 977 * blocks + bytes.size());
  ZstdMutator mutator(encoded, donor, seed);
  for (uint32_t i = 0; i < kVariants; i++) {
    const uint32_t random = mutator.random();
    const size_t room = random % 8 == 0 ? raw.size() : raw.size() + random / 8 % 256;
    compare(mutator.next(), room, random >> 16 & 64, false);
  }
}

}  // namespace

std::vector<Target> zstdTargets() {
  const auto headBytes = [](ByteView input) { return std::min(kHead, input.size()); };
  return {{"zstd-decode", run, headBytes}, {"zstd-small", runSmall, headBytes}};
}

}  // namespace zw::fuzz
