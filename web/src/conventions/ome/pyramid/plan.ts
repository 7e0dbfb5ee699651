/** Determines the levels of a new image: their shapes, scales and translations. */
import { describeValue, invalidArgument } from "../../../util/errors.js";
import { countOf } from "../../../util/shapes.js";
import type { DownsamplingMethod, MultiscaleOptions } from "../multiscale-options.js";
import type { Axis } from "./axes.js";

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

const bad = (message: string) => invalidArgument(message, { code: "bad-levels" });

/** @throws InvalidArgument for invalid numbers or factors. */
export function planLevels(
  shape: readonly number[],
  axes: readonly Axis[],
  method: DownsamplingMethod,
  options: Pick<MultiscaleOptions, "levels" | "factor" | "scale" | "translation">,
): Level[] {
  if (countOf(shape) === 0)
    throw bad(`an image needs at least one element: its shape is [${shape.join(", ")}]`);
  const { levels: most } = options;
  if (most !== undefined && (!Number.isSafeInteger(most) || most < 1 || most > maxLevels))
    throw bad(`levels must be an integer of 1 to ${maxLevels}, not ${describeValue(most)}`);
  const wanted = factorsOf(options.factor, axes);
  const levels: Level[] = [
    {
      shape,
      factors: shape.map(() => 1),
      scale: numbersOf(options.scale, "scale", 1, axes),
      translation: numbersOf(options.translation, "translation", 0, axes),
    },
  ];
  while (levels.length < (most ?? maxLevels)) {
    const last = levels.at(-1)!;
    const isSmall = last.shape.every((length, axis) => wanted[axis] === 1 || length <= smallEnough);
    // An axis of length 1 cannot be reduced: its scale and position stay.
    const factors = wanted.map((factor, axis) => Math.min(factor, last.shape[axis]!));
    if ((most === undefined && isSmall) || factors.every((factor) => factor === 1)) break;
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

function factorsOf(given: MultiscaleOptions["factor"], axes: readonly Axis[]): number[] {
  const inSpace = (factor: number) => axes.map(({ type }) => (type === "space" ? factor : 1));
  const factors = typeof given === "number" ? inSpace(given) : (listOf(given, axes) ?? inSpace(2));
  for (const factor of factors) {
    if (!Number.isSafeInteger(factor) || factor < 1)
      throw bad(`factors must be positive integers, not ${describeValue(factor)}`);
  }
  if (factors.length !== axes.length)
    throw bad(`factor must have ${axes.length} numbers, one per axis, not ${factors.length}`);
  if (countOf(factors) > maxBlock)
    throw bad(`factors make blocks of ${countOf(factors)} elements, more than ${maxBlock}`);
  return factors;
}

function listOf(given: MultiscaleOptions["factor"], axes: readonly Axis[]): number[] | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given)) return [...given];
  if (typeof given !== "object" || given === null)
    throw bad(`factor must be a number, a list or an object, not ${describeValue(given)}`);
  const byName = given as { readonly [axis: string]: number };
  const unknown = Object.keys(byName).find((name) => !axes.some((axis) => axis.name === name));
  if (unknown !== undefined) throw bad(`factor names "${unknown}", which is no axis`);
  return axes.map(({ name, type }) =>
    Object.hasOwn(byName, name) ? byName[name]! : type === "space" ? 2 : 1,
  );
}

function numbersOf(
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
    throw invalidArgument(`${name} must be a list of ${axes.length} ${what}, one per axis`, {
      code: "bad-transformation",
    });
  }
  return [...given];
}
