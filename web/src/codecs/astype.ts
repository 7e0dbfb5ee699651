/** astype: NumPy's cast between two data types. Spec: numcodecs. */
import type { CodecDefinition } from "./definition.js";
import { filterResult, readFilterTypes } from "./numpy-values.js";

export const astype: CodecDefinition = {
  core: "astype",
  kind: "array-to-array",
  names: { 2: ["astype"], 3: ["numcodecs.astype"] },
  elementwise: true,
  parse(config, context) {
    const types = readFilterTypes(config, context, ["decode_dtype", "encode_dtype"], "any");
    const { decoded, encoded } = types;
    if (decoded.dtype.core.startsWith("complex") !== encoded.dtype.core.startsWith("complex")) {
      throw config.error(`no cast between ${decoded.dtype} and ${encoded.dtype}`, "codec-dtype");
    }
    return filterResult(types, context);
  },
};
