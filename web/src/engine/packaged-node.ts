/** Replaces packaged.ts in the bundles for Node: reads the files. */
import { packageFile } from "../util/package-files.js";
import type { WasmModule } from "../util/web-types.js";
import { compileSource, type ModuleName } from "./compile.js";
import { compileEmbedded } from "./embedded.js";

export { glue } from "./packaged.js";

/** Compiles a module from its file, or from its embedded copy if a bundler has omitted the file. */
export function packagedModule(name: ModuleName): Promise<WasmModule> {
  const here = import.meta.url;
  return compileEmbedded(name, () => compileSource(packageFile(`wasm/${name}.wasm`, here)));
}
