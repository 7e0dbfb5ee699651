# decode.wasm, full.wasm and images.wasm, each with its Embind glue as an ES module. The glue never fetches the
# .wasm file: web/src/engine/engine.ts instantiates it.
set(ZW_LINK_FLAGS
  -O3 --bind -fno-exceptions -fno-rtti
  -sMODULARIZE=1 -sEXPORT_ES6=1
  # The glue loads no files, so it runs unchanged in pages, workers, Node and Deno.
  -sENVIRONMENT=web -sINCOMING_MODULE_JS_API=instantiateWasm,locateFile
  -sEXPORTED_RUNTIME_METHODS=HEAPU8
  --js-library ${CMAKE_CURRENT_SOURCE_DIR}/bindings/typed_arrays.js
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2147483648 -sABORTING_MALLOC=0 -sMALLOC=emmalloc
  -sDYNAMIC_EXECUTION=0      # no eval or new Function, for strict Content Security Policies
  -sFILESYSTEM=0 -sSUPPORT_ERRNO=0
  # Binaryen inlines functions with a single caller, producing huge functions that V8 compiles poorly. Limiting that
  # gains up to 40 % decode speed (docs/compile-flags.md).
  -sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=1)

function(zw_add_module name core)
  add_executable(${name} bindings/bindings.cpp bindings/no_printf.cpp bindings/session.cpp)
  target_link_libraries(${name} PRIVATE ${core} zw_own_flags)
  target_compile_definitions(${name} PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
  target_link_options(${name} PRIVATE ${ZW_LINK_FLAGS})
  set_target_properties(${name} PROPERTIES SUFFIX .mjs
    LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bindings/typed_arrays.js)
endfunction()

zw_add_module(decode zw_core_decode)
zw_add_module(full zw_core_full)
zw_add_module(images zw_core_images)
