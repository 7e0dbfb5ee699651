/** `--part I/N`: one process' share of the stored objects of an array. */
import { UsageError } from "./usage.js";

/** This process is the `index`-th (from 0) of `count`. */
export interface Part {
  readonly index: number;
  readonly count: number;
}

/** Objects (chunks, or shards) of an array's grid: `from` up to, not including, `to` along each axis. */
export interface ObjectBox {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Reads "I/N". @throws UsageError. */
export function parsePart(text: string): Part {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index >= count)
    throw new UsageError(`--part: "${text}" is not I/N with I from 0 to N - 1, such as 0/4`);
  return { index, count };
}

/**
 * The share of a part in an array's stored objects, as boxes of them: no object is in two parts, and none in no part.
 * Objects are dealt out in C order, in runs whose lengths differ by one at most.
 * @param counts objects along each axis.
 * @param shift of which number the array is among those that are shared out: small arrays go to different parts.
 */
export function shareOf(counts: readonly number[], part: Part | undefined, shift = 0): ObjectBox[] {
  // Exact: the product may be far beyond what a double holds.
  const total = productOf(counts);
  if (total === 0n) return [];
  if (!part) return [{ from: counts.map(() => 0), to: counts }];
  const turn = BigInt((part.index + shift) % part.count);
  const cut = (at: bigint) => (total * at) / BigInt(part.count);
  return boxesOf(counts, cut(turn), cut(turn + 1n));
}

/** The exact product of lengths. */
export const productOf = (lengths: readonly number[]): bigint =>
  lengths.reduce((product, length) => product * BigInt(length), 1n);

/** A run of objects in C order as boxes: its first row, whole rows, and its last row, axis by axis. */
function boxesOf(counts: readonly number[], start: bigint, end: bigint): ObjectBox[] {
  if (start >= end) return [];
  if (counts.length === 0) return [{ from: [], to: [] }];
  const inner = counts.slice(1);
  const row = productOf(inner);
  const [first, last] = [start / row, (end - 1n) / row];
  const within = (at: bigint, from: bigint, to: bigint): ObjectBox[] =>
    boxesOf(inner, from, to).map((box) => ({
      from: [Number(at), ...box.from],
      to: [Number(at) + 1, ...box.to],
    }));
  if (first === last) return within(first, start - first * row, end - first * row);
  const wholeFrom = start % row === 0n ? first : first + 1n;
  const wholeTo = end % row === 0n ? last + 1n : last;
  const whole: ObjectBox[] =
    wholeFrom < wholeTo
      ? [{ from: [Number(wholeFrom), ...inner.map(() => 0)], to: [Number(wholeTo), ...inner] }]
      : [];
  const head = wholeFrom > first ? within(first, start - first * row, row) : [];
  const tail = wholeTo <= last ? within(last, 0n, end - last * row) : [];
  return [...head, ...whole, ...tail];
}
