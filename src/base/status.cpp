#include "base/status.hpp"

#include <iterator>

namespace zw {
namespace {

struct Row {
  const char* name;
  const char* message;
};

constexpr Row kRows[] = {
#define ZW_STATUS(Name, message) {#Name, message},
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

uint32_t statusCount() {
  return static_cast<uint32_t>(std::size(kRows));
}

}  // namespace zw
