// Implements the public C++ header: translates names to numbers and pointers to views, and checks
// every size before it reaches the core.
#include "zarr_wasm/core.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "chain/run.hpp"
#include "codecs/codec.hpp"

namespace zarr_wasm {

namespace detail {

class PlanState {
 public:
  zw::Plan plan;
  uint64_t maxChunkBytes = 0;
};

class CoderState {
 public:
  zw::StageBuffers stages;
  zw::Workspace work;
};

uint32_t codecId(const char* name, size_t length) {
  for (uint32_t id = 0;; id++) {
    const char* known = zw::codecName(id);
    if (*known == 0) return kUnknown;
    if (std::strlen(known) == length && std::memcmp(known, name, length) == 0) return id;
  }
}

DType dtype(const char* name, size_t length) {
  for (uint32_t id = 0;; id++) {
    const zw::DTypeInfo* info = zw::dtypeInfo(id);
    if (!info) return {kUnknown, 0, 0};
    if (std::strlen(info->name) == length && std::memcmp(info->name, name, length) == 0) {
      return {id, info->itemBytes, info->componentBytes};
    }
  }
}

namespace {

Status toStatus(zw::ChainStatus status) {
  return {static_cast<uint32_t>(status.status.code), status.status.at, status.step};
}

Status failure(zw::Code code) {
  return {static_cast<uint32_t>(code), 0, Status::kNoCodec};
}

/// Converts a region to the core's axes; false if its rank is not that of the plan's chunks.
bool toPlacement(const zw::Plan& plan, const Axis* region, size_t rank, zw::PlacementAxis* axes) {
  if (rank != plan.array().rank) return false;
  for (size_t i = 0; i < rank; i++) {
    axes[i] = {region[i].start, region[i].step, region[i].count, region[i].stride};
  }
  return true;
}

}  // namespace
}  // namespace detail

using detail::failure;
using detail::toStatus;

const char* version() {
  return ZW_VERSION;
}

const char* Status::name() const {
  return zw::statusName(code_);
}

const char* Status::message() const {
  return zw::statusMessage(code_);
}

// Out of line, since the states are incomplete types in the header.
Plan::Plan() noexcept = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;
Coder::Coder() noexcept = default;
Coder::Coder(Coder&&) noexcept = default;
Coder& Coder::operator=(Coder&&) noexcept = default;
Coder::~Coder() = default;

Status Plan::prepare(const uint32_t* words, size_t count, uint64_t maxChunkBytes) {
  std::unique_ptr<detail::PlanState> made(new (std::nothrow) detail::PlanState());
  if (!made) return failure(zw::Code::OutOfMemory);
  made->maxChunkBytes = maxChunkBytes = std::min<uint64_t>(maxChunkBytes, INT32_MAX);
  const zw::ChainStatus status = made->plan.prepare({words, count}, maxChunkBytes);
  if (status) return toStatus(status);
  state_ = std::move(made);
  return {};
}

size_t Plan::decodedBytes() const {
  return state_ ? state_->plan.array().bytes() : 0;
}

size_t Plan::encodedBound() const {
  return state_ ? state_->plan.encodedSize().bytes : 0;
}

detail::CoderState* Coder::state() {
  if (!state_) state_.reset(new (std::nothrow) detail::CoderState());
  return state_.get();
}

void Coder::trim() {
  if (!state_) return;
  state_->stages.release();
  state_->work.releaseAll();
}

Status Coder::decode(const Plan& plan, const uint8_t* encoded, size_t encodedSize, uint8_t* out,
                     size_t outSize) {
  if (!plan.state_) return failure(zw::Code::BadPlan);
  if (outSize != plan.decodedBytes()) return failure(zw::Code::BadPlacement);
  detail::CoderState* s = state();
  if (!s) return failure(zw::Code::OutOfMemory);
  s->work.setChunkLimit(plan.state_->maxChunkBytes);
  zw::ByteView result;
  return toStatus(zw::decodeChunk(plan.state_->plan, {encoded, encodedSize}, {out, outSize},
                                  s->stages, s->work, result));
}

Status Coder::decodeRegion(const Plan& plan, const uint8_t* encoded, size_t encodedSize,
                           const Axis* region, size_t rank, uint8_t* array, size_t arraySize,
                           size_t offset) {
  if (!plan.state_) return failure(zw::Code::BadPlan);
  zw::PlacementAxis axes[zw::kMaxRank];
  if (!detail::toPlacement(plan.state_->plan, region, rank, axes)) {
    return failure(zw::Code::BadPlacement);
  }
  detail::CoderState* s = state();
  if (!s) return failure(zw::Code::OutOfMemory);
  s->work.setChunkLimit(plan.state_->maxChunkBytes);
  return toStatus(zw::decodePlaced(plan.state_->plan, {encoded, encodedSize},
                                   {{axes, rank}, offset}, {array, arraySize}, s->stages, s->work));
}

Status Coder::fill(const Plan& plan, const Axis* region, size_t rank, uint8_t* array,
                   size_t arraySize, size_t offset) {
  if (!plan.state_) return failure(zw::Code::BadPlan);
  zw::PlacementAxis axes[zw::kMaxRank];
  if (!detail::toPlacement(plan.state_->plan, region, rank, axes)) {
    return failure(zw::Code::BadPlacement);
  }
  return toStatus({zw::fillPlaced(plan.state_->plan, {{axes, rank}, offset}, {array, arraySize})});
}

Status Coder::encode(const Plan& plan, const uint8_t* decoded, size_t decodedSize, uint8_t* out,
                     size_t outSize, size_t& size) {
  size = 0;
  if (!plan.state_) return failure(zw::Code::BadPlan);
  const zw::Plan& p = plan.state_->plan;
  if (decodedSize != p.array().bytes() || outSize < p.encodedSize().bytes) {
    return failure(zw::Code::BadPlacement);
  }
  detail::CoderState* s = state();
  if (!s) return failure(zw::Code::OutOfMemory);
  s->work.setChunkLimit(plan.state_->maxChunkBytes);
  zw::ByteView result;
  const zw::ChainStatus status = zw::encodeChunk(
      p, {decoded, decodedSize}, {out, p.encodedSize().bytes}, s->stages, s->work, result);
  if (status) return toStatus(status);
  size = result.size();
  return {};
}

}  // namespace zarr_wasm
