/** fixedscaleoffset: numbers as multiples of a step. Spec: numcodecs. */
import { type ConfigReader, show } from "./config.js";
import type { CodecDefinition } from "./definition.js";
import { filterResult, float64Words, readFilterTypes } from "./numpy-values.js";

function readNumber(config: ConfigReader, name: string): number {
  const value = config.get(name);
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) {
    throw config.error(`"${name}" must be a number, not ${show(value)}`);
  }
  return number;
}

export const fixedscaleoffset: CodecDefinition = {
  core: "fixedscaleoffset",
  kind: "array-to-array",
  names: { 2: ["fixedscaleoffset"], 3: ["numcodecs.fixedscaleoffset"] },
  elementwise: true,
  parse(config, context) {
    const types = readFilterTypes(config, context, ["dtype", "astype"], "numbers");
    const offset = readNumber(config, "offset");
    const scale = readNumber(config, "scale");
    if (scale === 0) throw config.error('"scale" must not be 0');
    return filterResult(types, context, [...float64Words(offset), ...float64Words(scale)]);
  },
};
