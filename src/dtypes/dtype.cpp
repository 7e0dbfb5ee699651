#include "dtypes/dtype.hpp"

#include <iterator>

namespace zw {
namespace {

constexpr DTypeInfo kRows[] = {
#define ZW_DTYPE(Id, name, itemBytes, componentBytes, Class, bits) \
  {name, itemBytes, componentBytes, DTypeClass::Class, bits},
#include "dtypes/dtype_list.inc"
#undef ZW_DTYPE
};

}  // namespace

const DTypeInfo* dtypeInfo(uint32_t id) {
  return id < std::size(kRows) ? &kRows[id] : nullptr;
}

}  // namespace zw
