// Buffer: one growable block of memory. Growing discards the contents (nothing is kept across
// calls), and failure is a status. Callers check their own limits before they reserve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "base/bytes.hpp"
#include "base/status.hpp"

namespace zw {

class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Makes room for `bytes`; growing discards the contents. The memory is not cleared: callers
  /// write every byte they pass on.
  Status reserve(size_t bytes) {
    if (bytes <= capacity_) return {};
    release();
    data_ = static_cast<uint8_t*>(std::malloc(bytes));
    if (!data_) return Code::OutOfMemory;
    capacity_ = bytes;
    return {};
  }

  void release() {
    std::free(data_);
    data_ = nullptr;
    capacity_ = 0;
  }

  uint8_t* data() const { return data_; }
  size_t capacity() const { return capacity_; }
  ByteSpan first(size_t bytes) const { return {data_, bytes}; }

 private:
  uint8_t* data_ = nullptr;
  size_t capacity_ = 0;
};

/// Constructs `count` objects in `buffer`, or returns null if out of memory. They are never
/// destroyed.
template <class T>
T* makeArray(Buffer& buffer, size_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (buffer.reserve((count ? count : 1) * sizeof(T))) return nullptr;
  T* items = reinterpret_cast<T*>(buffer.data());
  for (size_t i = 0; i < count; i++) new (items + i) T();
  return items;
}

}  // namespace zw
