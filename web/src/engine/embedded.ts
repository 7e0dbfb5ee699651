/** Falls back to copies of the modules embedded in a script, which is loaded only if needed. */
import { lazy } from "../util/lazy.js";
import type { WasmModule } from "../util/platform.js";
import type { ModuleName } from "./compile.js";

const embedded = lazy("modules without their files", () => import("./embedded-modules.js"));

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
