/** Copies of the modules as strings, for bundles that come without the .wasm files. */

import { inflate } from "../util/inflate.js";
import type { ModuleName } from "./compile.js";

interface Embedded {
  /** Raw DEFLATE, in base64. */
  readonly deflated: string;
  readonly bytes: number;
}

const modules: Readonly<Record<ModuleName, () => Promise<Embedded>>> = {
  decode: () => import("../wasm/decode-embedded.js"),
  full: () => import("../wasm/full-embedded.js"),
  images: () => import("../wasm/images-embedded.js"),
};

/** Returns the bytes of a module. */
export async function embeddedModule(name: ModuleName): Promise<Uint8Array<ArrayBuffer>> {
  const { deflated, bytes } = await modules[name]();
  const packed = Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0));
  return inflate(packed, bytes, `the copy of ${name}.wasm`);
}
