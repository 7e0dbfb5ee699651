/** Finds the stored objects (chunks or shards) that a smaller shape removes or cuts. */

import type { ZarrArray } from "../hierarchy/array.js";
import { parseChunkKey } from "../metadata/chunk-key-encodings.js";
import type { AxisGrid } from "../metadata/grid.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinKey } from "../store/store.js";
import { limitExceeded, readOnly } from "../util/errors.js";
import { type Box, countOf, positionsIn } from "../util/shapes.js";

/** Maximum number of objects that are named one by one if the store can list them instead. */
const fewObjects = 4096;

/** Coordinates in the grid of stored objects. */
export type Cells = Iterable<number[]> | AsyncIterable<number[]>;

/**
 * Returns the objects that lie entirely outside a new shape: all that may exist or, if these are many, all
 * that the store lists.
 * @param axes current axes of the array.
 * @throws ReadOnly for a store that cannot delete; LimitExceeded if there are too many to name and the store
 *   cannot list.
 */
export function cellsOutside(
  array: ZarrArray,
  axes: readonly AxisGrid[],
  shape: readonly number[],
  signal: AbortSignal | undefined,
): Cells {
  const before = axes.map((axis) => axis.count);
  const after = axes.map((axis, i) => Math.min(cellsWithin(axis, shape[i]!), before[i]!));
  // For each axis: cells beyond the new shape there, and within it along the preceding axes.
  const boxes = before.map((_, axis) => ({
    from: before.map((_, i) => (i === axis ? after[i]! : 0)),
    to: before.map((count, i) => (i < axis ? after[i]! : count)),
  }));
  const count = countIn(boxes);
  // Checked before anything is written.
  if (count > 0 && typeof array.store.delete !== "function")
    throw readOnly("the store cannot delete chunks outside the new shape: it has no delete()", {
      code: "no-delete",
    });
  return cellsIn(array, boxes, count, "would have to be deleted", signal);
}

/**
 * Returns the objects that a new shape cuts: they hold elements on both sides of its border.
 * @param ends end of the last object that the new shape keeps, along each axis; the new length if nothing is
 *   cut off.
 * @throws LimitExceeded as {@link cellsOutside}.
 */
export function cellsCut(
  array: ZarrArray,
  axes: readonly AxisGrid[],
  shape: readonly number[],
  ends: readonly number[],
  signal: AbortSignal | undefined,
): Cells {
  const kept = axes.map((axis, i) => cellsWithin(axis, shape[i]!));
  const isCut = (axis: number) => ends[axis]! > shape[axis]!;
  const boxes = kept.flatMap((_, axis) => {
    if (!isCut(axis)) return [];
    const from = kept.map((count, i) => (i === axis ? count - 1 : 0));
    const to = kept.map((count, i) => (i < axis && isCut(i) ? count - 1 : count));
    return [{ from, to }];
  });
  return cellsIn(
    array,
    boxes,
    countIn(boxes),
    'would have to be changed; edges: "keep" leaves them unchanged',
    signal,
  );
}

/** Returns all stored objects of an array, in a store that can list. */
export function cellsStored(array: ZarrArray, signal: AbortSignal | undefined): Cells {
  const { axes } = array.spec;
  return listed(array, [{ from: axes.map(() => 0), to: axes.map((axis) => axis.count) }], signal);
}

/** Returns the number of cells along an axis that hold elements of the new length. */
export function cellsWithin(axis: AxisGrid, length: number): number {
  return length === 0 ? 0 : length >= axis.length ? axis.count : axis.find(length - 1) + 1;
}

const countIn = (boxes: readonly Box[]): number =>
  boxes.reduce((sum, { from, to }) => sum + countOf(from.map((start, i) => Math.max(0, to[i]! - start))), 0);

function cellsIn(
  array: ZarrArray,
  boxes: readonly Box[],
  count: number,
  what: string,
  signal: AbortSignal | undefined,
): Cells {
  const { store, limits } = array;
  if (count > fewObjects && canList(store)) return listed(array, boxes, signal);
  if (!(count <= limits.readChunks))
    throw limitExceeded(`${count} chunks ${what}, more than the limit of ${limits.readChunks}`);
  return named(boxes);
}

function* named(boxes: readonly Box[]): Generator<number[]> {
  for (const box of boxes) yield* positionsIn(box);
}

async function* listed(
  array: ZarrArray,
  boxes: readonly Box[],
  signal: AbortSignal | undefined,
): AsyncGenerator<number[]> {
  const { store, path, spec } = array;
  const prefix = joinKey(path, "");
  // Collected first, because a listing must not change while it is read. By key, because stores may list a
  // key more than once.
  const all = new Map<string, number[]>();
  for await (const key of keysBelow(store, path, signal)) {
    const cell = parseChunkKey(spec.keys, key.slice(prefix.length), spec.shape.length);
    if (!cell) continue;
    const isIn = ({ from, to }: Box) => cell.every((at, axis) => at >= from[axis]! && at < to[axis]!);
    if (boxes.some(isIn)) all.set(key, cell);
  }
  yield* all.values();
}
