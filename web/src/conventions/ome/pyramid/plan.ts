/** The levels of a new image: how long they are, and where their elements lie. */
import { invalidArgument, shown } from "../../../util/errors.js";
import { countOf } from "../../../util/strides.js";
import type { DownsamplingMethod, MultiscaleOptions } from "../multiscale-options.js";
import type { Axis } from "./axes.js";

/** One resolution. */
export interface Level {
  readonly shape: readonly number[];
  /** How many elements of the level before become one, along each axis; of the finest level 1. */
  readonly factors: readonly number[];
  /** Units per element along each axis. */
  readonly scale: readonly number[];
  /** Where the centre of the first element lies along each axis. */
  readonly translation: readonly number[];
}

/** Where levels stop unless their number is given. */
const smallEnough = 256;
/** Most levels: of two elements less would be left of any array. */
const maxLevels = 64;
/** Most elements of a block; kernels rely on it (wide.ts). */
const maxBlock = 4096;

const bad = (message: string) => invalidArgument(message, { code: "bad-levels" });

/** @throws InvalidArgument for numbers that make no levels. */
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
    throw bad(`levels must be an integer of 1 to ${maxLevels}, not ${shown(most)}`);
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
    // Nothing lies beside what there is one of: its size and place stay.
    const factors = wanted.map((factor, axis) => Math.min(factor, last.shape[axis]!));
    if ((most === undefined && isSmall) || factors.every((factor) => factor === 1)) break;
    levels.push(nextLevel(last, factors, method));
  }
  return levels;
}

/**
 * The level after one. An element stands for a block: its centre is the block's, half a step from that of the block's
 * first element for each element more; but that of "nearest" is the first element.
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
      throw bad(`factors must be positive integers, not ${shown(factor)}`);
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
    throw bad(`factor must be a number, a list or an object, not ${shown(given)}`);
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
