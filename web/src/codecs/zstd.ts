/** zstd: RFC 8878 frames. Spec: zarr-extensions "zstd"; numcodecs "zstd". */
import type { CodecDefinition } from "./definition.js";

export const zstd: CodecDefinition = {
  core: "zstd",
  kind: "bytes-to-bytes",
  names: { 2: ["zstd"], 3: ["zstd", "numcodecs.zstd"] },
  parse(config) {
    if (config.isStrict) config.only("level", "checksum");
    return { params: [config.integer("level", -131072, 22, 0), Number(config.boolean("checksum", false))] };
  },
};
