/** lz4: numcodecs' framing, a 4-byte length before one raw LZ4 block. */
import type { CodecDefinition } from "./definition.js";

export const lz4: CodecDefinition = {
  core: "lz4",
  kind: "bytes-to-bytes",
  names: { 2: ["lz4"], 3: ["lz4", "numcodecs.lz4"] },
  parse: (config) => ({ params: [config.integer("acceleration", 1, 65537, 1)] }),
};
