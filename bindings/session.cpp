#include "session.hpp"

#include <algorithm>
#include <new>

namespace zw {
namespace {

/// Makes room for `bytes` bytes and returns their address; 0 if out of memory.
uintptr_t reserve(Buffer& buffer, size_t bytes) {
  // At least one byte, so that 0 always means failure.
  if (buffer.reserve(std::max<size_t>(1, bytes))) return 0;
  return reinterpret_cast<uintptr_t>(buffer.data());
}

}  // namespace

Session::Session(uint32_t maxChunkBytes)
    : maxChunkBytes_(maxChunkBytes >= 1 && maxChunkBytes <= 0x7fffffff ? maxChunkBytes
                                                                       : kDefaultMaxChunkBytes) {
  work_.setChunkLimit(maxChunkBytes_);
}

uintptr_t Session::reserveInput(uint32_t bytes) {
  const uintptr_t address = reserve(input_, bytes);
  if (!address) finish({Code::OutOfMemory});
  return address;
}

uintptr_t Session::reserveWords(uint32_t count) {
  if (count > kMaxPlanWords) return 0;
  const uintptr_t address = reserve(words_, size_t{4} * count);
  wordCount_ = address ? count : 0;
  return address;
}

uint32_t Session::finish(ChainStatus status) {
  error_ = status;
  return errorCode();
}

/// Also sets the size of the output.
uint32_t Session::finish(ChainStatus status, ByteView output) {
  outputBytes_ = static_cast<uint32_t>(output.size());
  return finish(status);
}

/// Prepares a plan from the first `count` words and stores it; `plan` is its number.
ChainStatus Session::addPlan(uint32_t count, uint32_t& plan) {
  const auto slot = std::find(plans_, plans_ + kMaxPlans, nullptr);
  if (slot == plans_ + kMaxPlans) return {Code::LimitExceeded};
  if (count > wordCount_) return {Code::BadPlan};
  slot->reset(new (std::nothrow) Plan());
  if (!*slot) return {Code::OutOfMemory};
  const auto* words = reinterpret_cast<const uint32_t*>(words_.data());
  const ChainStatus status = (*slot)->prepare({words, count}, maxChunkBytes_);
  if (status) slot->reset();
  plan = static_cast<uint32_t>(slot - plans_);
  return status;
}

int32_t Session::prepare(uint32_t count) {
  uint32_t plan = 0;
  return finish(addPlan(count, plan)) == 0 ? static_cast<int32_t>(plan) : -1;
}

void Session::release(uint32_t plan) {
  if (plan < kMaxPlans) plans_[plan].reset();
}

uint32_t Session::decodedBytes(uint32_t plan) const {
  const Plan* p = findPlan(plan);
  return p ? static_cast<uint32_t>(p->array().bytes()) : 0;
}

uint32_t Session::decode(uint32_t plan, uint32_t bytes) {
  const Plan* p = findPlan(plan);
  if (!p || bytes > input_.capacity()) return finish({Code::BadPlan});
  const size_t decoded = p->array().bytes();
  if (Status s = output_.reserve(decoded)) return finish({s});
  ByteView result;
  const ChainStatus status =
      zw::decodeChunk(*p, input_.first(bytes), output_.first(decoded), stages_, work_, result);
  return finish(status, result);
}

bool Session::findSlab(uint32_t slab, ByteSpan& bytes) const {
  if (slab == 0 || slab > kMaxSlabs || !slabs_[slab - 1].data()) return false;
  bytes = slabs_[slab - 1].first(slabs_[slab - 1].capacity());
  return true;
}

/// Finds the plan and the slab of placements; BadPlacement if they do not fit the plan or name no
/// slab.
Code Session::readTarget(uint32_t plan, Target& target) const {
  constexpr uint32_t kHead = 2;
  target.plan = findPlan(plan);
  if (!target.plan) return Code::BadPlan;
  if (wordCount_ < kHead) return Code::BadPlacement;
  const auto* words = reinterpret_cast<const uint32_t*>(words_.data());
  // A placement for another array, or no slab.
  if (words[1] != target.plan->array().rank || !findSlab(words[0], target.slab)) {
    return Code::BadPlacement;
  }
  target.words = {words + kHead, wordCount_ - kHead};
  return Code::Ok;
}

/// Reads the next placement in the words.
Code Session::readPlacement(Target& target) {
  constexpr uint32_t kHead = 3;
  const uint32_t rank = target.plan->array().rank;
  const uint32_t size = kHead + 4 * rank;
  const std::span<const uint32_t> words = target.words;
  if (words.size() < size) return Code::BadPlacement;
  for (uint32_t i = 0; i < rank; i++) {
    const uint32_t* axis = words.data() + kHead + 4 * i;
    target.axes[i] = {axis[0], axis[1], axis[2], axis[3]};
  }
  target.position = words[0];
  target.bytes = words[1];
  target.placement = {{target.axes, rank}, words[2]};
  target.words = words.subspan(size);
  return Code::Ok;
}

/// Reads the next placement, and decodes its chunk or writes the fill value there.
ChainStatus Session::placeNext(Target& t, ByteView input) {
  constexpr uint32_t kMissing = 0xffffffff;
  if (Code c = readPlacement(t); c != Code::Ok) return {c};
  if (t.bytes == kMissing) return {zw::fillPlaced(*t.plan, t.placement, t.slab)};
  if (t.position > input.size() || t.bytes > input.size() - t.position) return {Code::BadPlan};
  const ByteView encoded = input.subspan(t.position, t.bytes);
  return zw::decodePlaced(*t.plan, encoded, t.placement, t.slab, stages_, work_);
}

uint32_t Session::placeChunks(uint32_t plan, uint32_t count, uint32_t bytes) {
  Target t;
  ChainStatus status = {bytes > input_.capacity() ? Code::BadPlan : readTarget(plan, t)};
  for (; !status && count > 0; count--) status = placeNext(t, input_.first(bytes));
  return finish(status);
}

uint32_t Session::encodePlaced(uint32_t plan) {
  Target t;
  Code code = readTarget(plan, t);
  if (code == Code::Ok) code = readPlacement(t);
  if (code != Code::Ok) return finish({code});
  const size_t room = t.plan->encodedSize().bytes;
  if (Status s = output_.reserve(room)) return finish({s});
  ByteView result;
  const ChainStatus status =
      zw::encodePlaced(*t.plan, t.slab, t.placement, output_.first(room), stages_, work_, result);
  return finish(status, result);
}

uint32_t Session::isFillPlaced(uint32_t plan) {
  constexpr uint32_t kFailed = 2;
  Target t;
  bool isFill = false;
  Status status = readTarget(plan, t);
  if (!status) status = readPlacement(t);
  if (!status) status = zw::isFillPlaced(*t.plan, t.placement, t.slab, isFill);
  if (finish({status}) != 0) return kFailed;
  return isFill ? 1 : 0;
}

uint32_t Session::encode(uint32_t plan, uint32_t bytes) {
  const Plan* p = findPlan(plan);
  if (!p || bytes > input_.capacity()) return finish({Code::BadPlan});
  const size_t room = p->encodedSize().bytes;
  if (Status s = output_.reserve(room)) return finish({s});
  ByteView result;
  const ChainStatus status =
      encodeChunk(*p, input_.first(bytes), output_.first(room), stages_, work_, result);
  return finish(status, result);
}

#ifdef ZW_FULL_MODULE

/// Reads and checks the reduction in the words.
Status Session::readReduction(BlockReduction& reduction) const {
  constexpr uint32_t kHead = 5;
  const auto* words = reinterpret_cast<const uint32_t*>(words_.data());
  if (wordCount_ < kHead) return Code::BadParameters;
  const uint32_t rank = words[4];
  if (words[0] > static_cast<uint32_t>(Reduction::Mode) ||
      words[1] > static_cast<uint32_t>(Number::Float64) || words[2] > 1 || rank > kMaxRank ||
      wordCount_ < kHead + 2 * rank) {
    return Code::BadParameters;
  }
  ReduceAxis axes[kMaxRank];
  for (uint32_t i = 0; i < rank; i++) {
    axes[i] = {words[kHead + 2 * i], words[kHead + 2 * i + 1]};
  }
  return prepareReduction(static_cast<Reduction>(words[0]),
                          {static_cast<Number>(words[1]), words[2] == 1, words[3]}, {axes, rank},
                          reduction);
}

uint32_t Session::reduce(uint32_t bytes) {
  BlockReduction reduction;
  Status status = readReduction(reduction);
  if (!status && (bytes > input_.capacity() || bytes != reduction.sourceBytes)) {
    status = Code::BadPlacement;
  }
  if (!status) status = output_.reserve(reduction.resultBytes);
  if (status) return finish({status});
  runReduction(reduction, input_.data(), output_.data());
  return finish({}, output_.first(reduction.resultBytes));
}

namespace {

/// Bytes that are decoded at a time: a block of zstd holds no more.
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

#ifdef ZW_RARE_CODECS

/// Finds the two slabs that the first words name.
Status Session::findBoxes(WordReader& words, ByteSpan& box, ByteSpan& state) const {
  const uint32_t from = words.next(), into = words.next();
  if (from == into || !findSlab(from, box) || !findSlab(into, state)) return Code::BadPlacement;
  return {};
}

Status Session::addToState(uint32_t bytes) {
  WordReader words = kernelWords();
  ByteSpan box, state;
  Accumulation request;
  if (bytes > input_.capacity()) return Code::BadPlacement;
  if (Status s = findBoxes(words, box, state)) return s;
  if (Status s = readAccumulation(words, input_.first(bytes), request)) return s;
  if (request.boxBytes > box.size() || request.form.bytes() > state.size()) {
    return Code::BadPlacement;
  }
  runAccumulation(request, box.data(), reinterpret_cast<uint64_t*>(state.data()));
  return {};
}

Status Session::addState(uint32_t bytes) {
  WordReader words = kernelWords();
  ByteSpan state;
  StateForm form;
  if (bytes > input_.capacity() || !findSlab(words.next(), state)) return Code::BadPlacement;
  if (Status s = readStateForm(words, form)) return s;
  if (!words.atEnd()) return Code::BadParameters;
  if (form.bytes() > state.size() || (bytes > 0 && bytes != form.bytes())) {
    return Code::BadPlacement;
  }
  auto* into = reinterpret_cast<uint64_t*>(state.data());
  if (bytes == 0) {
    clearState(form, into);
  } else {
    mergeStates(form, reinterpret_cast<const uint64_t*>(input_.data()), into);
  }
  return {};
}

Status Session::addToHistogram(uint32_t bytes) {
  WordReader words = kernelWords();
  ByteSpan box, counts;
  Histogram request;
  if (bytes > input_.capacity()) return Code::BadPlacement;
  if (Status s = findBoxes(words, box, counts)) return s;
  if (Status s = readHistogram(words, input_.first(bytes), request)) return s;
  if (request.count > box.size() / numberBytes(request.rule.number) ||
      request.bins > counts.size() / sizeof(double)) {
    return Code::BadPlacement;
  }
  runHistogram(request, box.data(), reinterpret_cast<double*>(counts.data()));
  return {};
}

uint32_t Session::accumulate(uint32_t bytes) {
  return finish({addToState(bytes)});
}

uint32_t Session::mergeState(uint32_t bytes) {
  return finish({addState(bytes)});
}

uint32_t Session::histogram(uint32_t bytes) {
  return finish({addToHistogram(bytes)});
}

#endif  // ZW_RARE_CODECS

uint32_t Session::makeSlab(uint32_t bytes) {
  for (uint32_t i = 0; i < kMaxSlabs; i++) {
    if (!slabs_[i].data()) return reserve(slabs_[i], bytes) ? i + 1 : 0;
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

}  // namespace zw
