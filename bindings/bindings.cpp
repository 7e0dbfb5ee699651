// Embind registration, and nothing else. web/src/engine/session.ts is the one user.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <string>

#include "session.hpp"

namespace {

using emscripten::val;

/// All of the module's memory as a Uint8Array. A loan: it has length 0 after the memory has grown.
val heap() {
  const size_t bytes = __builtin_wasm_memory_size(0) * size_t{65536};
  return val(emscripten::typed_memory_view(bytes, reinterpret_cast<uint8_t*>(0)));
}

// Name lists of the core, so that TypeScript can compare its mirrors with them.
std::string statusName(uint32_t code) {
  return zw::statusName(code);
}
std::string statusMessage(uint32_t code) {
  return zw::statusMessage(code);
}
std::string codecName(uint32_t id) {
  return zw::codecName(id);
}
bool hasCodec(uint32_t id) {
  return zw::codecOf(id) != nullptr;
}
std::string dtypeName(uint32_t id) {
  const zw::DTypeInfo* info = zw::dtypeInfo(id);
  return info ? info->name : "";
}
uint32_t dtypeItemBytes(uint32_t id) {
  const zw::DTypeInfo* info = zw::dtypeInfo(id);
  return info ? info->itemBytes : 0;
}
uint32_t dtypeComponentBytes(uint32_t id) {
  const zw::DTypeInfo* info = zw::dtypeInfo(id);
  return info ? info->componentBytes : 0;
}

}  // namespace

EMSCRIPTEN_BINDINGS(zarr_wasm) {
  using emscripten::class_;
  using emscripten::function;
  using zw::Session;

  function("heap", &heap);
  function("statusName", &statusName);
  function("statusMessage", &statusMessage);
  function("codecName", &codecName);
  function("hasCodec", &hasCodec);
  function("dtypeName", &dtypeName);
  function("dtypeItemBytes", &dtypeItemBytes);
  function("dtypeComponentBytes", &dtypeComponentBytes);

  class_<Session>("Session")
      .constructor<double>()
      .function("reserveInput", &Session::reserveInput)
      .function("reserveOutput", &Session::reserveOutput)
      .function("reserveWords", &Session::reserveWords)
      .function("prepare", &Session::prepare)
      .function("release", &Session::release)
      .function("decodedBytes", &Session::decodedBytes)
      .function("decode", &Session::decode)
      .function("decodePlaced", &Session::decodePlaced)
      .function("fillPlaced", &Session::fillPlaced)
      .function("encode", &Session::encode)
      .function("outputAddress", &Session::outputAddress)
      .function("outputBytes", &Session::outputBytes)
      .function("makeSlab", &Session::makeSlab)
      .function("slabAddress", &Session::slabAddress)
      .function("freeSlab", &Session::freeSlab)
      .function("errorCode", &Session::errorCode)
      .function("errorStep", &Session::errorStep)
      .function("errorAt", &Session::errorAt)
      .function("trim", &Session::trim);
}
