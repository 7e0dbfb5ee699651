// jenkins_lookup3 (bytes → bytes): the data, then Bob Jenkins' lookup3 hash ("hashlittle") of a
// prefix and the data, u32le. Names: Zarr v2 "jenkins_lookup3", v3 "numcodecs.jenkins_lookup3".
// Full module only.
//
// Parameters: [initval, prefix bytes (count), prefix (bytes, padded to whole words)…]
//
// The hash reads blocks of twelve bytes. The prefix is not stored, so a block that starts in the
// prefix and ends in the data is assembled in a small buffer.
#ifdef ZW_RARE_CODECS

#include <bit>

#include "codecs/checksum_codec.hpp"

namespace zw {
namespace {

constexpr size_t kBlock = 12;

struct Lookup3 {
  uint32_t a, b, c;

  Lookup3(uint32_t length, uint32_t start) { a = b = c = 0xdeadbeef + length + start; }

  void add(const uint8_t* block) {
    a += load<uint32_t>(block);
    b += load<uint32_t>(block + 4);
    c += load<uint32_t>(block + 8);
  }
  void mix() {
    const auto step = [](uint32_t& x, uint32_t& y, uint32_t z, int turn) {
      x -= y;
      x ^= std::rotl(y, turn);
      y += z;
    };
    step(a, c, b, 4);
    step(b, a, c, 6);
    step(c, b, a, 8);
    step(a, c, b, 16);
    step(b, a, c, 19);
    step(c, b, a, 4);
  }
  void finish() {
    const auto step = [](uint32_t& x, uint32_t y, int turn) {
      x ^= y;
      x -= std::rotl(y, turn);
    };
    step(c, b, 14);
    step(a, c, 11);
    step(b, a, 25);
    step(c, b, 16);
    step(a, c, 4);
    step(b, a, 14);
    step(c, b, 24);
  }
};

/// Reads two views as one, block by block.
class Blocks {
 public:
  Blocks(ByteView first, ByteView second) : first_(first), second_(second) {}

  size_t left() const { return first_.size() + second_.size(); }

  /// The next block; the last one is padded with zeros.
  const uint8_t* next() {
    ByteView& whole = first_.empty() ? second_ : first_;
    if (whole.size() >= kBlock) {
      const uint8_t* const block = whole.data();
      whole = whole.subspan(kBlock);
      return block;
    }
    std::memset(joined_, 0, kBlock);
    const size_t filled = take(first_, 0);
    take(second_, filled);
    return joined_;
  }

 private:
  size_t take(ByteView& from, size_t at) {
    const size_t count = from.size() < kBlock - at ? from.size() : kBlock - at;
    if (count > 0) std::memcpy(joined_ + at, from.data(), count);
    from = from.subspan(count);
    return count;
  }

  ByteView first_;
  ByteView second_;
  uint8_t joined_[kBlock];
};

uint32_t lookup3(ByteView prefix, ByteView data, uint32_t start) {
  Blocks blocks(prefix, data);
  Lookup3 hash(static_cast<uint32_t>(blocks.left()), start);
  if (blocks.left() == 0) return hash.c;
  while (blocks.left() > kBlock) {
    hash.add(blocks.next());
    hash.mix();
  }
  hash.add(blocks.next());
  hash.finish();
  return hash.c;
}

/// The step's checksum as a function of the data.
auto makeSum(const Step& step) {
  const ByteView prefix(reinterpret_cast<const uint8_t*>(step.params.data() + 2), step.params[1]);
  return [prefix, start = step.params[0]](ByteView data) { return lookup3(prefix, data, start); };
}

Status prepare(Step& step) {
  if (step.params.size() < 2) return Code::BadParameters;
  const size_t words = step.params.size() - 2;
  if (words != (size_t{step.params[1]} + 3) / 4) return Code::BadParameters;
  return prepareChecksum(step);
}

Status decode(const Step& step, ByteView in, ByteSpan, Workspace&, ByteView& result) {
  return stripChecksum(step, ChecksumPlace::End, in, makeSum(step), result);
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&,
                               ByteView& result) {
  return addChecksum(ChecksumPlace::End, in, out, makeSum(step), result);
}

}  // namespace

constinit const Codec kJenkinsCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
