/** Replaces packaged.ts in worker scripts, which are one file each: compiled modules are received with the work. */
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

export async function packagedModule(name: ModuleName): Promise<WasmModule> {
  throw new Error(`the page sent no ${name}.wasm to the worker`);
}
