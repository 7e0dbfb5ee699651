/**
 * Replaces packaged.ts in the bundles for workerd (Cloudflare Workers) and other edge runtimes. They forbid
 * compiling at run time: modules are imported as such.
 */
import type { WasmModule } from "../util/platform.js";
import decode from "../wasm/decode.mjs";
import full from "../wasm/full.mjs";
import images from "../wasm/images.mjs";
import type { ModuleName } from "./compile.js";
import type { glue as loaded } from "./packaged.js";

export const glue: typeof loaded = {
  decode: async () => ({ default: decode }),
  full: async () => ({ default: full }),
  images: async () => ({ default: images }),
};

const modules: Readonly<Record<ModuleName, () => Promise<{ default: unknown }>>> = {
  decode: () => import("../wasm/decode.wasm"),
  full: () => import("../wasm/full.wasm"),
  images: () => import("../wasm/images.wasm"),
};

export async function packagedModule(name: ModuleName): Promise<WasmModule> {
  const { default: module } = await modules[name]();
  if (module instanceof WebAssembly.Module) return module;
  throw new Error(`${name}.wasm was not imported as a WebAssembly.Module`);
}
