#include "kernels/bits.hpp"

#include <algorithm>
#include <cstring>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "simd/u8x16.hpp"

namespace zw {
namespace {

// Spreading: a multiplication makes copies of a byte, and the mask keeps a different bit of each:
// copies 9 bits apart put the highest bit first, copies 7 bits apart the lowest. Gathering: a
// multiplication collects the low bits of all bytes in the highest byte. In neither do two bits
// meet in one place, so nothing carries.
constexpr uint64_t kOnes = 0x0101010101010101;

uint64_t spread(BitOrder order, uint8_t bits) {
  if (order == BitOrder::HighFirst) {
    return (bits * uint64_t{0x8040201008040201} >> 7) & kOnes;
  }
  // Copies 7 bits apart have no room for the eighth bit, which is handled separately.
  const uint64_t low = ((bits & 0x7fu) * uint64_t{0x0002040810204081}) & kOnes;
  return low | uint64_t{bits & 0x80u} << 49;
}

/// The inverse of spread: `ones` holds a 0 or 1 in each byte.
uint8_t gather(BitOrder order, uint64_t ones) {
  const uint64_t factor =
      order == BitOrder::LowFirst ? uint64_t{0x0102040810204080} : uint64_t{0x8040201008040201};
  return static_cast<uint8_t>(ones * factor >> 56);
}

/// Sets each nonzero byte to 1.
uint64_t onesWhereSet(uint64_t bytes) {
  const uint64_t low = bytes & (kOnes * 0x7f);
  return (((low + kOnes * 0x7f) | bytes) >> 7) & kOnes;
}

/// Loads up to eight of the `left` remaining bytes, zero-extended.
uint64_t loadFront(const uint8_t* in, size_t left) {
  if (left >= 8) return load<uint64_t>(in);
  uint64_t bytes = 0;
  std::memcpy(&bytes, in, left);
  return bytes;
}

void storeFront(uint8_t* out, uint64_t bytes, size_t left) {
  std::memcpy(out, &bytes, std::min<size_t>(left, 8));
}

uint64_t lowMask(uint32_t bits) {
  return ~uint64_t{0} >> (64 - bits);
}

/// Moves a packed value to its place in a number and sign-extends it.
uint64_t place(const BitField& field, uint64_t value) {
  const uint32_t above = 64 - field.bits;
  if (field.isSigned) value = static_cast<uint64_t>(static_cast<int64_t>(value << above) >> above);
  return value << field.first;
}

template <class T>
void unpackAs(const BitField& field, const uint8_t* in, size_t count, uint8_t* out) {
  const uint64_t mask = lowMask(field.bits);
  size_t left = static_cast<size_t>(ceilDiv(uint64_t{count} * field.bits, 8));
  uint32_t shift = 0;  // bits of in[0] that are used up
  for (size_t i = 0; i < count; i++) {
    uint64_t value = loadFront(in, left) >> shift;
    // A value of more than 57 bits may reach into a ninth byte, which then exists.
    if (shift + field.bits > 64) value |= uint64_t{in[8]} << (64 - shift);
    store(out + i * sizeof(T), static_cast<T>(place(field, value & mask)));
    const uint32_t used = (shift + field.bits) / 8;
    shift = (shift + field.bits) % 8;
    in += used;
    left -= used;
  }
}

struct BitWriter {
  uint8_t* out;
  uint64_t pending = 0;
  uint32_t have = 0;  // bits in `pending`, fewer than 8 between calls

  /// Appends the lowest `bits` (at most 56) bits; the others must be 0.
  void push(uint64_t value, uint32_t bits) {
    pending |= value << have;
    for (have += bits; have >= 8; have -= 8, pending >>= 8) *out++ = static_cast<uint8_t>(pending);
  }
  void finish() {
    if (have > 0) *out = static_cast<uint8_t>(pending);
  }
};

template <class T>
void packAs(const BitField& field, const uint8_t* in, size_t count, uint8_t* out) {
  const uint64_t mask = lowMask(field.bits);
  BitWriter writer{out};
  for (size_t i = 0; i < count; i++) {
    const uint64_t value = uint64_t{load<T>(in + i * sizeof(T))} >> field.first & mask;
    if (field.bits > 32) {
      writer.push(value & 0xffffffff, 32);
      writer.push(value >> 32, field.bits - 32);
    } else {
      writer.push(value, field.bits);
    }
  }
  writer.finish();
}

}  // namespace

void unpackBooleans(BitOrder order, const uint8_t* in, size_t count, uint8_t* out) {
  for (; count >= 8; count -= 8, out += 8) store(out, spread(order, *in++));
  if (count > 0) storeFront(out, spread(order, *in), count);
}

void packBooleans(BitOrder order, const uint8_t* in, size_t count, uint8_t* out) {
  for (; count >= 8; count -= 8, in += 8) {
    *out++ = gather(order, onesWhereSet(load<uint64_t>(in)));
  }
  if (count > 0) *out = gather(order, onesWhereSet(loadFront(in, count)));
}

void copyBooleans(const uint8_t* in, size_t count, uint8_t* out) {
  using simd::U8x16;
  for (; count >= 16; count -= 16, in += 16, out += 16) {
    simd::store(out, (U8x16)(simd::load(in) != U8x16{}) & 1);
  }
  for (; count > 0; count--) *out++ = *in++ != 0;
}

void unpackFields(const BitField& field, const uint8_t* in, size_t count, uint8_t* out) {
  if (field.bytes == 1) return unpackAs<uint8_t>(field, in, count, out);
  if (field.bytes == 2) return unpackAs<uint16_t>(field, in, count, out);
  if (field.bytes == 4) return unpackAs<uint32_t>(field, in, count, out);
  unpackAs<uint64_t>(field, in, count, out);
}

void packFields(const BitField& field, const uint8_t* in, size_t count, uint8_t* out) {
  if (field.bytes == 1) return packAs<uint8_t>(field, in, count, out);
  if (field.bytes == 2) return packAs<uint16_t>(field, in, count, out);
  if (field.bytes == 4) return packAs<uint32_t>(field, in, count, out);
  packAs<uint64_t>(field, in, count, out);
}

}  // namespace zw
