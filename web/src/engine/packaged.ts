/**
 * Loads the modules from the files of the package. The build replaces this file by packaged-worker.ts in the
 * scripts of workers; programs for workerd configure the modules (edge-modules.ts).
 */

import { messageOf } from "../util/errors.js";
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

/**
 * Compiles a module from its file, or from its embedded copy if the file is not available; images have no copy.
 * @throws both failures in one message; a CompileError concerns the module or a policy, so the copy would not help
 */
export async function packagedModule(name: ModuleName): Promise<WasmModule> {
  const failures: unknown[] = [];
  for (const compile of name === "images" ? [compileFile] : [compileFile, () => compileCopy(name)]) {
    try {
      return await compile(name);
    } catch (cause) {
      if (cause instanceof WebAssembly.CompileError) throw cause;
      failures.push(cause);
    }
  }
  const advice = `serve the package's dist/wasm/${name}.wasm and call configureWasm({ ${name}: "<its URL>" })`;
  throw new Error([...failures.map(messageOf), advice].join("; "), { cause: failures.at(-1) });
}

async function compileFile(name: ModuleName): Promise<WasmModule> {
  const here = import.meta.url; // not inside `new URL` again: bundlers would copy the file once more
  // Bundlers for Node replace the addresses above by addresses of page assets.
  if (hasNodeModules()) return compileSource(packageFile(`wasm/${name}.wasm`, here));
  const url = urls[name]();
  if (isLeftBehind(url, `../wasm/${name}.wasm`, here))
    throw new Error("the bundler has moved the library without its .wasm files");
  return compileSource(url);
}

async function compileCopy(name: Exclude<ModuleName, "images">): Promise<WasmModule> {
  const { embeddedModule } = await embedded();
  return WebAssembly.compile(await embeddedModule(name));
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
