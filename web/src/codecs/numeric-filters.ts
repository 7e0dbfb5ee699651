/** Filters on numbers: astype, delta, fixedscaleoffset, quantize, bitround, scale_offset, cast_value. */

import type { DType } from "../dtypes/dtype.js";
import { parseFill } from "../dtypes/fill.js";
import { fromPlain } from "../dtypes/plain.js";
import { readScalar } from "../dtypes/scalar.js";
import { coreRow } from "../dtypes/table.js";
import { parseDataType } from "../dtypes/v3.js";
import { type CodecDefinition, ConfigReader, formatValue } from "./definition.js";
import { filterResult, float64Words, itemWords, readFilterTypes } from "./numpy.js";

export const astype: CodecDefinition = {
  core: "astype",
  kind: "array-to-array",
  names: { 2: ["astype"], 3: ["numcodecs.astype"] },
  elementwise: true,
  parse(config, context) {
    const types = readFilterTypes(config, context, ["decode_dtype", "encode_dtype"], "any");
    const { decoded, encoded } = types;
    if (decoded.dtype.core.startsWith("complex") !== encoded.dtype.core.startsWith("complex")) {
      throw config.error(`cannot cast between ${decoded.dtype} and ${encoded.dtype}`);
    }
    return filterResult(types, context);
  },
};

export const delta: CodecDefinition = {
  core: "delta",
  kind: "array-to-array",
  names: { 2: ["delta"], 3: ["numcodecs.delta"] },
  parse(config, context) {
    return filterResult(readFilterTypes(config, context, ["dtype", "astype"], "numbers"), context);
  },
};

function readNumber(config: ConfigReader, name: string): number {
  const value = config.get(name);
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) {
    throw config.error(`"${name}" must be a number, not ${formatValue(value)}`);
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

/** Number of mantissa bits, by the name of the data type. */
const mantissas: Readonly<Record<string, number>> = {
  bfloat16: 7,
  float16: 10,
  float32: 23,
  float64: 52,
  complex_bfloat16: 7,
  complex_float16: 10,
  complex64: 23,
  complex128: 52,
};

export const bitround: CodecDefinition = {
  core: "bitround",
  kind: "array-to-array",
  names: { 2: ["bitround"], 3: ["bitround", "numcodecs.bitround"] },
  elementwise: true,
  parse(config, { version, array }) {
    config.only("keepbits");
    const { core } = array.dtype;
    const mantissa = Object.hasOwn(mantissas, core) ? mantissas[core]! : undefined;
    const isInteger = /^(u?int(8|16|32|64)|datetime64|timedelta64)$/.test(core);
    if (mantissa === undefined && !isInteger) throw config.error(`does not support data type ${array.dtype}`);
    // numcodecs allows floats to keep only the hidden bit.
    const minBits = mantissa === undefined || (version === 3 && config.codec === "bitround") ? 1 : 0;
    return { params: [config.integer("keepbits", minBits, mantissa ?? 64)] };
  },
};

/** Integers and floats that the core can calculate with. */
export const realType = /^(u?int(8|16|32|64)|float(16|32|64))$/;

/** Parses a scalar of a configuration, encoded like a fill value, as one element. */
export function readItem(config: ConfigReader, dtype: DType, value: unknown, what: string): Uint8Array {
  try {
    return parseFill(dtype, fromPlain(value), "strict").item;
  } catch {
    throw config.error(`${what} must be a value of data type ${dtype}, not ${formatValue(value)}`);
  }
}

export const scaleOffset: CodecDefinition = {
  core: "scale_offset",
  kind: "array-to-array",
  names: { 3: ["scale_offset"] },
  elementwise: true,
  parse(config, { array }) {
    config.only("offset", "scale");
    if (!realType.test(array.dtype.core)) throw config.error(`does not support data type ${array.dtype}`);
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
  if (!valid) throw config.error(`"${name}" must be a list of [from, to], not ${formatValue(entries)}`);
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
    throw config.error(`"scalar_map" must be an object, not ${formatValue(value)}`);
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
      if (!realType.test(type.core)) throw config.error(`does not support data type ${type}`);
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
