#include "base/status.hpp"

#include <iterator>

namespace zw {
namespace {

struct Row {
  const char* name;
  const char* tag;
  const char* message;
};

constexpr Row kRows[] = {
#define ZW_STATUS(Name, Tag, message) {#Name, #Tag, message},
#include "base/status_list.inc"
#undef ZW_STATUS
};

}  // namespace

const char* statusName(uint32_t code) {
  return code < std::size(kRows) ? kRows[code].name : "";
}

const char* statusMessage(uint32_t code) {
  return code < std::size(kRows) ? kRows[code].message : "";
}

const char* statusTag(uint32_t code) {
  return code < std::size(kRows) ? kRows[code].tag : "";
}

}  // namespace zw
