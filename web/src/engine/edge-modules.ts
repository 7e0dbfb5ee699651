/**
 * Supplies the modules in workerd (Cloudflare Workers), which forbids compiling at run time: they are imported as
 * such. The build makes dist/edge/modules.js of this file, which the entries for workerd import first.
 */
import type { WasmModule } from "../util/platform.js";
import type { ModuleName } from "./compile.js";
import { configureWasm } from "./engine.js";

const imported =
  (name: ModuleName, load: () => Promise<{ default: unknown }>) => async (): Promise<WasmModule> => {
    const { default: module } = await load();
    if (module instanceof WebAssembly.Module) return module;
    throw new Error(`${name}.wasm was not imported as a WebAssembly.Module`);
  };

configureWasm({
  decode: imported("decode", () => import("../wasm/decode.wasm")),
  full: imported("full", () => import("../wasm/full.wasm")),
  images: imported("images", () => import("../wasm/images.wasm")),
});

/** Stands in for the copies of the modules, which workerd could not compile. */
export async function embeddedModule(name: ModuleName): Promise<never> {
  throw new Error(`workerd cannot compile a copy of ${name}.wasm`);
}
