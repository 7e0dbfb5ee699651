// Embind registration, and nothing else. web/src/engine/session.ts is the only user.
//
// decode and encode take and return typed arrays. All other functions take and return numbers, which
// need no objects (docs/adr/0008-what-crosses-embind.md).
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include "session.hpp"

/// Copies the bytes of a Uint8Array into memory that has room for them (typed_arrays.js).
extern "C" void zwCopyBytes(emscripten::EM_VAL array, uint8_t* to);

namespace {

// Lists of the core, so that TypeScript can compare its copies with them. Strings are returned as
// addresses of zero-terminated ASCII.
uintptr_t statusName(uint32_t code) {
  return reinterpret_cast<uintptr_t>(zw::statusName(code));
}
uintptr_t statusMessage(uint32_t code) {
  return reinterpret_cast<uintptr_t>(zw::statusMessage(code));
}
uintptr_t statusTag(uint32_t code) {
  return reinterpret_cast<uintptr_t>(zw::statusTag(code));
}
uintptr_t codecName(uint32_t id) {
  return reinterpret_cast<uintptr_t>(zw::codecName(id));
}
uint32_t hasCodec(uint32_t id) {
  return zw::findCodec(id) ? 1 : 0;
}
uintptr_t dtypeName(uint32_t id) {
  const zw::DTypeInfo* info = zw::dtypeInfo(id);
  return reinterpret_cast<uintptr_t>(info ? info->name : "");
}
uint32_t dtypeItemBytes(uint32_t id) {
  const zw::DTypeInfo* info = zw::dtypeInfo(id);
  return info ? info->itemBytes : 0;
}
uint32_t dtypeComponentBytes(uint32_t id) {
  const zw::DTypeInfo* info = zw::dtypeInfo(id);
  return info ? info->componentBytes : 0;
}

/// The session of this instance of the module; never destroyed.
zw::Session* session = nullptr;

/// Creates the session. Must be called once, before the functions below.
void start(uint32_t maxChunkBytes) {
  session = new zw::Session(maxChunkBytes);
}

/// A method of Session as a function that calls it on the session.
template <auto method>
struct Call;
template <typename Result, typename... Arguments, Result (zw::Session::*method)(Arguments...)>
struct Call<method> {
  static Result run(Arguments... arguments) { return (session->*method)(arguments...); }
};
template <typename Result, typename... Arguments, Result (zw::Session::*method)(Arguments...) const>
struct Call<method> {
  static Result run(Arguments... arguments) { return (session->*method)(arguments...); }
};

using emscripten::val;

/// Runs a method on the bytes of a Uint8Array. Returns a view of the output, which is valid until
/// the next call; null after a failure (see errorCode).
val run(uint32_t (zw::Session::*method)(uint32_t, uint32_t), uint32_t plan, const val& input,
        uint32_t bytes) {
  auto* memory = reinterpret_cast<uint8_t*>(session->reserveInput(bytes));
  if (!memory) return val::null();
  if (bytes > 0) zwCopyBytes(input.as_handle(), memory);
  if ((session->*method)(plan, bytes) != 0) return val::null();
  const auto* output = reinterpret_cast<const uint8_t*>(session->outputAddress());
  return val(emscripten::typed_memory_view(session->outputBytes(), output));
}

val decode(uint32_t plan, val encoded, uint32_t bytes) {
  return run(&zw::Session::decode, plan, encoded, bytes);
}
val encode(uint32_t plan, val decoded, uint32_t bytes) {
  return run(&zw::Session::encode, plan, decoded, bytes);
}

}  // namespace

EMSCRIPTEN_BINDINGS(zarr_wasm) {
  using emscripten::function;
  using zw::Session;

  function("statusName", &statusName);
  function("statusMessage", &statusMessage);
  function("statusTag", &statusTag);
  function("codecName", &codecName);
  function("hasCodec", &hasCodec);
  function("dtypeName", &dtypeName);
  function("dtypeItemBytes", &dtypeItemBytes);
  function("dtypeComponentBytes", &dtypeComponentBytes);

  function("start", &start);
  function("reserveInput", &Call<&Session::reserveInput>::run);
  function("reserveWords", &Call<&Session::reserveWords>::run);
  function("prepare", &Call<&Session::prepare>::run);
  function("release", &Call<&Session::release>::run);
  function("decodedBytes", &Call<&Session::decodedBytes>::run);
  function("decode", &decode);
  function("placeChunks", &Call<&Session::placeChunks>::run);
  function("encode", &encode);
#ifdef ZW_RARE_CODECS
  // In images.wasm only to report EncodeUnsupported:
  function("encodePlaced", &Call<&Session::encodePlaced>::run);
  function("isFillPlaced", &Call<&Session::isFillPlaced>::run);
  function("accumulate", &Call<&Session::accumulate>::run);
  function("mergeState", &Call<&Session::mergeState>::run);
  function("histogram", &Call<&Session::histogram>::run);
#endif
#ifdef ZW_FULL_MODULE
  function("reduce", &Call<&Session::reduce>::run);
  // Frames piece by piece.
  function("startFrame", &Call<&Session::startFrame>::run);
  function("feedFrame", &Call<&Session::feedFrame>::run);
  function("readFrame", &Call<&Session::readFrame>::run);
  function("endFrame", &Call<&Session::endFrame>::run);
#endif
  function("outputAddress", &Call<&Session::outputAddress>::run);
  function("outputBytes", &Call<&Session::outputBytes>::run);
  function("makeSlab", &Call<&Session::makeSlab>::run);
  function("slabAddress", &Call<&Session::slabAddress>::run);
  function("freeSlab", &Call<&Session::freeSlab>::run);
  function("errorCode", &Call<&Session::errorCode>::run);
  function("errorStep", &Call<&Session::errorStep>::run);
  function("errorAt", &Call<&Session::errorAt>::run);
}
