// Data types as the core sees them: a width, a component width and a class. Names, fill values and
// JavaScript views are TypeScript's business.
#pragma once

#include <cstdint>

namespace zw {

enum class DTypeClass : uint8_t { Boolean, Signed, Unsigned, Float, Complex, Opaque };

enum class DTypeId : uint8_t {
#define ZW_DTYPE(Id, name, itemBytes, componentBytes, Class, bits) Id,
#include "dtypes/dtype_list.inc"
#undef ZW_DTYPE
};

struct DTypeInfo {
  const char* name;
  uint32_t itemBytes;       // 0 = given by the plan
  uint32_t componentBytes;  // 0 = given field by field by the plan
  DTypeClass typeClass;
  uint32_t bits;  // of a component, from the lowest; 0 = it has no number
};

/// The row of a data type, or nullptr for an id out of range.
const DTypeInfo* dtypeInfo(uint32_t id);

}  // namespace zw
