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
  const total = counts.reduce((a, b) => a * b, 1);
  if (total === 0) return [];
  if (!part) return [{ from: counts.map(() => 0), to: counts }];
  const turn = (part.index + shift) % part.count;
  return boxesOf(counts, cut(total, turn, part.count), cut(total, turn + 1, part.count));
}

/** Where the share of a turn starts. Totals may be beyond what a product of doubles has exactly. */
const cut = (total: number, turn: number, count: number): number =>
  Number((BigInt(total) * BigInt(turn)) / BigInt(count));

/** A run of objects in C order as boxes: its first row, whole rows, and its last row, axis by axis. */
function boxesOf(counts: readonly number[], start: number, end: number): ObjectBox[] {
  if (start >= end) return [];
  if (counts.length === 0) return [{ from: [], to: [] }];
  const [length, ...inner] = counts as [number, ...number[]];
  const row = inner.reduce((a, b) => a * b, 1);
  const [first, last] = [Math.floor(start / row), Math.floor((end - 1) / row)];
  const within = (at: number, from: number, to: number): ObjectBox[] =>
    boxesOf(inner, from, to).map((box) => ({ from: [at, ...box.from], to: [at + 1, ...box.to] }));
  if (first === last) return within(first, start - first * row, end - first * row);
  const wholeFrom = start % row === 0 ? first : first + 1;
  const wholeTo = end % row === 0 ? last + 1 : last;
  const whole: ObjectBox[] =
    wholeFrom < wholeTo
      ? [{ from: [wholeFrom, ...inner.map(() => 0)], to: [Math.min(wholeTo, length), ...inner] }]
      : [];
  const head = wholeFrom > first ? within(first, start - first * row, row) : [];
  const tail = wholeTo <= last ? within(last, 0, end - last * row) : [];
  return [...head, ...whole, ...tail];
}
