// Placements that must be rejected: outside the chunk or the destination, and those whose sums or
// products overflow. Through the chain, and through the public C++ header.
#include <gtest/gtest.h>

#include "chain/run.hpp"
#include "plan_words.hpp"
#include "support.hpp"
#include "zarr_wasm/core.hpp"

namespace zw::test {
namespace {

struct BadPlacement {
  const char* what;
  std::vector<uint32_t> shape;  // of a chunk of uint16
  std::vector<PlacementAxis> axes;
  size_t offset = 0;
};

constexpr uint32_t kHuge = 0xffffffff;
constexpr uint32_t kHalf = 0x80000000;

/// Rejected for a destination of 40 bytes.
std::vector<BadPlacement> badPlacements() {
  const std::vector<uint32_t> shape = {4, 5};
  const std::vector<PlacementAxis> whole = {{0, 1, 4, 10}, {0, 1, 5, 2}};
  return {
      {"past the chunk's end", shape, {{0, 1, 5, 10}, {0, 1, 5, 2}}},
      {"a start outside the chunk", shape, {{4, 1, 1, 10}, {0, 1, 5, 2}}},
      {"a step to the outside of the chunk", shape, {{0, 2, 3, 10}, {0, 1, 5, 2}}},
      {"past the destination's end", shape, {{0, 1, 4, 11}, {0, 1, 5, 2}}},
      {"a step that overflows", shape, {{0, kHuge, 2, 10}, {0, 1, 5, 2}}},
      {"a start that overflows", shape, {{kHuge, 1, 1, 10}, {0, 1, 5, 2}}},
      {"a count that overflows", shape, {{0, 1, kHuge, kHuge}, {0, 1, 5, 2}}},
      {"strides that overflow", shape, {{0, 1, 4, kHuge}, {0, 1, 5, kHuge}}},
      {"too few axes", shape, {{0, 1, 4, 10}}},
      {"an element selected twice", shape, {{0, 0, 2, 10}, {0, 1, 5, 2}}},
      {"an element selected 2^32 - 1 times", shape, {{0, 0, kHuge, 0}, {0, 1, 5, 2}}},
      {"an offset outside the destination", shape, whole, 41},
      {"an offset that overflows", shape, whole, SIZE_MAX},
      {"an offset that overflows after an axis", shape, whole, SIZE_MAX - 37},
      // 4 · 2^31 · 2^31 = 2^64, so that the sum is the end of the first element.
      {"axes that add 2^64 bytes",
       {1, 1, 1, 1},
       std::vector<PlacementAxis>(4, {0, 0, kHalf + 1, kHalf})},
      {"64 axes that add 2^64 bytes", std::vector<uint32_t>(64, 1),
       std::vector<PlacementAxis>(64, {0, 0, (1u << 27) + 1, kHalf})},
  };
}

TEST(Placement, RejectsEveryRunOutsideAndWritesNothing) {
  for (const BadPlacement& bad : badPlacements()) {
    const ChainSpec spec = makeSpec(DTypeId::Uint16, bad.shape, {bytesCodec(1)});
    Plan plan;
    ASSERT_EQ(plan.prepare(spec.words(), 1000).status.code, Code::Ok);
    const Bytes encoded = randomBytes(spec.bytes(), 5);
    const Placement placement{bad.axes, bad.offset};
    StageBuffers stages;
    Workspace work;
    ExactBlock destination(Bytes(40, 0xee));
    EXPECT_EQ(decodePlaced(plan, encoded, placement, destination.span(), stages, work).status.code,
              Code::BadPlacement)
        << bad.what;
    EXPECT_EQ(fillPlaced(plan, placement, destination.span()).code, Code::BadPlacement) << bad.what;
    EXPECT_EQ(destination.copy(), Bytes(40, 0xee)) << bad.what;
    bool isFill = false;
    EXPECT_EQ(isFillPlaced(plan, placement, destination.span(), isFill).code, Code::BadPlacement)
        << bad.what;
    ExactBlock out(Bytes(40, 0xee));
    ByteView result;
    EXPECT_EQ(encodePlaced(plan, destination.span(), placement, out.span(), stages, work, result)
                  .status.code,
              Code::BadPlacement)
        << bad.what;
    EXPECT_EQ(out.copy(), Bytes(40, 0xee)) << bad.what;
  }
}

TEST(Placement, OfTheCppHeaderIsCheckedAlike) {
  for (const BadPlacement& bad : badPlacements()) {
    zarr_wasm::Chain chain("uint16", std::span<const uint32_t>(bad.shape));
    zarr_wasm::Plan plan;
    ASSERT_TRUE(plan.prepare(chain.bytes()).ok());
    std::vector<zarr_wasm::Axis> axes;
    for (const auto& [start, step, count, stride] : bad.axes) {
      axes.push_back({start, step, count, stride});
    }
    const Bytes encoded = randomBytes(plan.decodedBytes(), 5);
    ExactBlock array(Bytes(40, 0xee));
    zarr_wasm::Coder coder;
    EXPECT_STREQ(coder.decodeRegion(plan, encoded, axes, array.span(), bad.offset).name(),
                 "BadPlacement")
        << bad.what;
    EXPECT_STREQ(coder.fill(plan, axes, array.span(), bad.offset).name(), "BadPlacement")
        << bad.what;
    EXPECT_EQ(array.copy(), Bytes(40, 0xee)) << bad.what;
  }
}

TEST(Placement, OfNothingTouchesNothing) {
  const ChainSpec spec = makeSpec(DTypeId::Uint16, {4, 5}, {bytesCodec(1)});
  Plan plan;
  ASSERT_EQ(plan.prepare(spec.words(), 1000).status.code, Code::Ok);
  const std::vector<PlacementAxis> axes = {{0, 1, 0, kHuge}, {kHuge, 0, kHuge, kHuge}};
  const Placement placement{axes, SIZE_MAX};
  const Bytes encoded = randomBytes(spec.bytes(), 5);
  StageBuffers stages;
  Workspace work;
  ExactBlock destination(Bytes(40, 0xee));
  EXPECT_EQ(decodePlaced(plan, encoded, placement, destination.span(), stages, work).status.code,
            Code::Ok);
  EXPECT_EQ(fillPlaced(plan, placement, destination.span()).code, Code::Ok);
  EXPECT_EQ(destination.copy(), Bytes(40, 0xee));
}

TEST(Placement, BytesOnlyPlansHaveNone) {
  Plan plan;
  ASSERT_EQ(plan.prepare(bytesOnlySpec(4, {}).words(), 1000).status.code, Code::Ok);
  StageBuffers stages;
  Workspace work;
  ExactBlock destination(Bytes(4, 0xee));
  const std::vector<PlacementAxis> axes = {{0, 1, 4, 1}};
  const Bytes encoded(2, 1);
  EXPECT_EQ(decodePlaced(plan, encoded, {axes, 0}, destination.span(), stages, work).status.code,
            Code::BadPlacement);
  EXPECT_EQ(fillPlaced(plan, {axes, 0}, destination.span()).code, Code::BadPlacement);
  EXPECT_EQ(destination.copy(), Bytes(4, 0xee));
}

}  // namespace
}  // namespace zw::test
