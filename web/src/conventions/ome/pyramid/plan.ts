/** Determines the axes of a new OME-Zarr image, and the shapes, scales and translations of its levels. */

import { isRecord, ownProperty } from "../../../util/arguments.js";
import { describeValue, invalidArgument } from "../../../util/errors.js";
import { countOf } from "../../../util/shapes.js";
import type { DownsamplingMethod, MultiscaleOptions, NewAxis } from "./options.js";

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
/** Maximum number of elements of a block; kernels rely on it (kernel.ts). */
const maxBlock = 4096;

const badLevels = (message: string) => invalidArgument(message);

/** @throws InvalidArgument for invalid numbers or factors. */
export function planLevels(
  shape: readonly number[],
  axes: readonly Axis[],
  method: DownsamplingMethod,
  options: Pick<MultiscaleOptions, "levels" | "factor" | "scale" | "translation">,
): Level[] {
  if (countOf(shape) === 0)
    throw badLevels(`an image must have at least one element, got shape [${shape.join(", ")}]`);
  const { levels: maxCount } = options;
  if (maxCount !== undefined && (!Number.isSafeInteger(maxCount) || maxCount < 1 || maxCount > maxLevels))
    throw badLevels(`levels must be an integer from 1 to ${maxLevels}, got ${describeValue(maxCount)}`);
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
      throw badLevels(`factors must be positive integers, got ${describeValue(factor)}`);
  }
  if (factors.length !== axes.length)
    throw badLevels(`factor must have ${axes.length} numbers, one per axis, got ${factors.length}`);
  if (countOf(factors) > maxBlock)
    throw badLevels(`factors must make blocks of at most ${maxBlock} elements, got ${countOf(factors)}`);
  return factors;
}

function factorList(given: MultiscaleOptions["factor"], axes: readonly Axis[]): number[] | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given)) return [...given];
  if (typeof given !== "object" || given === null)
    throw badLevels(`factor must be a number, a list or an object, got ${describeValue(given)}`);
  const byName = given as { readonly [axis: string]: number };
  const unknown = Object.keys(byName).find((name) => !axes.some((axis) => axis.name === name));
  if (unknown !== undefined) throw badLevels(`factor: unknown axis "${unknown}"`);
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

const badAxes = (message: string) => invalidArgument(message);

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
  if (rank < 2 || rank > 5) throw badAxes(`OME-Zarr images must have 2 to 5 dimensions, got ${rank}`);
  const list = given ?? (isNamed(names) ? names : usual[rank]!);
  if (!Array.isArray(list) || list.length !== rank)
    throw badAxes(`axes must be a list of ${rank} axes, one per dimension, got ${describeValue(list)}`);
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
  if (typeof name !== "string" || name === "") throw badAxes("every axis must have a name");
  for (const [what, value] of Object.entries({ type, unit })) {
    if (value !== undefined && typeof value !== "string")
      throw badAxes(`the ${what} of axis "${name}" must be a string, got ${describeValue(value)}`);
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
    throw badAxes(`axes must have unique names, got ${names}`);
  const order = axes.map(({ type }) => (type === "time" ? "t" : type === "space" ? "s" : "c")).join("");
  if (/^t?c?s{2,3}$/.test(order)) return;
  const kinds = axes.map(({ name, type }) => `${name} (${type ?? "of no type"})`).join(", ");
  throw badAxes(
    `axes must be at most one of time, then at most one of channels or another type, then two or three of space, got ${kinds}${hint}`,
  );
}
