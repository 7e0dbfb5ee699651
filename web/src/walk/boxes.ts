/**
 * Boxes of elements and of stored objects, their division into tiles and into parts for several processes, and work on many
 * of them at a time.
 */

import type { ArrayReader } from "../read/reader.js";
import { nextTask } from "../util/platform.js";
import { type Box, countOf, positionsIn } from "../util/shapes.js";

export const boxLengths = ({ from, to }: Box): number[] => to.map((end, axis) => end - from[axis]!);

export const countIn = (box: Box): number => countOf(boxLengths(box));

/** As {@link countIn}, exact for boxes of any size. */
export const exactCount = (box: Box): bigint => exactProduct(boxLengths(box));

/** Intersection of two boxes; undefined if it is empty. */
export function intersect(a: Box, b: Box): Box | undefined {
  const from = a.from.map((start, axis) => Math.max(start, b.from[axis]!));
  const to = a.to.map((end, axis) => Math.min(end, b.to[axis]!));
  return from.every((start, axis) => start < to[axis]!) ? { from, to } : undefined;
}

/** Cuts a box into tiles of a shape (smaller ones at its far sides), in C order. */
export function* tileBox(box: Box, shape: readonly number[]): Generator<Box> {
  const counts = boxLengths(box).map((length, axis) => Math.ceil(length / shape[axis]!));
  for (const at of positionsIn({ from: counts.map(() => 0), to: counts })) {
    const from = at.map((index, axis) => box.from[axis]! + index * shape[axis]!);
    yield { from, to: from.map((start, axis) => Math.min(start + shape[axis]!, box.to[axis]!)) };
  }
}

/** Positions of all objects in boxes. */
export function* objectsIn(boxes: readonly Box[]): Generator<number[]> {
  for (const box of boxes) yield* positionsIn(box);
}

type Axes = ArrayReader["axes"];

/** Returns the number of chunks in boxes of stored objects, counting inner chunks of shards. */
export const chunksIn = (boxes: readonly Box[], { axes, objectAxes }: ArrayReader): bigint =>
  boxes.reduce((sum, box) => sum + exactCount(cellBox(elementBox(box, objectAxes), axes)), 0n);

/** Elements of the array in cells of a grid. */
export function elementBox({ from, to }: Box, axes: Axes): Box {
  return {
    from: from.map((cell, axis) => axes[axis]!.start(cell)),
    to: to.map((cell, axis) => {
      const { length } = axes[axis]!;
      return cell === 0 ? 0 : Math.min(length, axes[axis]!.start(cell - 1) + axes[axis]!.size(cell - 1));
    }),
  };
}

/** Cells of a grid that hold any element of a box that is not empty. */
export function cellBox({ from, to }: Box, axes: Axes): Box {
  return {
    from: from.map((start, axis) => axes[axis]!.find(start)),
    to: to.map((end, axis) => axes[axis]!.find(end - 1) + 1),
  };
}

/** One of `count` shares of the work; `index` counts from 0. */
export interface ShareIndex {
  readonly index: number;
  readonly count: number;
}

/** Stored objects (chunks or shards) of an array: from `from` up to, not including, `to` along each axis. */
export interface ObjectBox {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/**
 * Returns the stored objects of an array that belong to a part, as boxes. Each object belongs to exactly one part. Parts
 * are runs of objects in C order whose lengths differ by at most one.
 * @param counts objects along each axis.
 * @param shift number of the array in the copy, so that small arrays go to different parts.
 */
export function shareBoxes(counts: readonly number[], part: ShareIndex | undefined, shift = 0): ObjectBox[] {
  // Exact: a double may not hold the product.
  const total = exactProduct(counts);
  if (total === 0n) return [];
  if (!part) return [{ from: counts.map(() => 0), to: counts }];
  const turn = BigInt((part.index + shift) % part.count);
  const cut = (at: bigint) => (total * at) / BigInt(part.count);
  return runToBoxes(counts, cut(turn), cut(turn + 1n));
}

/** The exact product of lengths. */
export const exactProduct = (lengths: readonly number[]): bigint =>
  lengths.reduce((product, length) => product * BigInt(length), 1n);

/** Converts a run of objects in C order to boxes: its first row, whole rows, and its last row, axis by axis. */
function runToBoxes(counts: readonly number[], start: bigint, end: bigint): ObjectBox[] {
  if (start >= end) return [];
  if (counts.length === 0) return [{ from: [], to: [] }];
  const inner = counts.slice(1);
  const row = exactProduct(inner);
  const [first, last] = [start / row, (end - 1n) / row];
  const within = (at: bigint, from: bigint, to: bigint): ObjectBox[] =>
    runToBoxes(inner, from, to).map((box) => ({
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

/** Time after which {@link inLanes} yields to the event loop, in milliseconds. */
const turnTime = 5;

/**
 * Runs work for every item, `lanes` items at a time. Yields to the event loop now and then, since calls of file systems may
 * block: signals and messages of threads arrive there.
 * @throws the first error, or the signal's reason, after all running work has ended; no item is begun after it.
 */
export async function inLanes<T>(
  items: Iterable<T>,
  lanes: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal | undefined,
): Promise<void> {
  const all = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  let turn = performance.now() + turnTime;
  const lane = async () => {
    for (let next = all.next(); !next.done && !failure; next = all.next()) {
      try {
        signal?.throwIfAborted();
        await work(next.value);
        if (performance.now() < turn) continue;
        await nextTask();
        turn = performance.now() + turnTime;
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failure) throw failure.error;
}

/** Returns how many items of a size fit into memory at a time. */
export const lanesFor = (bytes: number, memory: number, most = 16): number =>
  Math.max(1, Math.min(most, Math.floor(memory / Math.max(1, bytes))));
