#include "codecs/values.hpp"

#include <algorithm>
#include <iterator>

namespace zw {
namespace {

/// The components of an element; none for structs.
constexpr Component componentRun(uint32_t itemBytes, uint32_t componentBytes) {
  if (componentBytes == 0) return {0, 0};
  return {componentBytes, itemBytes / componentBytes};
}

/// The component run of each data type, for arrays that codecs create.
constexpr Component kComponents[] = {
#define ZW_DTYPE(Id, name, itemBytes, componentBytes, Class, bits) \
  componentRun(itemBytes, componentBytes),
#include "dtypes/dtype_list.inc"
#undef ZW_DTYPE
};

}  // namespace

bool findValueType(DTypeId dtype, ValueType& type) {
  switch (dtype) {
    case DTypeId::Datetime64:
    case DTypeId::Timedelta64:
      type = {Number::Int64, 1};
      return true;
    case DTypeId::Complex64:
    case DTypeId::Complex128:
      type = {dtype == DTypeId::Complex64 ? Number::Float32 : Number::Float64, 2};
      return true;
    default:
      break;
  }
  static_assert(static_cast<int>(DTypeId::Bool) == static_cast<int>(Number::Bool));
  static_assert(static_cast<int>(DTypeId::Float64) == static_cast<int>(Number::Float64));
  if (dtype > DTypeId::Float64) return false;
  type = {static_cast<Number>(dtype), 1};
  return true;
}

Status findValueType(uint32_t dtype, ValueType& type) {
  const bool known = dtypeInfo(dtype) && findValueType(static_cast<DTypeId>(dtype), type);
  return known ? Status{} : Status{Code::BadParameters};
}

Number promoted(Number a, Number b) {
  if (isFloat(a) == isFloat(b) && isSigned(a) == isSigned(b)) return std::max(a, b);
  // Floats and signed integers hold all integers of half their width.
  const Number low = std::min(a, b), high = std::max(a, b);  // signed, unsigned, float
  const Number wide = isFloat(high) ? high : low, other = isFloat(high) ? low : high;
  const uint32_t bytes = std::max(numberBytes(wide), 2 * numberBytes(other));
  if (bytes == 2) return isFloat(wide) ? Number::Float16 : Number::Int16;
  if (bytes == 4) return isFloat(wide) ? Number::Float32 : Number::Int32;
  return bytes > 8 || isFloat(wide) ? Number::Float64 : Number::Int64;
}

Status encodeAs(Step& step, uint32_t dtype) {
  const DTypeInfo* info = dtypeInfo(dtype);
  if (!info || info->itemBytes == 0) return Code::BadParameters;
  ArrayInfo& array = step.encodedArray;
  array = step.decodedArray;
  // A wider type may exceed the limit that the decoded array was checked against.
  if (uint64_t{array.itemCount} * info->itemBytes > UINT32_MAX / 2) return Code::LimitExceeded;
  array.dtype = static_cast<DTypeId>(dtype);
  array.itemBytes = info->itemBytes;
  array.components = {&kComponents[dtype], 1};
  return {};
}

Status prepareValues(Step& step, size_t parameters, ValueTypes& types) {
  if (step.params.size() != parameters) return Code::BadParameters;
  if (Status s = findValueType(step.params[0], types.decoded)) return s;
  if (Status s = findValueType(step.params[1], types.encoded)) return s;
  if (types.decoded.perItem != types.encoded.perItem) return Code::BadParameters;
  if (dtypeInfo(step.params[0])->itemBytes != step.decodedArray.itemBytes) {
    return Code::BadParameters;
  }
  return encodeAs(step, step.params[1]);
}

ValueTypes valueTypes(const Step& step) {
  ValueTypes types;
  (void)findValueType(step.params[0], types.decoded);
  (void)findValueType(step.params[1], types.encoded);
  return types;
}

Status castFill(const Step& step, const uint8_t* decoded, uint8_t* encoded) {
  const auto [from, to] = valueTypes(step);
  convertNumbers(from.number, decoded, to.number, encoded, from.perItem);
  return {};
}

}  // namespace zw
