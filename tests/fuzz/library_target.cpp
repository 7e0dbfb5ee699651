// library: the public C++ header with any chain, regions and buffer sizes.
//
// Input: data type, rank, length per axis, order of the axes, byte order, sizes of buffers, bytes
// that choose a region (PlacementChoice)
#include <cstring>

#include "plan_input.hpp"
#include "support.hpp"
#include "targets.hpp"
#include "zarr_wasm/core.hpp"

namespace zw::fuzz {
namespace {

using test::Bytes;
using test::ExactBlock;

constexpr uint8_t kUntouched = 0xa5;

/// The array of a data type of fixed width, with up to 64 axes, most of them short.
ArrayInfo chooseArray(Input& input) {
  static constexpr DTypeId kTypes[] = {DTypeId::Uint8, DTypeId::Int16, DTypeId::Float32,
                                       DTypeId::Complex128};
  ArrayInfo array;
  array.dtype = input.oneOf(kTypes);
  array.itemBytes = dtypeInfo(static_cast<uint32_t>(array.dtype))->itemBytes;
  array.rank = input.u8() % 4 == 0 ? input.between(0, kMaxRank) : input.between(0, 4);
  for (uint32_t i = 0; i < array.rank; i++) {
    array.shape[i] = i < 4 ? 1 + input.u8() % 8 : 1;
    array.itemCount *= array.shape[i];
  }
  return array;
}

zarr_wasm::Chain chooseChain(Input& input, const ArrayInfo& array) {
  const std::string name = dtypeInfo(static_cast<uint32_t>(array.dtype))->name;
  zarr_wasm::Chain chain(name, {array.shape.data(), array.rank});
  std::vector<uint32_t> order(array.rank);
  for (uint32_t i = 0; i < array.rank; i++) order[i] = i;
  for (uint32_t i = array.rank; i-- > 1;) std::swap(order[i], order[input.between(0, i)]);
  if (input.u8() % 2) chain.codec("transpose", order);
  chain.bytes(input.u8() % 2 ? zarr_wasm::Endian::Big : zarr_wasm::Endian::Little);
  return chain;
}

/// The status that the size of a buffer leads to.
bool isSizeError(const zarr_wasm::Status& status) {
  return std::strcmp(status.name(), "BadPlacement") == 0;
}

/// Whole chunks: buffers of any size, which must fit.
void checkWhole(const zarr_wasm::Plan& plan, Input& input, zarr_wasm::Coder& coder) {
  ExactBlock out(plan.decodedBytes() + input.between(0, 2) - 1);
  const ExactBlock encoded(Bytes(plan.decodedBytes(), 1));
  const bool fits = out.size() == plan.decodedBytes();
  const zarr_wasm::Status decoded = coder.decode(plan, encoded.view(), out.span());
  ZW_PROPERTY(fits ? decoded.ok() : isSizeError(decoded));
  ExactBlock room(plan.encodedBound() + input.between(0, 2) - 1);
  size_t size = 1;
  const zarr_wasm::Status s = coder.encode(plan, encoded.view(), room.span(), size);
  ZW_PROPERTY(room.size() < plan.encodedBound() ? isSizeError(s) : s.ok());
  ZW_PROPERTY(size == (s.ok() ? plan.encodedBound() : 0));
}

void run(ByteView bytes) {
  Input input(bytes);
  const ArrayInfo array = chooseArray(input);
  zarr_wasm::Plan plan;
  ZW_PROPERTY(plan.prepare(chooseChain(input, array)).ok());
  zarr_wasm::Coder coder;
  checkWhole(plan, input, coder);
  const PlacementChoice choice = choosePlacement(input.rest(), array);
  std::vector<zarr_wasm::Axis> axes;
  for (const auto& [start, step, count, stride] : choice.axes) {
    axes.push_back({start, step, count, stride});
  }
  if (choice.destinationBytes > 4 * kMaxChunk) return;
  const bool isInside = choice.isInside(array);
  const Bytes untouched(choice.destinationBytes, kUntouched);
  ExactBlock destination(untouched);
  const Bytes encoded(plan.decodedBytes(), 1);
  const zarr_wasm::Status decoded =
      coder.decodeRegion(plan, encoded, axes, destination.span(), choice.dstOffset);
  const zarr_wasm::Status filled = coder.fill(plan, axes, destination.span(), choice.dstOffset);
  ZW_PROPERTY(isInside ? decoded.ok() : isSizeError(decoded));
  ZW_PROPERTY(isInside ? filled.ok() : isSizeError(filled));
  if (!isInside) ZW_PROPERTY(destination.copy() == untouched);
}

}  // namespace

std::vector<Target> libraryTargets() {
  return {{"library", run, nullptr}};
}

}  // namespace zw::fuzz
