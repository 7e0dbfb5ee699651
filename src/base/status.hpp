// Status: the result of every operation in the core that can fail. The core does not throw, abort
// or print.
#pragma once

#include <cstdint>

namespace zw {

/// Every status code, in the order of status_list.inc.
enum class Code : uint8_t {
#define ZW_STATUS(Name, Tag, message) Name,
#include "base/status_list.inc"
#undef ZW_STATUS
};

/// A status code and, for corrupt input, the byte offset at which the error was detected. Converts
/// to true on failure: `if (Status s = f()) return s;`.
struct [[nodiscard]] Status {
  Code code = Code::Ok;
  uint32_t at = 0;

  constexpr Status() = default;
  constexpr Status(Code c, uint64_t offset = 0)  // NOLINT: implicit on purpose, `return Code::X;`
      : code(c), at(static_cast<uint32_t>(offset)) {}
  constexpr explicit operator bool() const { return code != Code::Ok; }
};

// Each returns "" for a code out of range.

/// The name of the enumerator: "ChecksumMismatch".
const char* statusName(uint32_t code);
/// A one-line message in English.
const char* statusMessage(uint32_t code);
/// The tag of the error that TypeScript throws for this code: "CorruptChunk".
const char* statusTag(uint32_t code);

}  // namespace zw
