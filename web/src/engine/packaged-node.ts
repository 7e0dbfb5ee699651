/** packaged.ts in the bundles for Node: files are read. */
import { packageFile } from "../util/package-files.js";
import type { WasmModule } from "../util/web-types.js";
import { compileSource, type ModuleName } from "./compile.js";
import { compileEmbedded } from "./embedded.js";

export { glue } from "./packaged.js";

/** Compiles a module: from its file, or, where a bundler has left that behind, from its copy in a script. */
export function packagedModule(name: ModuleName): Promise<WasmModule> {
  const here = import.meta.url;
  return compileEmbedded(name, () => compileSource(packageFile(`wasm/${name}.wasm`, here)));
}
