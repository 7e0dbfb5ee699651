// U8x16: sixteen bytes in a register, and the operations that the kernels are written in. The only
// file that names vector types or intrinsics.
//
// Operations use the compilers' vector extensions wherever possible, so one source compiles to
// SIMD128 under -msimd128, SSE natively and NEON on ARM, and the native sanitizers test the code
// that ships. Operations that the extensions cannot express have one body per target.
//
// Costs, from the code that V8 generates for x86-64:
//  - A zip is one instruction; so is a swizzle by a constant, which stays in a register.
//  - A swizzle by a vector that is only known at run time is three (indices are clamped first).
//  - Any other shuffle by constants is many: its mask is rebuilt at each use. The same happens to a
//    zip if the compiler finds that some of its lanes are unused.
//  - Values stay live until they are used: a tile is loaded completely before any of it is zipped,
//    so a network of more than about eight vectors is spilled. Storing parts early helps.
//  - Each loop iteration checks for interrupts (a load, a compare, a branch). `base + (i + 16)`
//    costs one addition more than `(base + i) + 16`, whose constant becomes part of the memory
//    access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define ZW_INLINE inline __attribute__((always_inline))

#define ZW_NOINLINE __attribute__((noinline))

// ZW_UNROLL before a loop over vectors unrolls it fully; otherwise the vectors become an array in
// memory. ZW_NO_UNROLL saves code size in loops that rarely run more than a few iterations, and
// ZW_SCALAR_LOOP also where vectors gain little.
#if defined(__clang__)
#define ZW_UNROLL _Pragma("clang loop unroll(full)")
#define ZW_NO_UNROLL _Pragma("clang loop unroll(disable)")
#define ZW_SCALAR_LOOP _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define ZW_UNROLL _Pragma("GCC unroll 64")
#define ZW_NO_UNROLL _Pragma("GCC unroll 1")
#define ZW_SCALAR_LOOP _Pragma("GCC unroll 1")
#endif

namespace zw::simd {

using U8x16 [[gnu::vector_size(16)]] = uint8_t;
using U16x8 [[gnu::vector_size(16)]] = uint16_t;
using U32x4 [[gnu::vector_size(16)]] = uint32_t;
using U64x2 [[gnu::vector_size(16)]] = uint64_t;
using I32x4 [[gnu::vector_size(16)]] = int32_t;
using F32x4 [[gnu::vector_size(16)]] = float;
using F64x2 [[gnu::vector_size(16)]] = double;

template <class T>
struct LanesOf {
  using Vector [[gnu::vector_size(16)]] = T;
};
/// A vector with lanes of type T.
template <class T>
using Lanes = typename LanesOf<T>::Vector;

/// A compiler barrier: memory accesses before it stay before it. The hardware merges stores that
/// fill a cache line in ascending order, but LLVM often emits them in descending order for
/// WebAssembly; that made a byte swap 20 % slower on Zen 3.
ZW_INLINE void keepOrder() {
  asm volatile("" ::: "memory");
}

/// Loads and stores 16 bytes at any address; memcpy makes no assumption about alignment.
ZW_INLINE U8x16 load(const uint8_t* p) {
  U8x16 v;
  std::memcpy(&v, p, 16);
  return v;
}
ZW_INLINE void store(uint8_t* p, U8x16 v) {
  std::memcpy(p, &v, 16);
  keepOrder();
}

/// Loads N (1, 2, 4, 8 or 16) bytes into the low end, with zeros above; stores the N low bytes.
template <int N>
ZW_INLINE U8x16 loadLow(const uint8_t* p) {
#if defined(__wasm_simd128__)  // saves two instructions
  if constexpr (N == 4) return (U8x16)wasm_v128_load32_zero(p);
  if constexpr (N == 8) return (U8x16)wasm_v128_load64_zero(p);
#endif
  U8x16 v = {};
  std::memcpy(&v, p, N);
  return v;
}
template <int N>
ZW_INLINE void storeLow(uint8_t* p, U8x16 v) {
  std::memcpy(p, &v, N);
  keepOrder();
}

/// Stores the Lane-th N-byte lane (N = 4 or 8).
template <int N, int Lane>
ZW_INLINE void storeLane(uint8_t* p, U8x16 v) {
  if constexpr (N == 4) {
    const uint32_t x = ((U32x4)v)[Lane];
    std::memcpy(p, &x, 4);
  } else {
    const uint64_t x = ((U64x2)v)[Lane];
    std::memcpy(p, &x, 8);
  }
  keepOrder();
}

template <class Pattern, size_t... I>
ZW_INLINE U8x16 shuffleBy(U8x16 a, U8x16 b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, Pattern::at(I)...);
}

/// Byte i of the result is byte `Pattern::at(i)` of a (0..15) followed by b (16..31).
template <class Pattern>
ZW_INLINE U8x16 shuffle(U8x16 a, U8x16 b) {
  return shuffleBy<Pattern>(a, b, std::make_index_sequence<16>{});
}

template <class Pattern, size_t... I>
constexpr U8x16 makeConstant(std::index_sequence<I...>) {
  return U8x16{static_cast<uint8_t>(Pattern::at(I))...};
}

/// The vector whose byte i is `Pattern::at(i)`.
template <class Pattern>
constexpr U8x16 constant() {
  return makeConstant<Pattern>(std::make_index_sequence<16>{});
}

template <int W, int Half>
struct ZipPattern {
  static constexpr int at(size_t i) {
    const int lane = static_cast<int>(i) / W, byte = static_cast<int>(i) % W;
    return Half * 8 + lane / 2 * W + byte + (lane % 2) * 16;
  }
};

/// Interleave the W-byte lanes of the low (high) halves: a0 b0 a1 b1 …
template <int W>
ZW_INLINE U8x16 zipLow(U8x16 a, U8x16 b) {
  return shuffle<ZipPattern<W, 0>>(a, b);
}
template <int W>
ZW_INLINE U8x16 zipHigh(U8x16 a, U8x16 b) {
  return shuffle<ZipPattern<W, 1>>(a, b);
}

template <int W, int First>
struct EverySecondPattern {
  static constexpr int at(size_t i) {
    const int lane = static_cast<int>(i) / W, byte = static_cast<int>(i) % W;
    return (2 * lane + First) * W + byte;
  }
};

/// The W-byte lanes of a, then of b, at even (odd) positions: a0 a2 … b0 b2 …
template <int W>
ZW_INLINE U8x16 evenLanes(U8x16 a, U8x16 b) {
  return shuffle<EverySecondPattern<W, 0>>(a, b);
}
template <int W>
ZW_INLINE U8x16 oddLanes(U8x16 a, U8x16 b) {
  return shuffle<EverySecondPattern<W, 1>>(a, b);
}

/// 16 / N copies of the N-byte value at p (N = 1, 2, 4, 8 or 16).
template <int N>
ZW_INLINE U8x16 splat(const uint8_t* p) {
  U8x16 v = loadLow<N>(p);
  if constexpr (N <= 1) v = zipLow<1>(v, v);
  if constexpr (N <= 2) v = zipLow<2>(v, v);
  if constexpr (N <= 4) v = zipLow<4>(v, v);
  if constexpr (N <= 8) v = zipLow<8>(v, v);
  return v;
}

/// Sixteen copies of a byte.
constexpr U8x16 fill(uint8_t x) {
  return U8x16{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

/// Shifts the eight 16-bit lanes (the narrowest lanes that every target can shift).
template <int Bits>
ZW_INLINE U8x16 shiftRight16(U8x16 v) {
  return (U8x16)((U16x8)v >> Bits);
}
template <int Bits>
ZW_INLINE U8x16 shiftLeft16(U8x16 v) {
  return (U8x16)((U16x8)v << Bits);
}

/// Shifts lanes right by a count known at run time. LLVM has an instruction for it only if it sees,
/// in the same block, that the count of all lanes is the same; otherwise it shifts each lane.
template <class T>
ZW_INLINE Lanes<T> shiftRight(Lanes<T> v, int count) {
  asm volatile("" : "+r"(count));
  return v >> static_cast<T>(count);
}

/// The two low lanes as doubles.
ZW_INLINE F64x2 toDoubles(F32x4 v) {
#if defined(__wasm_simd128__)
  return (F64x2)wasm_f64x2_promote_low_f32x4((v128_t)v);
#elif defined(__SSSE3__)
  return (F64x2)_mm_cvtps_pd((__m128)v);
#elif defined(__aarch64__)
  return (F64x2)vcvt_f64_f32(vget_low_f32((float32x4_t)v));
#else
  return F64x2{v[0], v[1]};
#endif
}

/// Doubles rounded to floats.
ZW_INLINE F32x4 toFloats(F64x2 low, F64x2 high) {
#if defined(__wasm_simd128__)
  const auto a = (U8x16)wasm_f32x4_demote_f64x2_zero((v128_t)low);
  const auto b = (U8x16)wasm_f32x4_demote_f64x2_zero((v128_t)high);
  return (F32x4)zipLow<8>(a, b);
#elif defined(__SSSE3__)
  return (F32x4)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)low), _mm_cvtpd_ps((__m128d)high));
#else
  return F32x4{static_cast<float>(low[0]), static_cast<float>(low[1]), static_cast<float>(high[0]),
               static_cast<float>(high[1])};
#endif
}

/// The low halves of the lanes of a, then of b. The high halves must be 0, since targets differ.
ZW_INLINE U8x16 narrow32(I32x4 a, I32x4 b) {
#if defined(__wasm_simd128__)
  return (U8x16)wasm_u16x8_narrow_i32x4((v128_t)a, (v128_t)b);
#elif defined(__SSSE3__)
  // SSSE3 only packs with signed saturation, which sign-extended lanes do not reach.
  return (U8x16)_mm_packs_epi32((__m128i)((a << 16) >> 16), (__m128i)((b << 16) >> 16));
#elif defined(__aarch64__)
  return (U8x16)vcombine_u16(vmovn_u32((uint32x4_t)a), vmovn_u32((uint32x4_t)b));
#else
  U16x8 out = {};
  for (int i = 0; i < 4; i++) {
    out[i] = static_cast<uint16_t>(a[i]);
    out[4 + i] = static_cast<uint16_t>(b[i]);
  }
  return (U8x16)out;
#endif
}

/// The lanes of b that are less than those of a, else those of a: a if either is NaN. One
/// instruction; compilers make several of a comparison and a selection.
template <class T>
ZW_INLINE Lanes<T> lesser(Lanes<T> a, Lanes<T> b) {
#if defined(__wasm_simd128__)
  if constexpr (sizeof(T) == 4) return (Lanes<T>)wasm_f32x4_pmin((v128_t)a, (v128_t)b);
  if constexpr (sizeof(T) == 8) return (Lanes<T>)wasm_f64x2_pmin((v128_t)a, (v128_t)b);
#endif
  for (size_t i = 0; i < 16 / sizeof(T); i++) a[i] = b[i] < a[i] ? b[i] : a[i];
  return a;
}
/// The lesser lanes; NaN if either is.
template <class T>
ZW_INLINE Lanes<T> lesserOrNaN(Lanes<T> a, Lanes<T> b) {
#if defined(__wasm_simd128__)
  if constexpr (sizeof(T) == 4) return (Lanes<T>)wasm_f32x4_min((v128_t)a, (v128_t)b);
  if constexpr (sizeof(T) == 8) return (Lanes<T>)wasm_f64x2_min((v128_t)a, (v128_t)b);
#endif
  for (size_t i = 0; i < 16 / sizeof(T); i++) a[i] = b[i] < a[i] || b[i] != b[i] ? b[i] : a[i];
  return a;
}

/// Byte i of the result is v[index[i]]. Indices from 0x80 on give 0; 0x10..0x7f are not allowed,
/// since targets differ.
ZW_INLINE U8x16 swizzle(U8x16 v, U8x16 index) {
#if defined(__wasm_simd128__)
  return (U8x16)wasm_i8x16_swizzle((v128_t)v, (v128_t)index);
#elif defined(__SSSE3__)
  return (U8x16)_mm_shuffle_epi8((__m128i)v, (__m128i)index);
#elif defined(__aarch64__)
  return (U8x16)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)index);
#else
  U8x16 out = {};
  for (int i = 0; i < 16; i++) out[i] = index[i] < 16 ? v[index[i]] : uint8_t{0};
  return out;
#endif
}

/// Returns v, hiding its value from the compiler. For bit masks in hot loops: newer compilers fold
/// known masks into longer operations, and some engines rebuild them at each use; opaque ones stay
/// in a register or are reloaded.
ZW_INLINE U8x16 opaque(U8x16 v) {
  volatile U8x16 hidden = v;
  return hidden;
}

}  // namespace zw::simd
