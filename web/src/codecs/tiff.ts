/** Codecs of TIFF: LZW, PackBits, predictors. */

import { DType } from "../dtypes/dtype.js";
import { coreRow } from "../dtypes/table.js";
import { countOf } from "../util/shapes.js";
import { bytes } from "./bytes.js";
import {
  type CodecContext,
  type CodecDefinition,
  type ConfigReader,
  type Configuration,
  formatValue,
} from "./definition.js";
import { type NumpyType, readNumpyType } from "./numpy.js";

const numbers = /^(u?int(8|16|32|64)|float(16|32|64))$/;
const wideNumbers = /^(u?int|float)(16|32|64)$/;

/**
 * Parses the data type of a predictor: the array's, or another one of the same width. The option's byte order
 * is ignored in favour of the array's: old versions of tifffile write "<" for big-endian files, too.
 */
function readType(config: ConfigReader, { array }: CodecContext, accepted: RegExp): NumpyType {
  const type = readNumpyType(config, "dtype", { dtype: array.dtype, endian: undefined });
  if (type.dtype.itemBytes !== array.dtype.itemBytes)
    throw config.error(`"dtype" is ${type.dtype}, but the array's data type is ${array.dtype}`);
  for (const dtype of [type.dtype, array.dtype]) {
    if (dtype.fields || !accepted.test(dtype.core)) throw config.error(`does not support data type ${dtype}`);
  }
  return type;
}

/** Parses the shape that axes refer to: the option, which Zarr v2 requires, or the array's shape. */
function readShape(config: ConfigReader, { array, version }: CodecContext): readonly number[] {
  const shape = config.given("shape");
  if (shape === undefined) {
    if (version < 3) throw config.error('it needs "shape"');
    return array.shape;
  }
  const isShape = Array.isArray(shape) && shape.every((length) => Number.isSafeInteger(length) && length > 0);
  if (!isShape || countOf(shape as number[]) !== countOf(array.shape)) {
    throw config.error(
      `"shape" ${formatValue(shape)} does not hold the elements of a chunk of ${formatValue(array.shape)}`,
    );
  }
  return shape as number[];
}

/** Keeps the axis at the same distance from the end, because the samples of a pixel come after it. */
function withShape(configuration: Configuration, shape: readonly number[]): Configuration {
  const { shape: before, axis } = configuration;
  if (before === undefined || before === null) return configuration;
  const isFromStart = Array.isArray(before) && Number.isInteger(axis) && (axis as number) >= 0;
  return isFromStart
    ? { ...configuration, shape, axis: (axis as number) - before.length }
    : { ...configuration, shape };
}

/** Distances that TIFF's predictors support. */
const distances = [1, 2, 4];

/** Returns lengths in elements: of a run, of one step along the axis, and the distance between neighbours. */
function readRun(config: ConfigReader, context: CodecContext) {
  const shape = readShape(config, context);
  const rank = shape.length;
  if (rank === 0) throw config.error("does not support arrays without dimensions");
  const axis = (config.integer("axis", -rank, rank - 1, -1) + rank) % rank;
  const distance = config.integer("dist", 1, 4, 1);
  if (!distances.includes(distance)) throw config.error(`"dist" must be 1, 2 or 4, not ${distance}`);
  const inner = countOf(shape.slice(axis + 1));
  return { run: countOf(shape.slice(axis)), step: inner * distance, axesBehind: rank - 1 - axis };
}

const imagecodecsDelta: CodecDefinition = {
  core: "horizontal_delta",
  kind: "array-to-array",
  names: { 2: ["imagecodecs_delta"], 3: ["imagecodecs_delta"] },
  withShape,
  parse(config, context) {
    config.only("shape", "dtype", "axis", "dist");
    readType(config, context, numbers);
    const { run, step } = readRun(config, context);
    return { params: [run, Math.min(run, step)], encoded: context.array };
  },
};

/** virtual-tiff's predictor along the last axis. It also works on the bits of floats. */
const horizontalDelta: CodecDefinition = {
  core: "horizontal_delta",
  kind: "array-to-array",
  names: { 3: ["HorizontalDeltaCodec"] },
  parse(config, context) {
    config.only();
    readType(config, context, numbers);
    const { run, step } = readRun(config, context);
    return { params: [run, step], encoded: context.array };
  },
};

const planeFlags = { differences: 1, highFirst: 2 };

function parsePlanes(config: ConfigReader, context: CodecContext, flags: number) {
  const { run, step, axesBehind } = readRun(config, context);
  if (axesBehind > 1) throw config.error('"axis" must be the last axis, or the one before it');
  if (run % step !== 0) throw config.error(`a row of ${run} elements is not a multiple of ${step}`);
  const { dtype, shape } = context.array;
  const encoded = { dtype: DType.simple("uint8"), shape: [countOf(shape) * dtype.itemBytes] };
  return { params: [run, step, flags], encoded };
}

const imagecodecsFloatpred: CodecDefinition = {
  core: "floatpred",
  kind: "array-to-array",
  names: { 2: ["imagecodecs_floatpred"], 3: ["imagecodecs_floatpred"] },
  withShape,
  parse(config, context) {
    config.only("shape", "dtype", "axis", "dist");
    readType(config, context, wideNumbers);
    return parsePlanes(config, context, planeFlags.differences | planeFlags.highFirst);
  },
};

/** Byte planes are in memory order, unless `reorder` requests the most significant first. */
const imagecodecsByteshuffle: CodecDefinition = {
  core: "floatpred",
  kind: "array-to-array",
  names: { 2: ["imagecodecs_byteshuffle"], 3: ["imagecodecs_byteshuffle"] },
  withShape,
  parse(config, context) {
    config.only("shape", "dtype", "axis", "dist", "delta", "reorder");
    const { endian } = readType(config, context, wideNumbers);
    const differences = config.boolean("delta", false) ? planeFlags.differences : 0;
    const highFirst = config.boolean("reorder", false) || endian === "big" ? planeFlags.highFirst : 0;
    return parsePlanes(config, context, differences | highFirst);
  },
};

/** virtual-tiff's order of samples: the first axis varies fastest, as in TIFF's "chunky" order. */
export const chunky: CodecDefinition = {
  core: "chunky",
  kind: "array-to-bytes",
  names: { 3: ["ChunkyCodec"] },
  encodedBytes: (size) => size,
  parse(config, context) {
    config.only("endian");
    const { dtype } = context.array;
    if (dtype.fields || dtype.core === "bool") throw config.error(`does not support data type ${dtype}`);
    return config.given("endian") === undefined ? { params: [1] } : bytes.parse(config, context);
  },
};

export const deltas = [imagecodecsDelta, horizontalDelta];
export const planes = [imagecodecsFloatpred, imagecodecsByteshuffle];

/** numcodecs' packbits: booleans, the first in the highest bit, after a byte with the number of padding bits. */
export const numcodecsPackbits: CodecDefinition = {
  core: "numcodecs_packbits",
  kind: "array-to-array",
  names: { 2: ["packbits"], 3: ["numcodecs.packbits"] },
  parse(config, { array }) {
    config.only();
    if (array.dtype.core !== "bool") throw config.error(`supports data type bool only, not ${array.dtype}`);
    const count = countOf(array.shape);
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
  if (given.length > 1)
    throw config.error(`"${names[0]}" and "${names[1]}" are two names of the same option`);
  return given[0] === undefined ? fallback : config.integer(given[0], 0, bits - 1);
}

export const packbits: CodecDefinition = {
  core: "packbits",
  kind: "array-to-bytes",
  names: { 3: ["packbits"] },
  parse(config, { array }) {
    config.only("padding_encoding", "first_bit", "last_bit", "start_bit", "end_bit");
    const bits = significantBits(array.dtype);
    if (bits === 0) throw config.error(`does not support data type ${array.dtype}`);
    const padding = config.choice("padding_encoding", paddings, "none") % 3;
    const first = readBit(config, ["first_bit", "start_bit"], bits, 0);
    const last = readBit(config, ["last_bit", "end_bit"], bits, bits - 1);
    if (last < first)
      throw config.error(`"last_bit" ${formatValue(last)} is below "first_bit" ${formatValue(first)}`);
    return { params: [padding, first, last] };
  },
};
