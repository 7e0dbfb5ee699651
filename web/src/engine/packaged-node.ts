/** packaged.ts in the bundles for Node: files are read. */
import type { WasmModule } from "../base/web-types.js";
import { compileSource, type ModuleName } from "./compile.js";
import { compileEmbedded } from "./embedded.js";

export { glue } from "./packaged.js";

/** Compiles a module: from its file, or, where a bundler has left that behind, from its copy in a script. */
export function packagedModule(name: ModuleName): Promise<WasmModule> {
  // A name of its own: `new URL(…, import.meta.url)` is an asset of the page to webpack, also in code for a server.
  const here = import.meta.url;
  return compileEmbedded(name, () => compileSource(new URL(`../wasm/${name}.wasm`, here)));
}
