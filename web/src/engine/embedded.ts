/** Falls back to copies of the modules embedded in a script, which is loaded only if needed. */
import { lazy } from "../util/lazy.js";
import { packageFile, type WasmModule } from "../util/platform.js";
import type { ModuleName } from "./compile.js";

/**
 * The package's bundles import the copies as `zarr-wasm/embedded`, for which the conditions in package.json choose a
 * file: programs for workerd get none. Pages that load the bundles unchanged cannot resolve that name. They load the
 * file by its address, which is computed so that bundlers do not include it.
 */
const embedded = lazy("embedded modules", () =>
  import("./embedded-modules.js").catch(
    (): Promise<Copies> =>
      import(
        /* webpackIgnore: true */ /* @vite-ignore */ packageFile("bundle/embedded.js", import.meta.url).href
      ),
  ),
);

type Copies = typeof import("./embedded-modules.js");

/**
 * Compiles a module from its file, or from its embedded copy if the file is not available.
 * @param fromFile compiles the file; a CompileError concerns the module or a policy, so the copy would not
 *   help
 * @throws both failures in one message
 */
export async function compileEmbedded(
  name: ModuleName,
  fromFile: () => Promise<WasmModule>,
): Promise<WasmModule> {
  try {
    return await fromFile();
  } catch (cause) {
    if (cause instanceof WebAssembly.CompileError) throw cause;
    try {
      const { embeddedModule } = await embedded();
      return await WebAssembly.compile(await embeddedModule(name));
    } catch (second) {
      if (second instanceof WebAssembly.CompileError) throw second;
      throw new Error(`${reasonOf(cause)}; ${reasonOf(second)}; ${adviceFor(name)}`, { cause: second });
    }
  }
}

const reasonOf = (error: unknown): unknown => (error instanceof Error ? error.message : error);

const adviceFor = (name: ModuleName): string =>
  `serve the package's dist/wasm/${name}.wasm and call configureWasm({ ${name}: "/where/it/is/${name}.wasm" })`;
