#include "kernels/high_bits.hpp"

#include "simd/u8x16.hpp"

namespace zw {
namespace {

using simd::U32x4;
using simd::U64x2;
using simd::U8x16;

/// Numbers of at most this many bits lie within 4 bytes at any bit offset, and 4 of them within 16.
constexpr uint32_t kVectorBits = 25;
/// Shorter runs do not pay for the patterns.
constexpr size_t kMinVectorRun = 64;

/// Where four consecutive numbers lie: their bytes, most significant last, and the factors that move
/// their first bits to the top.
struct Pattern {
  U8x16 bytes;
  U32x4 factors;
};

Pattern makePattern(uint32_t first, uint32_t bits) {
  alignas(16) uint8_t bytes[16];
  Pattern pattern;
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t at = first + i * bits;
    for (uint32_t j = 0; j < 4; j++) bytes[4 * i + j] = static_cast<uint8_t>((at >> 3) + 3 - j);
    pattern.factors[i] = 1u << (at & 7);
  }
  pattern.bytes = simd::load(bytes);
  return pattern;
}

ZW_INLINE void unpackFour(const uint8_t* in, const Pattern& pattern, uint32_t shift,
                          uint32_t* out) {
  const U32x4 words = (U32x4)simd::swizzle(simd::load(in), pattern.bytes);
  simd::store(reinterpret_cast<uint8_t*>(out), (U8x16)(words * pattern.factors >> shift));
}

/// Unpacks multiples of eight numbers, which take `bits` bytes, while 16 bytes can be read for each
/// half of them. Returns how many.
size_t unpackVectors(ByteView in, uint64_t at, uint32_t bits, size_t count, uint32_t* out) {
  const uint32_t first = static_cast<uint32_t>(at & 7), middle = first + 4 * bits;
  const Pattern low = makePattern(first, bits), high = makePattern(middle & 7, bits);
  const uint32_t toMiddle = middle >> 3, shift = 32 - bits;
  const uint8_t* p = in.data() + static_cast<size_t>(at >> 3);
  const uint8_t* const end = in.data() + in.size();
  size_t done = 0;
  for (; count - done >= 8 && end - p >= static_cast<ptrdiff_t>(toMiddle + 16); done += 8) {
    unpackFour(p, low, shift, out + done);
    unpackFour(p + toMiddle, high, shift, out + done + 4);
    p += bits;
  }
  return done;
}

/// Any numbers, through a load of 64 bits each.
size_t unpackWords(ByteView in, uint64_t at, uint32_t bits, size_t count, uint32_t* out) {
  // WebAssembly cannot swap bytes but by swizzles.
  constexpr U8x16 kReversed = {7, 6, 5, 4, 3, 2, 1, 0};
  size_t done = 0;
  for (; done < count; done++, at += bits) {
    const size_t byte = static_cast<size_t>(at >> 3);
    if (in.size() - byte < 8) break;
    const U8x16 bytes = (U8x16)U64x2{load<uint64_t>(in.data() + byte)};
    const uint64_t word = ((U64x2)simd::swizzle(bytes, kReversed))[0] << (at & 7);
    out[done] = static_cast<uint32_t>(word >> (64 - bits));
  }
  return done;
}

}  // namespace

void unpackHighBits(ByteView in, uint64_t at, uint32_t bits, size_t count, uint32_t* out) {
  const bool isVector = bits <= kVectorBits && count >= kMinVectorRun;
  size_t done =
      isVector ? unpackVectors(in, at, bits, count, out) : unpackWords(in, at, bits, count, out);
  for (; done < count; done++) out[done] = highBits(in.data(), at + uint64_t{done} * bits, bits);
}

}  // namespace zw
