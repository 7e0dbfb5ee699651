/** Copies of the modules as strings, for bundles that come without the .wasm files. */

import { inflate } from "../util/inflate.js";
import { bytes as decodeBytes, deflated } from "../wasm/decode-embedded.js";
import type { ModuleName } from "./compile.js";
import { decodeLzma } from "./lzma.js";

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

const modules: Readonly<Record<ModuleName, () => Promise<Uint8Array<ArrayBuffer>>>> = {
  decode: () => inflate(fromBase64(deflated), decodeBytes, "the copy of decode.wasm"),
  async full() {
    const { compressed, bytes } = await import("../wasm/full-embedded.js");
    return decodeLzma(fromBase64(compressed), bytes).decoded;
  },
  // One stream with the full module, of which this one repeats much.
  async images() {
    const [full, own] = await Promise.all([
      import("../wasm/full-embedded.js"),
      import("../wasm/images-embedded.js"),
    ]);
    const [start, rest] = [fromBase64(full.compressed), fromBase64(own.compressed)];
    const stream = new Uint8Array(start.byteLength + rest.byteLength);
    stream.set(start);
    stream.set(rest, start.byteLength);
    return decodeLzma(stream, full.bytes + own.bytes).decoded.slice(full.bytes);
  },
};

/** Returns the bytes of a module. */
export const embeddedModule = (name: ModuleName): Promise<Uint8Array<ArrayBuffer>> => modules[name]();
