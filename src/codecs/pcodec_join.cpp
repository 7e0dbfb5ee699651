// Computes the numbers of a batch from its latents, one function per mode of pcodec.
//
// Safety: loops are bounded by the batch size, whatever the latents are.
//
// Speed: one loop per mode and type, which compilers vectorise; float mult has a fast path for
// batches in which all multipliers are small integers.
#ifdef ZW_RARE_CODECS

#include "codecs/pcodec_join.hpp"

#include "simd/u8x16.hpp"

namespace zw {
namespace {

// Number types: conversion between ordered latents and the bits of numbers.

template <class T>
struct Unsigned {
  using Bits = T;
  static ZW_INLINE T fromOrdered(T latent) { return latent; }
};
template <class T>
struct Signed {
  using Bits = T;
  static constexpr T kMiddle = T{1} << (8 * sizeof(T) - 1);
  static ZW_INLINE T fromOrdered(T latent) { return latent ^ kMiddle; }
};
template <class T, uint32_t kMantissa>
struct Float {
  using Bits = T;
  static constexpr T kMiddle = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  static constexpr T kInfinity = static_cast<T>(kMiddle - (T{1} << kMantissa));
  static constexpr T kQuiet = T{1} << (kMantissa - 1);
  /// From here on, not all integers are exact floats.
  static constexpr T kGreatest = T{1} << (kMantissa + 1);
  static ZW_INLINE T fromOrdered(T latent) {
    return static_cast<T>(latent & kMiddle ? latent ^ kMiddle : ~latent);
  }
  static ZW_INLINE T toOrdered(T bits) {
    return static_cast<T>(bits & kMiddle ? ~bits : bits | kMiddle);
  }
};

struct Half : Float<uint16_t, 10> {
  // The bits of an integer up to kGreatest, and of a product.
  static ZW_INLINE uint16_t ofInteger(uint16_t value) { return toHalf(value); }
  static ZW_INLINE uint16_t times(uint16_t a, double base) { return toHalf(fromHalf(a) * base); }
  static double multiplier(uint16_t bits) { return fromHalf(bits); }
};
struct Single : Float<uint32_t, 23> {
  static ZW_INLINE uint32_t ofInteger(uint32_t value) {
    return bitCast<uint32_t>(static_cast<float>(static_cast<int32_t>(value)));
  }
  static ZW_INLINE uint32_t times(uint32_t a, float base) {
    return bitCast<uint32_t>(bitCast<float>(a) * base);
  }
  static float multiplier(uint32_t bits) { return bitCast<float>(bits); }
};
struct Double : Float<uint64_t, 52> {
  static ZW_INLINE uint64_t ofInteger(uint64_t value) {
    return bitCast<uint64_t>(static_cast<double>(static_cast<int64_t>(value)));
  }
  static ZW_INLINE uint64_t times(uint64_t a, double base) {
    return bitCast<uint64_t>(bitCast<double>(a) * base);
  }
  static double multiplier(uint64_t bits) { return bitCast<double>(bits); }
};

/// Calls `f` with the number type, for the types that have latents of this width.
template <class Latent, class F>
ZW_INLINE void withNumber(Number number, F f) {
  if constexpr (sizeof(Latent) == 8) {
    if (number == Number::Uint64) return f(Unsigned<uint64_t>{});
    if (number == Number::Int64) return f(Signed<uint64_t>{});
    return f(Double{});
  } else {
    switch (number) {
      case Number::Uint8:
        return f(Unsigned<uint8_t>{});
      case Number::Int8:
        return f(Signed<uint8_t>{});
      case Number::Uint16:
        return f(Unsigned<uint16_t>{});
      case Number::Int16:
        return f(Signed<uint16_t>{});
      case Number::Uint32:
        return f(Unsigned<uint32_t>{});
      case Number::Int32:
        return f(Signed<uint32_t>{});
      case Number::Float16:
        return f(Half{});
      default:
        return f(Single{});
    }
  }
}
template <class Latent, class F>
ZW_INLINE void withFloat(Number number, F f) {
  if constexpr (sizeof(Latent) == 8) {
    f(Double{});
  } else if (number == Number::Float16) {
    f(Half{});
  } else {
    f(Single{});
  }
}

template <class Type, class Latent>
void multiplyIntegers(Type, Latent base, const Latent* primary, const Latent* secondary,
                      uint32_t count, uint8_t* out) {
  using Bits = typename Type::Bits;
  for (uint32_t i = 0; i < count; i++) {
    const auto ordered = static_cast<Bits>(primary[i] * base + secondary[i]);
    store(out + i * sizeof(Bits), Type::fromOrdered(ordered));
  }
}

template <class Type, class Latent>
void joinQuanta(Type, uint32_t k, const Latent* primary, const Latent* secondary, uint32_t count,
                uint8_t* out) {
  using Bits = typename Type::Bits;
  const auto middle = static_cast<Bits>(Type::kMiddle >> k);
  const auto below = static_cast<Bits>((Bits{1} << k) - 1);
  for (uint32_t i = 0; i < count; i++) {
    const auto quotient = static_cast<Bits>(primary[i]), rest = static_cast<Bits>(secondary[i]);
    const auto low = static_cast<Bits>(quotient >= middle ? rest : below - rest);
    store(out + i * sizeof(Bits), Type::fromOrdered(static_cast<Bits>((quotient << k) + low)));
  }
}

/// The distance of a float mult latent from zero. (There are two zeros, +0 and -0.)
template <class Type>
ZW_INLINE typename Type::Bits latentMagnitude(typename Type::Bits latent) {
  using Bits = typename Type::Bits;
  return static_cast<Bits>(latent >= Type::kMiddle ? latent - Type::kMiddle
                                                   : Type::kMiddle - 1 - latent);
}

/// The bits of the multiplier that a latent of float mult stands for: an integer, and beyond
/// kGreatest the following floats in order, up to infinity and NaN.
template <class Type, bool kAllIntegers>
ZW_INLINE typename Type::Bits countedFloat(typename Type::Bits latent) {
  using Bits = typename Type::Bits;
  const Bits magnitude = latentMagnitude<Type>(latent);
  Bits bits;
  if (kAllIntegers || magnitude < Type::kGreatest) {
    bits = Type::ofInteger(magnitude);
  } else {
    bits = static_cast<Bits>(Type::ofInteger(Type::kGreatest) + (magnitude - Type::kGreatest));
  }
  return static_cast<Bits>(latent >= Type::kMiddle ? bits : bits ^ Type::kMiddle);
}

template <class Type, bool kAllIntegers, class Latent, class Multiplier>
ZW_INLINE void multiplyFloats(Multiplier base, const Latent* primary, const Latent* secondary,
                              uint32_t count, uint8_t* out) {
  using Bits = typename Type::Bits;
  for (uint32_t i = 0; i < count; i++) {
    const Bits factor = countedFloat<Type, kAllIntegers>(static_cast<Bits>(primary[i]));
    Bits product = Type::times(factor, base);
    // WebAssembly does not specify the bits of a NaN; the format assumes those of common
    // processors.
    if constexpr (!kAllIntegers) {
      const auto magnitude = static_cast<Bits>(factor & ~Type::kMiddle);
      if (magnitude > Type::kInfinity) product = static_cast<Bits>(factor | Type::kQuiet);
    }
    const auto ordered = static_cast<Bits>(Type::toOrdered(product) +
                                           static_cast<Bits>(secondary[i]) + Type::kMiddle);
    store(out + i * sizeof(Bits), Type::fromOrdered(ordered));
  }
}

template <class Type, class Latent>
void joinMultiples(Type, uint64_t base, const Latent* primary, const Latent* secondary,
                   uint32_t count, uint8_t* out) {
  using Bits = typename Type::Bits;
  const auto multiplier = Type::multiplier(Type::fromOrdered(static_cast<Bits>(base)));
  Bits magnitudes = 0;
  for (uint32_t i = 0; i < count; i++)
    magnitudes |= latentMagnitude<Type>(static_cast<Bits>(primary[i]));
  if (magnitudes < Type::kGreatest) {
    multiplyFloats<Type, true>(multiplier, primary, secondary, count, out);
  } else {
    multiplyFloats<Type, false>(multiplier, primary, secondary, count, out);
  }
}

template <class Latent>
void join(const PcoMetadata& metadata, Number number, const Latent* primary,
          const Latent* secondary, uint32_t count, uint8_t* out) {
  switch (metadata.mode) {
    case PcoMode::IntMult:
      return withNumber<Latent>(number, [&](auto type) {
        multiplyIntegers(type, static_cast<Latent>(metadata.base), primary, secondary, count, out);
      });
    case PcoMode::FloatMult:
      return withFloat<Latent>(number, [&](auto type) {
        joinMultiples(type, metadata.base, primary, secondary, count, out);
      });
    case PcoMode::FloatQuant:
      return withFloat<Latent>(number, [&](auto type) {
        joinQuanta(type, metadata.quantBits, primary, secondary, count, out);
      });
    default:
      return storePcoNumbers(number, primary, count, out);
  }
}

}  // namespace

template <class Latent>
void storePcoNumbers(Number number, const Latent* latents, uint32_t count, uint8_t* out) {
  withNumber<Latent>(number, [&](auto type) {
    using Type = decltype(type);
    using Bits = typename Type::Bits;
    for (uint32_t i = 0; i < count; i++) {
      store(out + i * sizeof(Bits), Type::fromOrdered(static_cast<Bits>(latents[i])));
    }
  });
}

void joinPcoLatents(const PcoMetadata& metadata, Number number, const uint32_t* primary,
                    const uint32_t* secondary, uint32_t count, uint8_t* out) {
  join(metadata, number, primary, secondary, count, out);
}
void joinPcoLatents(const PcoMetadata& metadata, Number number, const uint64_t* primary,
                    const uint64_t* secondary, uint32_t count, uint8_t* out) {
  join(metadata, number, primary, secondary, count, out);
}

template void storePcoNumbers(Number, const uint32_t*, uint32_t, uint8_t*);
template void storePcoNumbers(Number, const uint64_t*, uint32_t, uint8_t*);

}  // namespace zw

#endif
