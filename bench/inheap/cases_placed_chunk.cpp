// Decodes a whole chunk into a region, as `get` does: 64³ uint16, stored big-endian and transposed
// under Blosc, placed in 256³. Once as the chain does it, in a single pass after the decompressor,
// and once with a pass for each step.
#include "cases.hpp"
#include "chain/run.hpp"
#include "kernels/byteswap.hpp"
#include "kernels/strided_copy.hpp"

namespace zw::bench {

namespace {

constexpr uint32_t kSide = 64, kTimes = 4, kRegionSide = kSide * kTimes, kItem = 2;
constexpr size_t kChunkBytes = size_t{kSide} * kSide * kSide * kItem;
/// Parameters of the codec `bytes`.
constexpr uint32_t kLittle = 1, kBig = 2;
constexpr size_t kRegionBytes = kChunkBytes * kTimes * kTimes * kTimes;
/// Its name in bench/codecs.mjs.
constexpr char kInput[] = "placed chunk: blosc lz4 shuffle";

/// A plan with everything that its runs need.
struct Chain {
  Plan plan;
  StageBuffers stages;
  Workspace work;
};

/// `codecs`: the plan's words, as in chain/plan.hpp.
std::shared_ptr<Chain> chainOf(uint32_t codecCount, std::initializer_list<uint32_t> codecs) {
  std::vector<uint32_t> words = {kPlanVersion,
                                 0,
                                 static_cast<uint32_t>(DTypeId::Uint16),
                                 kItem,
                                 1,
                                 kItem,
                                 1,
                                 3,
                                 kSide,
                                 kSide,
                                 kSide,
                                 0,
                                 codecCount};
  words.insert(words.end(), codecs);
  auto chain = std::make_shared<Chain>();
  chain->work.setScratchLimit(2 * kChunkBytes);
  if (chain->plan.prepare(words, kChunkBytes)) std::abort();
  return chain;
}

constexpr uint32_t id(CodecId codec) {
  return static_cast<uint32_t>(codec);
}

/// The chunk's position in the region: a different one in every run, as in a `get`.
class Places {
 public:
  size_t next() {
    const size_t z = n_ / (kTimes * kTimes), y = n_ / kTimes % kTimes, x = n_ % kTimes;
    n_ = (n_ + 1) % (kTimes * kTimes * kTimes);
    return ((z * kRegionSide + y) * kRegionSide + x) * kSide * kItem;
  }

 private:
  size_t n_ = 0;
};

constexpr uint32_t kRow = kRegionSide * kItem, kPlane = kRegionSide * kRow;

std::function<void()> fused(const Input& input) {
  const auto chain = chainOf(3, {id(CodecId::Transpose), 3, 2, 1, 0, id(CodecId::Bytes), 1, kBig,
                                 id(CodecId::Blosc), 6, 1, 5, 1, kItem, 0, 0});
  return [=, region = noise(kRegionBytes), places = Places()]() mutable {
    const PlacementAxis axes[] = {{0, 1, kSide, kPlane}, {0, 1, kSide, kRow}, {0, 1, kSide, kItem}};
    if (decodePlaced(chain->plan, {input.data.get(), input.bytes}, {axes, places.next()},
                     {region.get(), kRegionBytes}, chain->stages, chain->work)) {
      std::abort();
    }
  };
}

StridedCopy prepared(std::vector<CopyAxis> axes) {
  StridedCopy copy;
  if (prepareStridedCopy(axes, kItem, 1, copy)) std::abort();
  return copy;
}

std::function<void()> separate(const Input& input) {
  const auto chain =
      chainOf(2, {id(CodecId::Bytes), 1, kLittle, id(CodecId::Blosc), 6, 1, 5, 1, kItem, 0, 0});
  constexpr size_t row = kSide * kItem, plane = kSide * row;
  return [=, decoded = noise(kChunkBytes), swapped = noise(kChunkBytes),
          transposed = noise(kChunkBytes), region = noise(kRegionBytes), places = Places(),
          transpose = prepared({{kSide, kItem, plane}, {kSide, row, row}, {kSide, plane, kItem}}),
          place = prepared(
              {{kSide, plane, kPlane}, {kSide, row, kRow}, {kSide, kItem, kItem}})]() mutable {
    ByteView result;
    if (decodeChunk(chain->plan, {input.data.get(), input.bytes}, {decoded.get(), kChunkBytes},
                    chain->stages, chain->work, result)) {
      std::abort();
    }
    swapCopy(swapped.get(), decoded.get(), kChunkBytes / kItem, kItem);
    Buffer* const scratch = &chain->stages.copy;
    runStridedCopy(transpose, swapped.get(), transposed.get(), scratch);
    runStridedCopy(place, transposed.get(), region.get() + places.next(), scratch);
  };
}

}  // namespace

void addPlacedChunkCases(Cases& cases) {
  const std::string separately = "chunk 64³ u16 big-endian [2,1,0] blosc lz4 into 256³ in stages";
  cases.push_back({separately, "", kChunkBytes, separate, kInput});
  cases.push_back({"chunk 64³ u16 big-endian [2,1,0] blosc lz4 into 256³, fused", separately,
                   kChunkBytes, fused, kInput});
}

}  // namespace zw::bench
