// Status: the result of everything in the core that can fail. No exceptions, no aborts, no
// printing.
#pragma once

#include <cstdint>

namespace zw {

/// Every status code, in the order of status_list.inc.
enum class Code : uint8_t {
#define ZW_STATUS(Name, Tag, message) Name,
#include "base/status_list.inc"
#undef ZW_STATUS
};

/// A result code and, for corrupt input, the input byte at which the trouble was noticed.
/// Converts to true where something went wrong: `if (Status s = f()) return s;`.
struct [[nodiscard]] Status {
  Code code = Code::Ok;
  uint32_t at = 0;

  constexpr Status() = default;
  constexpr Status(Code c, uint64_t offset = 0)  // NOLINT: implicit on purpose, `return Code::X;`
      : code(c), at(static_cast<uint32_t>(offset)) {}
  constexpr explicit operator bool() const { return code != Code::Ok; }
};

/// The enumerator's name ("ChecksumMismatch"), its one-line message and the tag of the error that
/// it becomes ("CorruptChunk"); "" for a code out of range.
const char* statusName(uint32_t code);
const char* statusMessage(uint32_t code);
const char* statusTag(uint32_t code);

}  // namespace zw
