// Data types of the core: item width, component width and class. TypeScript handles their names in
// metadata, fill values and typed arrays.
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
  uint32_t itemBytes;       // 0 = set by the plan
  uint32_t componentBytes;  // 0 = set per field by the plan
  DTypeClass typeClass;
  uint32_t bits;  // significant low bits of a component; 0 = not a number
};

/// The properties of a data type; null for an id out of range.
const DTypeInfo* dtypeInfo(uint32_t id);

}  // namespace zw
