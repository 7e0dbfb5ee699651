// Byte views, unaligned loads and stores, and the reader for headers. Functions name their byte
// order if it is not little-endian. Hosts are little-endian (asserted here, assumed everywhere).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace zw {

static_assert(std::endian::native == std::endian::little, "the core assumes a little-endian host");

using ByteView = std::span<const uint8_t>;
using ByteSpan = std::span<uint8_t>;

/// The bits of a value as another type of the same size. (Emscripten 3.1.6 lacks std::bit_cast.)
template <class To, class From>
constexpr To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

/// Unaligned load of a T in host (little-endian) order.
template <class T>
inline T load(const uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

/// Unaligned store of a T in host (little-endian) order.
template <class T>
inline void store(uint8_t* p, T v) {
  std::memcpy(p, &v, sizeof(T));
}

/// Loads and stores a big-endian uint32 at any address.
inline uint32_t loadBigEndian(const uint8_t* p) {
  return __builtin_bswap32(load<uint32_t>(p));
}
inline void storeBigEndian(uint8_t* p, uint32_t v) {
  store(p, __builtin_bswap32(v));
}

/// True if `bytes` starts inside `buffer`. The two may belong to different objects, so addresses
/// are compared as integers.
inline bool startsInside(ByteView bytes, ByteView buffer) {
  const auto start = reinterpret_cast<uintptr_t>(buffer.data());
  return reinterpret_cast<uintptr_t>(bytes.data()) - start < buffer.size();
}

/// Reads little-endian fields from the front of a view and never past its end. A read that does not
/// fit returns 0 and makes ok() false from then on, so a whole header can be read and checked once.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  uint8_t u8() { return take<uint8_t>(); }
  uint16_t u16() { return take<uint16_t>(); }
  uint32_t u32() { return take<uint32_t>(); }
  uint64_t u64() { return take<uint64_t>(); }

  /// The next n bytes, or an empty view if fewer are left.
  ByteView bytes(size_t n) {
    if (n > left()) {
      ok_ = false;
      return {};
    }
    ByteView v = bytes_.subspan(at_, n);
    at_ += n;
    return v;
  }

  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }
  bool ok() const { return ok_; }

 private:
  template <class T>
  T take() {
    if (sizeof(T) > left()) {
      ok_ = false;
      return 0;
    }
    T v = load<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return v;
  }

  ByteView bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace zw
