/** packaged.ts in the bundles for Node: files are read. */
import { packageFile } from "../base/beside.js";
import type { WasmModule } from "../base/web-types.js";
import { compileSource, type ModuleName } from "./compile.js";
import { compileEmbedded } from "./embedded.js";

export { glue } from "./packaged.js";

/** Compiles a module: from its file, or, where a bundler has left that behind, from its copy in a script. */
export function packagedModule(name: ModuleName): Promise<WasmModule> {
  const here = import.meta.url;
  return compileEmbedded(name, () => compileSource(packageFile(`wasm/${name}.wasm`, here)));
}
