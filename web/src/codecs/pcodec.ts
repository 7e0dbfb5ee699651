/** pcodec: numbers as latent variables, entropy coded. Options of the writer do not affect decoding. */
import type { CodecDefinition } from "./definition.js";

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
