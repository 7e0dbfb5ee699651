/**
 * Loads the modules from the files of the package. The build replaces this file by packaged-worker.ts in the
 * scripts of workers; programs for workerd configure the modules (edge-modules.ts).
 */

import { lazy } from "../util/lazy.js";
import { hasNodeModules, isLeftBehind, packageFile, type WasmModule } from "../util/platform.js";
import type { CoreFactory } from "../wasm/core.js";
import { compileSource, type ModuleName } from "./compile.js";

/** The glue scripts of the modules. */
export const glue: Readonly<Record<ModuleName, () => Promise<{ default: CoreFactory }>>> = {
  decode: () => import("../wasm/decode.mjs"),
  full: () => import("../wasm/full.mjs"),
  images: () => import("../wasm/images.mjs"),
};

/** Written so that bundlers recognise and copy the files. */
const urls: Readonly<Record<ModuleName, () => URL>> = {
  decode: () => new URL("../wasm/decode.wasm", import.meta.url),
  full: () => new URL("../wasm/full.wasm", import.meta.url),
  images: () => new URL("../wasm/images.wasm", import.meta.url),
};

/** Compiles a module from its file, or from its embedded copy if the file is not available. */
export async function packagedModule(name: ModuleName): Promise<WasmModule> {
  const here = import.meta.url; // not inside `new URL` again: bundlers would copy the file once more
  return compileEmbedded(name, () => {
    // Bundlers for Node replace the addresses below by those of a page's assets.
    if (hasNodeModules()) return compileSource(packageFile(`wasm/${name}.wasm`, here));
    const url = urls[name]();
    if (isLeftBehind(url, `../wasm/${name}.wasm`, here))
      throw new Error("the bundler has moved the library without its .wasm files");
    return compileSource(url);
  });
}

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
      throw new Error(`${failureText(cause)}; ${failureText(second)}; ${adviceFor(name)}`, { cause: second });
    }
  }
}

const failureText = (error: unknown): unknown => (error instanceof Error ? error.message : error);

const adviceFor = (name: ModuleName): string =>
  `serve the package's dist/wasm/${name}.wasm and call configureWasm({ ${name}: "/where/it/is/${name}.wasm" })`;
