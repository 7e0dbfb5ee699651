/** Less common compressors and byte codecs: bz2, snappy, pcodec, base64. */

import type { CodecDefinition } from "./definition.js";

export const bz2: CodecDefinition = {
  core: "bz2",
  kind: "bytes-to-bytes",
  names: { 1: ["bz2"], 2: ["bz2"], 3: ["bz2", "numcodecs.bz2"] },
  parse: (config) => ({ params: [config.integer("level", 1, 9, 9)] }),
};

export const snappy: CodecDefinition = {
  core: "snappy",
  kind: "bytes-to-bytes",
  names: { 2: ["snappy"] },
  parse: () => ({ params: [] }),
};

/** Data types with a number type in the format; complex numbers are two floats. */
const types = /^(u?int(8|16|32|64)|float(16|32|64)|complex(64|128)|datetime64|timedelta64)$/;

export const pcodec: CodecDefinition = {
  core: "pcodec",
  kind: "array-to-bytes",
  names: {
    2: ["pcodec"],
    3: ["numcodecs.pcodec", "pcodec", "https://codec.zarrs.dev/array_to_bytes/pcodec"],
  },
  parse(config, { array }) {
    if (!types.test(array.dtype.core))
      throw config.error(
        `does not work on data type ${array.dtype}, which is no number of its`,
        "codec-dtype",
      );
    return { params: [] };
  },
};

export const base64: CodecDefinition = {
  core: "base64",
  kind: "bytes-to-bytes",
  names: { 2: ["base64"], 3: ["numcodecs.base64"] },
  parse(config) {
    config.only();
    return { params: [] };
  },
};
