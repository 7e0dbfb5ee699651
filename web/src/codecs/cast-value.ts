/**
 * cast_value: converts values to another data type with configurable rounding. Spec: zarr-extensions
 * "cast_value".
 */

import type { DType } from "../dtypes/dtype.js";
import { readScalar } from "../dtypes/scalar.js";
import { coreRow } from "../dtypes/table.js";
import { parseDataType } from "../dtypes/v3.js";
import { ConfigReader, show } from "./config.js";
import type { CodecDefinition } from "./definition.js";
import { readItem, realType } from "./numeric-filters.js";
import { itemWords } from "./numpy.js";

/** In the order of the core's Rounding. */
const roundings = ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"];
/** In the order of the core's OutOfRange. The first is the default, which the schema does not list. */
const outOfRange = ["error", "clamp", "wrap"];
const wrap = outOfRange.indexOf("wrap");

/** Parses one direction of the scalar map into the core's words, sorted by key, without duplicates. */
function readEntries(config: ConfigReader, name: string, from: DType, to: DType): number[][] {
  const entries = config.given(name, []);
  const valid =
    Array.isArray(entries) && entries.every((entry) => Array.isArray(entry) && entry.length === 2);
  if (!valid) throw config.error(`"${name}" must be a list of [from, to], not ${show(entries)}`);
  const byKey = new Map<bigint, number[]>();
  for (const [key, value] of entries as [unknown, unknown][]) {
    const what = `an entry of "${name}"`;
    const [low, high] = itemWords(keyItem(config, from, key, what));
    const bits = (BigInt(high) << 32n) | BigInt(low);
    const words = itemWords(readItem(config, to, spelled(value), what));
    if (!byKey.has(bits)) byKey.set(bits, [low, high, ...words]); // the first entry of a key counts
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, words]) => words);
}

/** The specification's example spells infinity in a form that is not valid for fill values. */
const spelled = (value: unknown): unknown => (value === "+Infinity" ? "Infinity" : value);

/** Returns a normalised key: all NaNs become the same one, and -0 becomes 0. */
function keyItem(config: ConfigReader, dtype: DType, key: unknown, what: string): Uint8Array {
  const item = readItem(config, dtype, spelled(key), what);
  if (!dtype.core.startsWith("float")) return item;
  const value = readScalar(dtype, item, 0);
  if (value === 0) return new Uint8Array(item.length);
  return Number.isNaN(value) ? readItem(config, dtype, "NaN", what) : item;
}

function readMap(config: ConfigReader, outer: DType, inner: DType): [encode: number[][], decode: number[][]] {
  const value = config.given("scalar_map", {});
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw config.error(`"scalar_map" must be an object, not ${show(value)}`);
  const map = new ConfigReader(config.codec, value as ConfigReader["values"], config.version);
  map.only("encode", "decode");
  return [readEntries(map, "encode", outer, inner), readEntries(map, "decode", inner, outer)];
}

export const castValue: CodecDefinition = {
  core: "cast_value",
  kind: "array-to-array",
  names: { 3: ["cast_value"] },
  elementwise: true,
  parse(config, { array }) {
    config.only("data_type", "rounding", "out_of_range", "scalar_map");
    const dtype = parseDataType(config.get("data_type"));
    for (const type of [array.dtype, dtype]) {
      if (!realType.test(type.core)) throw config.error(`it cannot cast data type ${type}`, "codec-dtype");
    }
    const rounding = config.choice("rounding", roundings, "nearest-even");
    const range = config.choice("out_of_range", outOfRange, "error");
    if (range === wrap && dtype.core.startsWith("float"))
      throw config.error('"out_of_range": "wrap" is for integers only');
    const [encode, decode] = readMap(config, array.dtype, dtype);
    const fixed = [coreRow(dtype.core).id, rounding, range, encode.length, decode.length];
    return {
      params: [...fixed, ...encode.flat(), ...decode.flat()],
      encoded: { dtype, shape: array.shape },
    };
  },
};
