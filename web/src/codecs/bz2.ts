/** bz2: bzip2 streams, as Python's bz2 module writes them. */
import type { CodecDefinition } from "./definition.js";

export const bz2: CodecDefinition = {
  core: "bz2",
  kind: "bytes-to-bytes",
  names: { 1: ["bz2"], 2: ["bz2"], 3: ["bz2", "numcodecs.bz2"] },
  parse: (config) => ({ params: [config.integer("level", 1, 9, 9)] }),
};
