/** Copies of the modules as strings, for bundles that come without the .wasm files. */

import { inflate } from "../util/inflate.js";
import { bytes, deflated } from "../wasm/decode-embedded.js";
import type { ModuleName } from "./compile.js";

/** Returns the bytes of a module. The images have no copy, which would double the size of bundles. */
export async function embeddedModule(name: Exclude<ModuleName, "images">): Promise<Uint8Array<ArrayBuffer>> {
  const copy = name === "decode" ? { bytes, deflated } : await import("../wasm/full-embedded.js");
  const stream = Uint8Array.from(atob(copy.deflated), (letter) => letter.charCodeAt(0));
  return inflate(stream, copy.bytes, `the copy of ${name}.wasm`);
}
