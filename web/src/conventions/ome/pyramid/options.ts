/** Options of `writeMultiscale`, their checks, and the levels and axes that follow from them. */

import type { DType } from "../../../dtypes/dtype.js";
import { checkElements, type ElementData } from "../../../dtypes/elements.js";
import type { FillScalar } from "../../../dtypes/fill-value.js";
import type { DTypeInput } from "../../../dtypes/names.js";
import { createArray } from "../../../edit/create.js";
import { type CodecInput, codecNames, type NewAttributes } from "../../../edit/options.js";
import { ZarrArray } from "../../../hierarchy/array.js";
import type { Progress } from "../../../read/assemble.js";
import { checkOptions, isRecord, type OptionNames, ownProperty } from "../../../util/arguments.js";
import { describeValue, invalidArgument, unsupported } from "../../../util/errors.js";
import type { Limits } from "../../../util/limits.js";
import { countOf } from "../../../util/shapes.js";
import type { WorkerPool } from "../../../workers/pool.js";
import { findKernel, type Kernel } from "./reduce.js";

/**
 * How elements of a level are computed from the one before. "mean": for integers rounded to the nearest, ties
 * to even; for floats without NaNs. "mode", for labels: the most frequent element, of several the first in C
 * order. "max": the greatest. "nearest", for every data type: the first.
 */
export type DownsamplingMethod = "mean" | "mode" | "nearest" | "max";

/** OME-Zarr versions that can be written. */
export type OmeVersion = "0.4" | "0.5" | "0.6rc0";

/** An axis of a new image. */
export interface NewAxis {
  readonly name: string;
  /** Default: by the name, "time" for t, "channel" for c, "space" for z, y and x. */
  readonly type?: string | undefined;
  /** Unit of the scale, such as "micrometer" or "second". */
  readonly unit?: string | undefined;
}

/** Elements in memory to make an image of, in C order. */
export interface ImageData {
  readonly data: ElementData;
  readonly shape: readonly number[];
  /** Default: the data type of the typed array. */
  readonly dtype?: DTypeInput | undefined;
}

/** Progress of writing an image: chunks of all levels that the call writes. */
export interface MultiscaleProgress extends Progress {
  /** The level being written, 0 for the finest. */
  readonly level: number;
  readonly levels: number;
}

export interface MultiscaleOptions {
  /** Path of the image's group below the target; "" (default) for the target itself. */
  path?: string | undefined;
  /**
   * Maximum number of levels, including the given one. Default: until a level has at most 256 elements along
   * each axis.
   */
  levels?: number | undefined;
  /** Default: "mean". */
  method?: DownsamplingMethod | undefined;
  /**
   * Reduction from each level to the next: one factor for all space axes, or one per axis, as a list or by
   * name. Default: 2 along space axes, 1 along others. Blocks have at most 4096 elements.
   */
  factor?: number | readonly number[] | { readonly [axis: string]: number } | undefined;
  /** Chunk shape of all levels. Default: the array's, or about 1 MiB for elements in memory. */
  chunkShape?: readonly number[] | undefined;
  /**
   * Shard shape; null for no shards. Default: the array's, if the chunks are the same; no shards in Zarr v2.
   */
  shardShape?: readonly number[] | null | undefined;
  /** Codecs, as in the options of `create`. Default: the array's. */
  codecs?: CodecInput | readonly CodecInput[] | undefined;
  fillValue?: FillScalar | undefined;
  /**
   * 3 for OME-Zarr 0.5 and 0.6, 2 for 0.4. Default: the target group's version, or else the array's if it is
   * one of these, or else 3.
   */
  zarrFormat?: 2 | 3 | undefined;
  /**
   * OME-Zarr version. "0.4" needs Zarr v2, the others v3. "0.6rc0" is the release candidate, with coordinate
   * systems. Default: "0.5" in Zarr v3, "0.4" in v2.
   */
  omeVersion?: OmeVersion | undefined;
  /**
   * Names, or axes. Default: the array's dimension names, or else the last ones of t, c, z, y, x (for three
   * dimensions z, y, x; for four c, z, y, x).
   */
  axes?: readonly (string | NewAxis)[] | undefined;
  /** Units per element of the finest level, along each axis. Default: 1. */
  scale?: readonly number[] | undefined;
  /** Position of the centre of the first element. Default: 0. */
  translation?: readonly number[] | undefined;
  name?: string | undefined;
  /** Other OME-Zarr metadata: `omero`, `image-label`, … */
  ome?: NewAttributes | undefined;
  /** Other attributes of the group. */
  attributes?: NewAttributes | undefined;
  /**
   * Deletes the node at the path, which must hold Zarr nodes only, or the other levels if the array itself
   * lies there. Default: false.
   */
  overwrite?: boolean | undefined;
  /** Resumes an interrupted call with the same options, keeping chunks and shards already written. */
  resume?: boolean | undefined;
  /**
   * Runs one stage only: "metadata" creates the group with its attributes and all arrays; a number fills that
   * level from the complete level before it. Default: everything, with the group's attributes last.
   */
  stage?: "metadata" | number | undefined;
  /**
   * Share of a level (`stage`) to write, as [index, count]: no two shares write to the same chunk or shard.
   * Default: [0, 1].
   */
  part?: readonly [index: number, count: number] | undefined;
  /** Maximum number of chunks (or shards) that are read or written in parallel. Default: 16. */
  concurrency?: number | undefined;
  /** Workers that decode the chunks read, and encode the chunks written. */
  pool?: WorkerPool | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: MultiscaleProgress) => void) | undefined;
  /** Limits, as in the options of `open`. */
  limits?: Partial<Limits> | undefined;
}

/** Source of an image. */
export interface Origin {
  /** The given array; for elements in memory, an array with the metadata that they will get. */
  readonly array: ZarrArray;
  readonly data: ElementData | undefined;
}

/** Names of data types by names of typed arrays. */
const typeOfArray: Readonly<Record<string, string>> = {
  Uint8ClampedArray: "uint8",
  BigInt64Array: "int64",
  BigUint64Array: "uint64",
};

/** @throws InvalidArgument unless an array, or elements with a shape, are given; the errors of `create`. */
export async function resolveOrigin(
  given: unknown,
  options: MultiscaleOptions,
  version: 2 | 3,
): Promise<Origin> {
  if (given instanceof ZarrArray) return { array: given, data: undefined };
  const data = ownProperty(given, "data") as ElementData;
  const isData = isRecord(given) && ArrayBuffer.isView(data) && !((data as unknown) instanceof DataView);
  if (!isData) {
    throw invalidArgument(
      "expected an array returned by open() or create(), or { data, shape } with a typed array",
    );
  }
  if (options.stage !== undefined)
    throw invalidArgument("stage requires a stored array, got elements in memory");
  const kind = data.constructor.name;
  const dtype = ownProperty(given, "dtype") ?? typeOfArray[kind] ?? kind.replace(/Array$/, "").toLowerCase();
  const { chunkShape, shardShape, codecs, fillValue, limits } = options;
  const shape = ownProperty(given, "shape") as readonly number[];
  const array = await createArray(new Map(), {
    shape,
    dtype: dtype as DTypeInput,
    chunkShape,
    shardShape: shardShape ?? undefined,
    codecs,
    fillValue,
    limits,
    zarrFormat: version,
  });
  if (array.dtype.isVariable) throw unsupported(`data type ${array.dtype} has no typed array`);
  checkElements(array.dtype, data, countOf(shape), "data");
  return { array, data };
}

const methods: readonly string[] = ["mean", "mode", "nearest", "max"] satisfies DownsamplingMethod[];

/** @throws Unsupported for a method that does not apply to the data type. */
export function requireKernel(method: DownsamplingMethod, dtype: DType): Kernel | undefined {
  if (method === "nearest") return undefined;
  const kernel = findKernel(method, dtype);
  if (kernel) return kernel;
  const others = findKernel("mode", dtype) ? "mode and nearest" : "nearest";
  throw unsupported(`method "${method}" does not support data type ${dtype}; pass ${others}`);
}

/** Options with their defaults. */
export interface CheckedMultiscaleOptions extends MultiscaleOptions {
  readonly method: DownsamplingMethod;
  readonly overwrite: boolean;
  readonly resume: boolean;
  readonly part: readonly [index: number, count: number];
}

/** The Zarr version of each OME-Zarr version. */
const formats: Readonly<Record<OmeVersion, 2 | 3>> = { "0.4": 2, "0.5": 3, "0.6rc0": 3 };

/** Returns the requested Zarr version. @throws InvalidArgument */
function requestedFormat({ zarrFormat, omeVersion }: MultiscaleOptions): 2 | 3 | undefined {
  if (zarrFormat !== undefined && zarrFormat !== 2 && zarrFormat !== 3)
    throw invalidArgument(
      `OME-Zarr is Zarr v2 or v3: zarrFormat must be 2 or 3, got ${describeValue(zarrFormat)}`,
    );
  if (omeVersion === undefined) return zarrFormat;
  if (typeof omeVersion !== "string" || !Object.hasOwn(formats, omeVersion)) {
    const known = Object.keys(formats).join(", ");
    throw invalidArgument(`omeVersion must be one of ${known}, got ${describeValue(omeVersion)}`);
  }
  if (zarrFormat === undefined || zarrFormat === formats[omeVersion]) return formats[omeVersion];
  throw invalidArgument(`OME-Zarr ${omeVersion} is Zarr v${formats[omeVersion]}, not v${zarrFormat}`);
}

const multiscaleOptions: OptionNames<MultiscaleOptions> = {
  path: true,
  levels: true,
  method: true,
  factor: "factors",
  chunkShape: "chunk chunks",
  shardShape: "shard shards",
  codecs: codecNames,
  fillValue: true,
  zarrFormat: "format zarrversion",
  omeVersion: true,
  axes: "dims dimensionnames",
  scale: true,
  translation: true,
  name: true,
  ome: true,
  attributes: "attrs",
  overwrite: true,
  resume: true,
  stage: true,
  part: true,
  concurrency: true,
  pool: true,
  signal: true,
  onProgress: true,
  limits: true,
};

/** @throws InvalidArgument. */
export function checkMultiscaleOptions(options: MultiscaleOptions): CheckedMultiscaleOptions {
  checkOptions(options, multiscaleOptions);
  const { method = "mean", overwrite = false, resume = false, part = [0, 1], stage, concurrency } = options;
  if (!methods.includes(method))
    throw invalidArgument(`method must be one of ${methods.join(", ")}, got ${describeValue(method)}`);
  for (const [name, value] of Object.entries({ overwrite, resume })) {
    if (typeof value !== "boolean")
      throw invalidArgument(`${name} must be true or false, got ${describeValue(value)}`);
  }
  if (overwrite && resume) throw invalidArgument("overwrite and resume are mutually exclusive");
  const zarrFormat = requestedFormat(options);
  if (stage !== undefined && stage !== "metadata" && !(Number.isSafeInteger(stage) && stage >= 0))
    throw invalidArgument(`stage must be "metadata" or the number of a level, got ${describeValue(stage)}`);
  if (overwrite && typeof stage === "number")
    throw invalidArgument('overwrite requires stage "metadata" or no stage');
  if (concurrency !== undefined && !(Number.isSafeInteger(concurrency) && concurrency > 0))
    throw invalidArgument(`concurrency must be an integer of at least 1, got ${describeValue(concurrency)}`);
  checkPart(part, stage);
  checkTexts(options);
  return { ...options, method, overwrite, resume, part, zarrFormat };
}

function checkPart(part: unknown, stage: MultiscaleOptions["stage"]): void {
  const [index, count] = Array.isArray(part) && part.length === 2 ? part : [];
  const valid = Number.isSafeInteger(index) && Number.isSafeInteger(count) && index >= 0 && index < count;
  if (!valid)
    throw invalidArgument(
      `part must be [index, count] with 0 <= index < count, got ${Array.isArray(part) ? `[${part}]` : describeValue(part)}`,
    );
  if (count > 1 && typeof stage !== "number")
    throw invalidArgument("part applies to one level: set stage to its number");
}

function checkTexts({ name, onProgress, ome, attributes }: MultiscaleOptions): void {
  if (name !== undefined && typeof name !== "string")
    throw invalidArgument(`name must be a string, got ${describeValue(name)}`);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalidArgument(`onProgress must be a function, got ${describeValue(onProgress)}`);
  for (const [what, value] of Object.entries({ ome, attributes })) {
    if (value !== undefined && !isRecord(value))
      throw invalidArgument(`${what} must be an object, got ${describeValue(value)}`);
  }
  if (ownProperty(ome, "multiscales") !== undefined || ownProperty(ome, "version") !== undefined)
    throw invalidArgument("ome must not contain multiscales or version, which are generated");
}

// ---- Levels and axes

/** One resolution level. */
export interface Level {
  readonly shape: readonly number[];
  /** Number of elements of the level before per element, along each axis; 1 for the finest level. */
  readonly factors: readonly number[];
  /** Units per element along each axis. */
  readonly scale: readonly number[];
  /** Position of the centre of the first element along each axis. */
  readonly translation: readonly number[];
}

/** Maximum length of the coarsest level along each axis, unless the number of levels is given. */
const smallEnough = 256;
/** Maximum number of levels: repeated halving leaves a single element of any array before that. */
const maxLevels = 64;
/** Maximum number of elements of a block; kernels rely on it. */
const maxBlock = 4096;

/** @throws InvalidArgument for invalid numbers or factors. */
export function planLevels(
  shape: readonly number[],
  axes: readonly Axis[],
  method: DownsamplingMethod,
  options: Pick<MultiscaleOptions, "levels" | "factor" | "scale" | "translation">,
): Level[] {
  if (countOf(shape) === 0)
    throw invalidArgument(`an image must have at least one element, got shape [${shape.join(", ")}]`);
  const { levels: maxCount } = options;
  if (maxCount !== undefined && (!Number.isSafeInteger(maxCount) || maxCount < 1 || maxCount > maxLevels))
    throw invalidArgument(`levels must be an integer from 1 to ${maxLevels}, got ${describeValue(maxCount)}`);
  const wanted = resolveFactors(options.factor, axes);
  const levels: Level[] = [
    {
      shape,
      factors: shape.map(() => 1),
      scale: resolveNumbers(options.scale, "scale", 1, axes),
      translation: resolveNumbers(options.translation, "translation", 0, axes),
    },
  ];
  while (levels.length < (maxCount ?? maxLevels)) {
    const last = levels.at(-1)!;
    const isSmall = last.shape.every((length, axis) => wanted[axis] === 1 || length <= smallEnough);
    // An axis of length 1 cannot be reduced: its scale and position stay.
    const factors = wanted.map((factor, axis) => Math.min(factor, last.shape[axis]!));
    if ((maxCount === undefined && isSmall) || factors.every((factor) => factor === 1)) break;
    levels.push(nextLevel(last, factors, method));
  }
  return levels;
}

/**
 * Returns the next level. Each element lies at the centre of its block: half a step from the centre of the
 * block's first element for each further element. For "nearest", it lies at the centre of the first element.
 */
function nextLevel(before: Level, factors: readonly number[], method: DownsamplingMethod): Level {
  const { shape, scale, translation } = before;
  const shift = (axis: number) => (method === "nearest" ? 0 : (factors[axis]! - 1) / 2);
  return {
    shape: shape.map((length, axis) => Math.ceil(length / factors[axis]!)),
    factors,
    scale: scale.map((step, axis) => step * factors[axis]!),
    translation: translation.map((start, axis) => start + scale[axis]! * shift(axis)),
  };
}

function resolveFactors(given: MultiscaleOptions["factor"], axes: readonly Axis[]): number[] {
  const inSpace = (factor: number) => axes.map(({ type }) => (type === "space" ? factor : 1));
  const factors = typeof given === "number" ? inSpace(given) : (factorList(given, axes) ?? inSpace(2));
  for (const factor of factors) {
    if (!Number.isSafeInteger(factor) || factor < 1)
      throw invalidArgument(`factors must be positive integers, got ${describeValue(factor)}`);
  }
  if (factors.length !== axes.length)
    throw invalidArgument(`factor must have ${axes.length} numbers, one per axis, got ${factors.length}`);
  if (countOf(factors) > maxBlock)
    throw invalidArgument(
      `factors must make blocks of at most ${maxBlock} elements, got ${countOf(factors)}`,
    );
  return factors;
}

function factorList(given: MultiscaleOptions["factor"], axes: readonly Axis[]): number[] | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given)) return [...given];
  if (typeof given !== "object" || given === null)
    throw invalidArgument(`factor must be a number, a list or an object, got ${describeValue(given)}`);
  const byName = given as { readonly [axis: string]: number };
  const unknown = Object.keys(byName).find((name) => !axes.some((axis) => axis.name === name));
  if (unknown !== undefined) throw invalidArgument(`factor: unknown axis "${unknown}"`);
  return axes.map(({ name, type }) =>
    Object.hasOwn(byName, name) ? byName[name]! : type === "space" ? 2 : 1,
  );
}

function resolveNumbers(
  given: readonly number[] | undefined,
  name: "scale" | "translation",
  missing: number,
  axes: readonly Axis[],
): readonly number[] {
  if (given === undefined) return axes.map(() => missing);
  const valid = (value: unknown) =>
    Number.isFinite(value) && (name === "translation" || (value as number) > 0);
  if (!Array.isArray(given) || given.length !== axes.length || !Array.from(given).every(valid)) {
    const what = name === "scale" ? "positive numbers" : "numbers";
    throw invalidArgument(`${name} must be a list of ${axes.length} ${what}, one per axis`);
  }
  return [...given];
}

/** An axis as written. */
export interface Axis {
  readonly name: string;
  readonly type: string | undefined;
  readonly unit: string | undefined;
}

/** Axis types by name, in lower case. */
const typeOfName: ReadonlyMap<string, string> = new Map([
  ["t", "time"],
  ["time", "time"],
  ["c", "channel"],
  ["channel", "channel"],
  ["z", "space"],
  ["y", "space"],
  ["x", "space"],
  ["lat", "space"],
  ["latitude", "space"],
  ["lon", "space"],
  ["longitude", "space"],
]);

/** Axes of arrays without dimension names, by rank. */
const usual: Readonly<Record<number, readonly string[]>> = {
  2: ["y", "x"],
  3: ["z", "y", "x"],
  4: ["c", "z", "y", "x"],
  5: ["t", "c", "z", "y", "x"],
};

/**
 * Returns the axes of an image.
 * @param names dimension names of the array, used if no axes are given.
 * @throws InvalidArgument for axes that OME-Zarr does not allow.
 */
export function resolveAxes(
  given: MultiscaleOptions["axes"],
  names: readonly (string | null)[] | undefined,
  rank: number,
): Axis[] {
  if (rank < 2 || rank > 5) throw invalidArgument(`OME-Zarr images must have 2 to 5 dimensions, got ${rank}`);
  const list = given ?? (isNamed(names) ? names : usual[rank]!);
  if (!Array.isArray(list) || list.length !== rank)
    throw invalidArgument(
      `axes must be a list of ${rank} axes, one per dimension, got ${describeValue(list)}`,
    );
  const axes = list.map(resolveAxis);
  checkAxes(axes, given === undefined && isNamed(names));
  return axes;
}

const isNamed = (names: readonly (string | null)[] | undefined): names is readonly string[] =>
  names?.every((name) => name !== null && name !== "") === true && new Set(names).size === names.length;

function resolveAxis(axis: string | NewAxis): Axis {
  const name = typeof axis === "string" ? axis : ownProperty(axis, "name");
  const type = isRecord(axis) ? ownProperty(axis, "type") : undefined;
  const unit = isRecord(axis) ? ownProperty(axis, "unit") : undefined;
  if (typeof name !== "string" || name === "") throw invalidArgument("every axis must have a name");
  for (const [what, value] of Object.entries({ type, unit })) {
    if (value !== undefined && typeof value !== "string")
      throw invalidArgument(`the ${what} of axis "${name}" must be a string, got ${describeValue(value)}`);
  }
  return {
    name,
    type: (type as string | undefined) ?? typeOfName.get(name.toLowerCase()),
    unit: unit as string | undefined,
  };
}

/**
 * Checks the order: at most one time axis, then at most one of channels or another kind, then two or three of
 * space.
 */
function checkAxes(axes: readonly Axis[], areGuessed: boolean): void {
  const names = axes.map(({ name }) => name).join(", ");
  const hint = areGuessed ? "; these are the array's dimension names, pass axes for others" : "";
  if (new Set(axes.map(({ name }) => name)).size < axes.length)
    throw invalidArgument(`axes must have unique names, got ${names}`);
  const order = axes.map(({ type }) => (type === "time" ? "t" : type === "space" ? "s" : "c")).join("");
  if (/^t?c?s{2,3}$/.test(order)) return;
  const kinds = axes.map(({ name, type }) => `${name} (${type ?? "of no type"})`).join(", ");
  throw invalidArgument(
    `axes must be at most one of time, then at most one of channels or another type, then two or three of space, got ${kinds}${hint}`,
  );
}
