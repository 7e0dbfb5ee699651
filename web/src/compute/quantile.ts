/**
 * Implements `quantile`: finds order statistics by histograms of the leading bits of values, whose bins are refined pass by
 * pass.
 */

import { isExact, keyBits, type ValueRule } from "../engine/box-reduction.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { checkOptions, type OptionNames } from "../util/arguments.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { checkReading, type ReadingOptions, readingOptions } from "./reduce.js";
import { type ReduceProgress, runWhole } from "./run.js";
import { checkArray, type Elements, elementsOf } from "./source.js";

export interface QuantileOptions extends ReadingOptions {
  /** Whether to read the array once only. `errors` then bounds the error of each value. Default: false. */
  approximate?: boolean | undefined;
}

/** Quantiles of the elements of an array that are not missing, in decoded units. */
export interface Quantiles {
  /** One for each requested quantile, interpolated linearly between neighbours; NaN without elements. */
  readonly values: Float64Array;
  /** Bounds of the error of each value: 0 unless they are approximate. */
  readonly errors: Float64Array;
  /** Number of elements. */
  readonly count: number;
}

const quantileOptions: OptionNames<QuantileOptions> = { ...readingOptions, approximate: true };

/** Bits that a pass resolves, and the number of bins. */
const passBits = 16;
const approximateBits = 20;
const maxQuantiles = 1024;

export async function quantilesOf(
  array: ZarrArray,
  q: number | readonly number[],
  options: QuantileOptions,
): Promise<Quantiles> {
  checkArray(array, "quantile");
  checkOptions(options, quantileOptions);
  checkReading(options);
  const { approximate = false, onProgress } = options;
  if (typeof approximate !== "boolean")
    throw invalidArgument(`approximate must be true or false, got ${describeValue(approximate)}`);
  const wanted = checkQuantiles(q);
  const elements = elementsOf(array, options.selection, options.decode);
  const start = firstBins(elements.values, approximate);
  const passes = approximate ? 1 : 1 + (keyBits(elements.values) - start.bits) / passBits;
  let pass = 0;
  const running = {
    ...options,
    onProgress: onProgress && ((progress: ReduceProgress) => onProgress(ofPass(progress, pass, passes))),
  };
  const [all] = await countKeys(elements, [start], running);
  const count = all!.counts.reduce((sum, n) => sum + n, 0);
  if (count === 0) return noQuantiles(wanted.length);
  const positions = wanted.map((at) => at * (count - 1));
  const ranks = [...new Set(positions.flatMap((at) => [Math.floor(at), Math.ceil(at)]))];
  let found = new Map(ranks.map((rank) => [rank, locate(all!, rank)]));
  for (pass = 1; pass < passes; pass++) {
    const prefixes = [...new Set([...found.values()].map(({ prefix }) => prefix))];
    const bits = start.bits + pass * passBits;
    const bins = prefixes.map((prefix) => ({ base: prefix << BigInt(passBits), bits, count: 2 ** passBits }));
    const counted = await countKeys(elements, bins, running);
    const next = ([rank, key]: readonly [number, Key]) =>
      [rank, locate(counted[prefixes.indexOf(key.prefix)]!, key.rank)] as const;
    found = new Map([...found].map(next));
  }
  return interpolated(positions, found, elements.values, count);
}

function checkQuantiles(q: unknown): readonly number[] {
  const list: unknown[] = Array.isArray(q) ? Array.from(q) : [q];
  const isValid = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1;
  if (list.length === 0 || list.length > maxQuantiles || !list.every(isValid))
    throw invalidArgument(
      `q must be a number from 0 to 1, or a list of at most ${maxQuantiles} of them, got ${describeValue(q)}`,
    );
  return list as number[];
}

const noQuantiles = (length: number): Quantiles => ({
  values: new Float64Array(length).fill(Number.NaN),
  errors: new Float64Array(length),
  count: 0,
});

/** Progress over all passes. */
const ofPass = ({ bytes, totalBytes, received }: ReduceProgress, pass: number, passes: number) => ({
  bytes: bytes + pass * totalBytes,
  totalBytes: passes * totalBytes,
  received,
});

/** The leading bits of the value at a rank, and its rank among the values with these bits. */
interface Key {
  readonly prefix: bigint;
  readonly bits: number;
  readonly rank: number;
}

/** Bins of values by leading bits of their keys: bin i has the bits `base + i`. */
interface KeyBins {
  readonly base: bigint;
  readonly bits: number;
  readonly count: number;
}

/** Bins that hold all values; of integers of one or two bytes, one for each value. */
function firstBins(values: ValueRule, approximate: boolean): KeyBins {
  if (isExact(values) && /^(bool|u?int(8|16))$/.test(values.number))
    return { base: values.number.startsWith("int") ? 2n ** 31n - 2n ** 15n : 0n, bits: 32, count: 2 ** 16 };
  const bits = approximate ? approximateBits : passBits;
  return { base: 0n, bits, count: 2 ** bits };
}

/** Maximum number of histograms in one pass: 64 MiB in each thread. */
const maxHistograms = 128;

/** Counts values by bins. */
async function countKeys(
  elements: Elements,
  bins: readonly KeyBins[],
  options: QuantileOptions,
): Promise<(KeyBins & { readonly counts: Float64Array })[]> {
  const all: (KeyBins & { counts: Float64Array })[] = [];
  for (let at = 0; at < bins.length; at += maxHistograms) {
    const some = bins.slice(at, at + maxHistograms);
    const histograms = some.map(({ base, bits, count }) => ({
      bins: count,
      by: { shift: keyBits(elements.values) - bits, base },
    }));
    let counts: readonly Float64Array[] = some.map(({ count }) => new Float64Array(count));
    await runWhole(elements, { fields: ["count"], histograms }, options, (_, found) => {
      counts = found.map((histogram) => histogram.counts);
    });
    all.push(...some.map((own, i) => ({ ...own, counts: counts[i]! })));
  }
  return all;
}

/** Finds the bin of a rank. */
function locate({ base, bits, counts }: KeyBins & { counts: Float64Array }, rank: number): Key {
  let rest = rank;
  let bin = 0;
  while (rest >= counts[bin]!) rest -= counts[bin++]!;
  return { prefix: base + BigInt(bin), bits, rank: rest };
}

/** Interpolates between values, as NumPy does. */
function interpolated(
  positions: readonly number[],
  found: ReadonlyMap<number, Key>,
  values: ValueRule,
  count: number,
): Quantiles {
  const [result, errors] = [new Float64Array(positions.length), new Float64Array(positions.length)];
  for (const [i, position] of positions.entries()) {
    const part = position - Math.floor(position);
    const [low, high] = [found.get(Math.floor(position))!, found.get(Math.ceil(position))!];
    const [lowest, highest] = [valueAt(values, low, 0n), valueAt(values, high, -1n)];
    const [a, b] = [(lowest + valueAt(values, low, -1n)) / 2, (valueAt(values, high, 0n) + highest) / 2];
    result[i] = a === b ? a : part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
    errors[i] =
      low.bits === keyBits(values)
        ? 0
        : Math.max(distance(lowest, result[i]!), distance(result[i]!, highest));
  }
  return { values: result, errors, count };
}

/** Infinite values are equal to themselves. */
const distance = (a: number, b: number): number => (a === b ? 0 : b - a);

const words = new DataView(new ArrayBuffer(8));

/** Returns the value of a key. @param rest bits after the prefix: 0 for the smallest value, -1 for the largest. */
function valueAt(values: ValueRule, { prefix, bits }: Key, rest: 0n | -1n): number {
  const width = keyBits(values);
  const left = BigInt(width - bits);
  const key = (prefix << left) | BigInt.asUintN(Number(left), rest);
  const sign = 1n << BigInt(width - 1);
  if (isExact(values)) return Number(values.number.startsWith("int") ? key - sign : key);
  words.setBigUint64(0, BigInt.asUintN(width, key & sign ? key ^ sign : ~key) << BigInt(64 - width));
  const value = width === 32 ? words.getFloat32(0) : words.getFloat64(0);
  return Number.isNaN(value) ? (key & sign ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY) : value;
}
