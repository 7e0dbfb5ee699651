// Emscripten library: Embind's types that bindings.cpp does not use. Embind registers them all when a module
// starts; registering nothing keeps their conversions out of the glue.
function nothing() {}

const types = ["emval", "memory_view", "std_string", "std_wstring"];
const library = Object.fromEntries(types.map((type) => [`_embind_register_${type}`, nothing]));
// biome-ignore lint/correctness/noUndeclaredVariables: Emscripten has both where it runs this file
mergeInto(LibraryManager.library, library);
