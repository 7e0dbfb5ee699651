/** Common compressors: zlib, gzip, zstd, lz4. */

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

export const zstd: CodecDefinition = {
  core: "zstd",
  kind: "bytes-to-bytes",
  names: { 2: ["zstd"], 3: ["zstd", "numcodecs.zstd"] },
  parse(config) {
    if (config.isStrict) config.only("level", "checksum");
    return { params: [config.integer("level", -131072, 22, 0), Number(config.boolean("checksum", false))] };
  },
};

export const lz4: CodecDefinition = {
  core: "lz4",
  kind: "bytes-to-bytes",
  names: { 2: ["lz4"], 3: ["lz4", "numcodecs.lz4"] },
  parse: (config) => ({ params: [config.integer("acceleration", 1, 65537, 1)] }),
};
