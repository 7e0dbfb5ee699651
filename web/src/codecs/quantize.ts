/** quantize: rounds floats to a number of decimal digits. Spec: numcodecs. */
import type { CodecDefinition } from "./definition.js";
import { filterResult, readFilterTypes } from "./numpy-values.js";

const maxDigits = 300;

export const quantize: CodecDefinition = {
  core: "quantize",
  kind: "array-to-array",
  names: { 2: ["quantize"], 3: ["numcodecs.quantize"] },
  elementwise: true,
  parse(config, context) {
    const types = readFilterTypes(config, context, ["dtype", "astype"], "floats");
    const digits = config.integer("digits", -maxDigits, maxDigits);
    // The power of two just finer than the last digit. Except for 0 digits, a power of ten is never a power
    // of two, so the product is never near an integer.
    return filterResult(types, context, [Math.ceil(digits * Math.log2(10))]);
  },
};
