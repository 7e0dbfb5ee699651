/** TIFF's predictors and sample order, under the names of imagecodecs and virtual-tiff. */
import { DType } from "../dtypes/dtype.js";
import { bytes } from "./bytes.js";
import { type ConfigReader, type Configuration, show } from "./config.js";
import type { CodecContext, CodecDefinition } from "./definition.js";
import { type NumpyType, readNumpyType } from "./numpy-name.js";

const product = (lengths: readonly number[]): number => lengths.reduce((a, b) => a * b, 1);

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
    if (dtype.fields || !accepted.test(dtype.core))
      throw config.error(`it cannot calculate with data type ${dtype}`, "codec-dtype");
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
  if (!isShape || product(shape as number[]) !== product(array.shape)) {
    throw config.error(
      `"shape" ${show(shape)} does not hold the elements of a chunk of ${show(array.shape)}`,
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
  if (rank === 0) throw config.error("it does not work on arrays without dimensions");
  const axis = (config.integer("axis", -rank, rank - 1, -1) + rank) % rank;
  const distance = config.integer("dist", 1, 4, 1);
  if (!distances.includes(distance)) throw config.error(`"dist" must be 1, 2 or 4, not ${distance}`);
  const inner = product(shape.slice(axis + 1));
  return { run: product(shape.slice(axis)), step: inner * distance, axesBehind: rank - 1 - axis };
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
  if (run % step !== 0) throw config.error(`a row of ${run} elements is no multiple of ${step}`);
  const { dtype, shape } = context.array;
  const encoded = { dtype: DType.simple("uint8"), shape: [product(shape) * dtype.itemBytes] };
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
    if (dtype.fields || dtype.core === "bool")
      throw config.error(`it does not work on data type ${dtype}`, "codec-dtype");
    return config.given("endian") === undefined ? { params: [1] } : bytes.parse(config, context);
  },
};

export const deltas = [imagecodecsDelta, horizontalDelta];
export const planes = [imagecodecsFloatpred, imagecodecsByteshuffle];
