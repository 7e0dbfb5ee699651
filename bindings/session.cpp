#include "session.hpp"

#include <algorithm>
#include <new>

namespace zw {
namespace {

uintptr_t addressOf(Buffer& buffer, size_t bytes) {
  // At least one byte, so that 0 always means failure.
  if (buffer.reserve(std::max<size_t>(1, bytes))) return 0;
  return reinterpret_cast<uintptr_t>(buffer.data());
}

}  // namespace

Session::Session(double maxChunkBytes)
    : maxChunkBytes_(maxChunkBytes >= 1 && maxChunkBytes <= 0x7fffffff
                         ? static_cast<uint64_t>(maxChunkBytes)
                         : kDefaultMaxChunkBytes) {
  // Codecs size scratch by the chunk or by what compresses to it, never by more than twice that.
  const uint64_t scratch = 2 * maxChunkBytes_ + (1 << 20);
  work_.setScratchLimit(static_cast<size_t>(std::min<uint64_t>(scratch, SIZE_MAX / 2)));
}

Session::~Session() {
  for (Plan* plan : plans_) delete plan;
}

uintptr_t Session::reserveInput(uint32_t bytes) {
  return addressOf(input_, bytes);
}

uintptr_t Session::reserveOutput(uint32_t bytes) {
  return addressOf(output_, bytes);
}

uintptr_t Session::reserveWords(uint32_t count) {
  if (count > kMaxPlanWords) return 0;
  const uintptr_t address = addressOf(words_, size_t{4} * count);
  wordCount_ = address ? count : 0;
  return address;
}

uint32_t Session::finish(ChainStatus status) {
  error_ = status;
  return errorCode();
}

int32_t Session::prepare(uint32_t count) {
  const auto slot = std::find(plans_, plans_ + kMaxPlans, nullptr);
  if (slot == plans_ + kMaxPlans) return static_cast<void>(finish({Code::LimitExceeded})), -1;
  if (count > wordCount_) return static_cast<void>(finish({Code::BadPlan})), -1;
  Plan* plan = new (std::nothrow) Plan();
  if (!plan) return static_cast<void>(finish({Code::OutOfMemory})), -1;
  const auto* words = reinterpret_cast<const uint32_t*>(words_.data());
  if (finish(plan->prepare({words, count}, maxChunkBytes_)) != 0) {
    delete plan;
    return -1;
  }
  *slot = plan;
  return static_cast<int32_t>(slot - plans_);
}

void Session::release(uint32_t plan) {
  if (!planOf(plan)) return;
  delete plans_[plan];
  plans_[plan] = nullptr;
}

uint32_t Session::decodedBytes(uint32_t plan) const {
  const Plan* p = planOf(plan);
  return p ? static_cast<uint32_t>(p->array().bytes()) : 0;
}

uint32_t Session::decode(uint32_t plan, uint32_t bytes) {
  const Plan* p = planOf(plan);
  if (!p || bytes > input_.capacity()) return finish({Code::BadPlan});
  const size_t decoded = p->array().bytes();
  if (Status s = output_.reserve(decoded)) return finish({s});
  ByteView result;
  const uint32_t code = finish(
      zw::decodeChunk(*p, input_.first(bytes), output_.first(decoded), stages_, work_, result));
  outputBytes_ = static_cast<uint32_t>(result.size());
  return code;
}

bool Session::slabOf(uint32_t number, ByteSpan& slab) {
  if (number == 0 || number > kMaxSlabs || !slabs_[number - 1].data()) return false;
  slab = slabs_[number - 1].first(slabs_[number - 1].capacity());
  return true;
}

/// Reads the placement in the words; false where it does not fit the plan or names no slab.
bool Session::readPlacement(const Plan& plan, PlacementAxis* axes, Placement& placement,
                            ByteSpan& slab) {
  const uint32_t rank = plan.array().rank;
  if (wordCount_ < 3 + 4 * rank) return false;
  const auto* words = reinterpret_cast<const uint32_t*>(words_.data());
  if (words[2] != rank) return false;  // the words behind would be those of another placement
  if (!slabOf(words[0], slab)) return false;
  for (uint32_t i = 0; i < rank; i++) {
    const uint32_t* axis = words + 3 + 4 * i;
    axes[i] = {axis[0], axis[1], axis[2], axis[3]};
  }
  placement = {{axes, rank}, words[1]};
  return true;
}

uint32_t Session::decodePlaced(uint32_t plan, uint32_t bytes) {
  const Plan* p = planOf(plan);
  PlacementAxis axes[kMaxRank];
  Placement placement;
  ByteSpan slab;
  if (!p || bytes > input_.capacity()) return finish({Code::BadPlan});
  if (!readPlacement(*p, axes, placement, slab)) return finish({Code::BadPlacement});
  return finish(zw::decodePlaced(*p, input_.first(bytes), placement, slab, stages_, work_));
}

uint32_t Session::fillPlaced(uint32_t plan) {
  const Plan* p = planOf(plan);
  PlacementAxis axes[kMaxRank];
  Placement placement;
  ByteSpan slab;
  if (!p) return finish({Code::BadPlan});
  if (!readPlacement(*p, axes, placement, slab)) return finish({Code::BadPlacement});
  return finish({zw::fillPlaced(*p, placement, slab)});
}

uint32_t Session::encodePlaced(uint32_t plan) {
  const Plan* p = planOf(plan);
  PlacementAxis axes[kMaxRank];
  Placement placement;
  ByteSpan slab;
  if (!p) return finish({Code::BadPlan});
  if (!readPlacement(*p, axes, placement, slab)) return finish({Code::BadPlacement});
  const size_t room = p->encodedSize().bytes;
  if (Status s = output_.reserve(room)) return finish({s});
  ByteView result;
  const uint32_t code =
      finish(zw::encodePlaced(*p, slab, placement, output_.first(room), stages_, work_, result));
  outputBytes_ = static_cast<uint32_t>(result.size());
  return code;
}

uint32_t Session::isFillPlaced(uint32_t plan) {
  constexpr uint32_t kFailed = 2;
  const Plan* p = planOf(plan);
  PlacementAxis axes[kMaxRank];
  Placement placement;
  ByteSpan slab;
  if (!p) return static_cast<void>(finish({Code::BadPlan})), kFailed;
  if (!readPlacement(*p, axes, placement, slab)) {
    return static_cast<void>(finish({Code::BadPlacement})), kFailed;
  }
  bool isFill = false;
  if (finish({zw::isFillPlaced(*p, placement, slab, isFill)}) != 0) return kFailed;
  return isFill ? 1 : 0;
}

uint32_t Session::encode(uint32_t plan, uint32_t bytes) {
  const Plan* p = planOf(plan);
  if (!p || bytes > input_.capacity()) return finish({Code::BadPlan});
  const size_t room = p->encodedSize().bytes;
  if (Status s = output_.reserve(room)) return finish({s});
  ByteView result;
  const uint32_t code =
      finish(encodeChunk(*p, input_.first(bytes), output_.first(room), stages_, work_, result));
  outputBytes_ = static_cast<uint32_t>(result.size());
  return code;
}

#ifdef ZW_FULL_MODULE

namespace {

/// Bytes of a frame that are decoded at a time: what libzstd takes for a block.
constexpr size_t kFramePiece = 128 << 10;

}  // namespace

uint32_t Session::startFrame(uint32_t dictionaryBytes) {
  if (dictionaryBytes > input_.capacity()) return finish({Code::BadPlan});
  return finish({frame_.start(input_.first(dictionaryBytes)), 0});
}

uint32_t Session::feedFrame(uint32_t bytes) {
  if (bytes > input_.capacity()) return finish({Code::BadPlan});
  return finish({frame_.feed(input_.first(bytes)), 0});
}

uint32_t Session::readFrame() {
  outputBytes_ = 0;
  if (Status s = output_.reserve(kFramePiece)) return finish({s});
  size_t made = 0;
  const uint32_t code = finish({frame_.read(output_.first(kFramePiece), made), 0});
  if (code == 0) outputBytes_ = static_cast<uint32_t>(made);
  return code;
}

uint32_t Session::endFrame() {
  return finish({frame_.end(), 0});
}

#endif  // ZW_FULL_MODULE

uint32_t Session::makeSlab(uint32_t bytes) {
  for (uint32_t i = 0; i < kMaxSlabs; i++) {
    if (!slabs_[i].data()) return addressOf(slabs_[i], bytes) ? i + 1 : 0;
  }
  return 0;
}

uintptr_t Session::slabAddress(uint32_t slab) const {
  if (slab == 0 || slab > kMaxSlabs) return 0;
  return reinterpret_cast<uintptr_t>(slabs_[slab - 1].data());
}

void Session::freeSlab(uint32_t slab) {
  if (slab != 0 && slab <= kMaxSlabs) slabs_[slab - 1].release();
}

void Session::trim() {
  input_.release();
  output_.release();
  words_.release();
  wordCount_ = 0;
  stages_.release();
  work_.releaseAll();
#ifdef ZW_FULL_MODULE
  frame_.release();
#endif
}

}  // namespace zw
