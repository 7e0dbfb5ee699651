/** The two packbits codecs, which pack the bits of elements. Spec: zarr-extensions "packbits"; numcodecs. */
import { DType } from "../dtypes/dtype.js";
import { coreRow } from "../dtypes/table.js";
import { type ConfigReader, show } from "./config.js";
import type { CodecDefinition } from "./definition.js";

/** numcodecs' packbits: booleans, the first in the highest bit, after a byte with the number of padding bits. */
export const numcodecsPackbits: CodecDefinition = {
  core: "numcodecs_packbits",
  kind: "array-to-array",
  names: { 2: ["packbits"], 3: ["numcodecs.packbits"] },
  parse(config, { array }) {
    config.only();
    if (array.dtype.core !== "bool")
      throw config.error(`it packs data type bool, not ${array.dtype}`, "codec-dtype");
    const count = array.shape.reduce((a, b) => a * b, 1);
    return { params: [], encoded: { dtype: DType.simple("uint8"), shape: [1 + Math.ceil(count / 8)] } };
  },
};

// Names in the README and in the schema; they mean the same.
const paddings = ["none", "first_byte", "last_byte", "none", "start_byte", "end_byte"];

/**
 * Returns the number of significant bits of a component, by the type's name in the core; 0 if it is not a
 * number.
 */
function significantBits(dtype: DType): number {
  if (dtype.isVariable) return 0;
  const name = dtype.core.replace(/^complex_/, "");
  if (name === "bool") return 1;
  const small = /^(?:u?int|float)([1-7])(?:_|$)/.exec(name);
  if (small) return Number(small[1]);
  const isNumber = /^(u?int\d+|b?float\d+.*|complex\d+|datetime64|timedelta64)$/.test(name);
  return isNumber ? 8 * coreRow(dtype.core).componentBytes : 0;
}

/** Parses a bit number under either of two names; null and absence mean the default. */
function readBit(config: ConfigReader, names: readonly [string, string], bits: number, fallback: number) {
  const given = names.filter((name) => (config.get(name) ?? undefined) !== undefined);
  if (given.length > 1) throw config.error(`"${names[0]}" and "${names[1]}" are two names of one option`);
  return given[0] === undefined ? fallback : config.integer(given[0], 0, bits - 1);
}

export const packbits: CodecDefinition = {
  core: "packbits",
  kind: "array-to-bytes",
  names: { 3: ["packbits"] },
  parse(config, { array }) {
    config.only("padding_encoding", "first_bit", "last_bit", "start_bit", "end_bit");
    const bits = significantBits(array.dtype);
    if (bits === 0) throw config.error(`it cannot pack data type ${array.dtype}`, "codec-dtype");
    const padding = config.choice("padding_encoding", paddings, "none") % 3;
    const first = readBit(config, ["first_bit", "start_bit"], bits, 0);
    const last = readBit(config, ["last_bit", "end_bit"], bits, bits - 1);
    if (last < first) throw config.error(`"last_bit" ${show(last)} is below "first_bit" ${show(first)}`);
    return { params: [padding, first, last] };
  },
};
