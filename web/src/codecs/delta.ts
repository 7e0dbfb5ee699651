/** delta: differences between neighbours in C order. Spec: numcodecs. */
import type { CodecDefinition } from "./definition.js";
import { filterResult, readFilterTypes } from "./numpy-values.js";

export const delta: CodecDefinition = {
  core: "delta",
  kind: "array-to-array",
  names: { 2: ["delta"], 3: ["numcodecs.delta"] },
  parse(config, context) {
    const types = readFilterTypes(config, context, ["dtype", "astype"], "numbers");
    const isFloat = (name: string) => name.startsWith("float");
    if (isFloat(types.encoded.dtype.core) && !isFloat(types.decoded.dtype.core)) {
      throw config.error(
        `differences of ${types.decoded.dtype} cannot be ${types.encoded.dtype}`,
        "codec-dtype",
      );
    }
    return filterResult(types, context);
  },
};
