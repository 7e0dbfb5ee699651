// Emscripten library: stubs for Embind types that bindings.cpp does not use, the copy of a typed array, and functions of
// numbers (src/base/math.hpp). Embind
// registers all types when a module starts; the stubs keep their conversions out of the glue. The copy takes one call,
// where `val` would look up the name of a method first.
function nothing() {}

/** A declaration, because Emscripten 3.1.6 copies no arrow functions. */
function zwCopyBytes(array, to) {
  // biome-ignore lint/correctness/noUndeclaredVariables: variables of the glue, into which this function is copied
  HEAPU8.set(Emval.toValue(array), to);
}

const types = ["bool", "float", "std_string", "std_wstring"];
const library = Object.fromEntries(types.map((type) => [`_embind_register_${type}`, nothing]));
library.zwCopyBytes__deps = ["$Emval"];
library.zwCopyBytes = zwCopyBytes;
// As values, not functions of the glue: engines call these without JavaScript in between.
for (const name of ["Exp", "Log", "Log10", "Sin", "Cos", "Pow"])
  library[`zw${name}`] = `=Math.${name.toLowerCase()}`;
// biome-ignore lint/correctness/noUndeclaredVariables: Emscripten has both where it runs this file
mergeInto(LibraryManager.library, library);
