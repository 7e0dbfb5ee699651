/** zlib (RFC 1950) and gzip (RFC 1952). Spec: Zarr v1 "compression", v2 ids, Zarr v3 "gzip" codec. */
import type { CodecDefinition } from "./definition.js";

const level = 6;

export const zlib: CodecDefinition = {
  core: "zlib",
  kind: "bytes-to-bytes",
  // zarr-python 1.x treated "gzip" as an alias of zlib, and wrote zlib streams.
  names: { 1: ["zlib", "gzip"], 2: ["zlib"], 3: ["zlib", "numcodecs.zlib"] },
  parse: (config) => ({ params: [config.integer("level", config.version === 1 ? 0 : -1, 9, level)] }),
};

export const gzip: CodecDefinition = {
  core: "gzip",
  kind: "bytes-to-bytes",
  names: { 2: ["gzip"], 3: ["gzip", "numcodecs.gzip"] },
  parse(config) {
    if (config.isStrict) config.only("level");
    return { params: [config.integer("level", 0, 9, level)] };
  },
};
