/** quantize: floats rounded to a number of decimal digits, as numcodecs does it. */
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
    // The power of two just finer than the last digit. No power of ten but 1 is one of two, so the
    // product is never near an integer but for 0 digits.
    return filterResult(types, context, [Math.ceil(digits * Math.log2(10))]);
  },
};
