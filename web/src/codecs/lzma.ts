import type { CodecDefinition } from "./definition.js";

export const lzma: CodecDefinition = {
  core: "lzma",
  kind: "bytes-to-bytes",
  names: { 1: ["lzma"], 2: ["lzma"], 3: ["lzma", "numcodecs.lzma"] },
  parse: () => ({ params: [] }),
};
