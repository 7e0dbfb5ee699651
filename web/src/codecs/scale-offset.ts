/** scale_offset: a linear map in the arithmetic of the array's own data type. Spec: zarr-extensions. */

import type { DType } from "../dtypes/dtype.js";
import { parseFill } from "../dtypes/fill.js";
import { fromPlain } from "../dtypes/plain.js";
import { type ConfigReader, show } from "./config.js";
import type { CodecDefinition } from "./definition.js";
import { itemWords } from "./numpy-values.js";

/** Integers and floats that the core can calculate with. */
export const realType = /^(u?int(8|16|32|64)|float(16|32|64))$/;

/** Parses a scalar of a configuration, encoded like a fill value, as one element. */
export function readItem(config: ConfigReader, dtype: DType, value: unknown, what: string): Uint8Array {
  try {
    return parseFill(dtype, fromPlain(value), "strict").item;
  } catch {
    throw config.error(`${what} must be a value of data type ${dtype}, not ${show(value)}`);
  }
}

export const scaleOffset: CodecDefinition = {
  core: "scale_offset",
  kind: "array-to-array",
  names: { 3: ["scale_offset"] },
  elementwise: true,
  parse(config, { array }) {
    config.only("offset", "scale");
    if (!realType.test(array.dtype.core))
      throw config.error(`it cannot calculate with data type ${array.dtype}`, "codec-dtype");
    const offset = readItem(config, array.dtype, config.given("offset", 0), '"offset"');
    const scale = readItem(config, array.dtype, config.given("scale", 1), '"scale"');
    const zero = readItem(config, array.dtype, 0, "0");
    const sign = array.dtype.core.startsWith("float") ? 0x80 : 0;
    const isZero = scale.every((byte, i) =>
      i === scale.length - 1 ? (byte & ~sign) === 0 : byte === zero[i],
    );
    if (isZero) throw config.error('"scale" must not be 0');
    return { params: [...itemWords(offset), ...itemWords(scale)] };
  },
};
