// Emscripten library: stubs for Embind types that bindings.cpp does not use. Embind registers all types when a
// module starts; the stubs keep their conversions out of the glue.
function nothing() {}

const types = ["emval", "memory_view", "std_string", "std_wstring"];
const library = Object.fromEntries(types.map((type) => [`_embind_register_${type}`, nothing]));
// biome-ignore lint/correctness/noUndeclaredVariables: Emscripten has both where it runs this file
mergeInto(LibraryManager.library, library);
