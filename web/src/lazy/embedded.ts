/** Copies of the modules as texts, for bundles that come without the files. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

import { inflate } from "../store/zip/inflate.js";

interface Embedded {
  /** Raw DEFLATE, in base 64. */
  readonly deflated: string;
  readonly bytes: number;
}

const modules: Readonly<Record<"decode" | "full", () => Promise<Embedded>>> = {
  decode: () => import("../wasm/decode-embedded.js"),
  full: () => import("../wasm/full-embedded.js"),
};

/** The bytes of a module. */
export async function embeddedModule(name: "decode" | "full"): Promise<Uint8Array<ArrayBuffer>> {
  const { deflated, bytes } = await modules[name]();
  const packed = Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0));
  return inflate(packed, bytes, `the copy of ${name}.wasm`);
}
