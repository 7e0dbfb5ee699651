// conditional (bytes → bytes): a list of bytes→bytes codecs; a header in each chunk tells which of
// them were applied. Name: Zarr v3 "conditional". Full module only.
//
//   header   one bit per nested codec, lowest bit of the first byte first: 1 = applied; unused
//            bits are 0
//   …        the data after the applied codecs, in list order
//
// Parameters: [header bytes (count), number of codecs, (codec id, number of parameters,
//              parameters…)…]
//
// Encoding skips a compressor if the data would grow; other codecs (shuffle, checksums) are always
// applied.
//
// Trust: nested steps are prepared with the plan, in a bounded pool, at most kMaxNesting deep. The
// size between two codecs is bounded by the larger of "applied" and "skipped", whatever a header
// claims. Nested codecs are prepared for exactly that room, and get it.
#ifdef ZW_RARE_CODECS

#include <algorithm>
#include <cstring>

#include "base/word_reader.hpp"
#include "codecs/sizes.hpp"
#include "codecs/step_pool.hpp"

namespace zw {
namespace {

constexpr uint32_t kMaxHeader = 1024;

/// The two scratch buffers of each nesting depth. Never hands out the buffer being read.
class Scratch {
 public:
  Scratch(const Step& step, Workspace& work) : depth_(step.depth), work_(work) {}

  Status next(ByteView reading, size_t bytes, ByteSpan& out) {
    const uint32_t which = startsInside(reading, held_[0]) ? 1 : 0;
    const auto first = static_cast<uint32_t>(ScratchSlot::NestedFirst) + 2 * depth_;
    const auto slot = static_cast<ScratchSlot>(first + which);
    if (Status s = work_.scratch(slot, std::max<size_t>(1, bytes), held_[which])) return s;
    out = held_[which].first(bytes);
    return {};
  }
  /// True if `bytes` lie in one of the buffers, which the next chunk overwrites.
  bool holds(ByteView bytes) const {
    return startsInside(bytes, held_[0]) || startsInside(bytes, held_[1]);
  }

 private:
  const uint32_t depth_;
  Workspace& work_;
  ByteSpan held_[2];
};

size_t headerBytes(const Step& step) {
  return step.params[0];
}

bool isSet(ByteView header, size_t bit) {
  return header[bit / 8] >> (bit % 8) & 1;
}

/// True for compressors, which are recognised by their bound.
bool isCompressor(const Step& inner) {
  return inner.encoded.bytes >= compressedSize(inner.decoded).bytes;
}

/// Prepares a nested codec for `size` input bytes, and sets `size` to the bound for its output.
Status prepareInner(const Step& outer, WordReader& reader, Step& inner, Size& size) {
  inner.codec = findCodec(reader.next());
  inner.params = reader.take(reader.next());
  if (!reader.ok()) return Code::BadParameters;
  if (!inner.codec) return Code::UnknownCodec;
  if (inner.codec->kind != CodecKind::BytesToBytes) return Code::BadOrder;
  inner.pool = outer.pool;
  inner.depth = outer.depth + 1;
  inner.verifiesChecksums = outer.verifiesChecksums;
  inner.decoded = size;
  if (Status s = inner.codec->prepare(inner)) return s;
  if (uint64_t{inner.encoded.bytes} > uint64_t{UINT32_MAX} / 2) return Code::LimitExceeded;
  const bool keepsSize = inner.encoded.bytes == size.bytes;
  size = {std::max(size.bytes, inner.encoded.bytes),
          size.exact && inner.encoded.exact && keepsSize};
  return {};
}

Status prepare(Step& step) {
  WordReader reader(step.params);
  const uint32_t header = reader.next(), count = reader.next();
  if (!reader.ok() || header == 0 || header > kMaxHeader || count > 8 * header) {
    return Code::BadParameters;
  }
  if (step.depth >= kMaxNesting || !step.pool) return Code::LimitExceeded;
  std::span<Step> steps;
  if (Status s = step.pool->make(count, steps)) return s;
  step.setInner(steps);
  Size size = step.decoded;
  for (Step& inner : steps) {
    if (Status s = prepareInner(step, reader, inner, size)) return s;
  }
  if (!reader.atEnd()) return Code::BadParameters;
  step.encoded = {header + size.bytes, size.exact};
  return {};
}

Status checkHeader(const Step& step, ByteView in) {
  if (in.size() < headerBytes(step)) return {Code::Truncated, in.size()};
  for (size_t bit = step.inner().size(); bit < 8 * headerBytes(step); bit++) {
    if (isSet(in, bit)) return {Code::BadHeader, bit / 8};
  }
  return {};
}

/// Undoes the applied codecs. `current` is the input and then the result, in any buffer.
Status decodeInner(const Step& step, ByteView header, ByteSpan out, Scratch& scratch,
                   Workspace& work, ByteView& current) {
  for (size_t i = step.inner().size(); i-- > 0;) {
    if (!isSet(header, i)) continue;
    const Step& inner = step.inner()[i];
    bool isLast = true;
    for (size_t k = 0; k < i; k++) isLast = isLast && !isSet(header, k);
    ByteSpan room = out;
    // The bound of an inner codec may exceed the room for the final result.
    if (!isLast || inner.decoded.bytes > out.size()) {
      if (Status s = scratch.next(current, inner.decoded.bytes, room)) return s;
    }
    room = room.first(inner.decoded.bytes);
    if (Status s = inner.codec->decode(inner, current, room, work, current)) return s.code;
    if (current.size() > inner.decoded.bytes) return Code::LimitExceeded;
  }
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace& work, ByteView& result) {
  if (Status s = checkHeader(step, in)) return s;
  const ByteSpan room = decodeRoom(step, out);
  Scratch scratch(step, work);
  ByteView current = in.subspan(headerBytes(step));
  if (Status s = decodeInner(step, in, room, scratch, work, current)) return s;
  if (Status s = checkDecodedSize(step, current.size())) return s;
  result = current;
  if (!scratch.holds(current) || current.empty()) return {};
  std::memcpy(room.data(), current.data(), current.size());
  result = room.first(current.size());
  return {};
}

[[maybe_unused]] Status encode(const Step& step, ByteView in, ByteSpan out, Workspace& work,
                               ByteView& result) {
  const size_t header = headerBytes(step);
  if (out.size() < header) return Code::EncodeFailed;
  std::memset(out.data(), 0, header);
  Scratch scratch(step, work);
  ByteView current = in;
  for (size_t i = 0; i < step.inner().size(); i++) {
    const Step& inner = step.inner()[i];
    ByteSpan room;
    ByteView encoded;
    if (Status s = scratch.next(current, inner.encoded.bytes, room)) return s;
    if (Status s = inner.codec->encode(inner, current, room, work, encoded)) return s;
    if (isCompressor(inner) && encoded.size() > current.size()) continue;
    out[i / 8] = static_cast<uint8_t>(out[i / 8] | 1 << (i % 8));
    current = encoded;
  }
  if (current.size() > out.size() - header) return Code::EncodeFailed;
  if (!current.empty()) std::memcpy(out.data() + header, current.data(), current.size());
  result = out.first(header + current.size());
  return {};
}

}  // namespace

constinit const Codec kConditionalCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw

#endif  // ZW_RARE_CODECS
