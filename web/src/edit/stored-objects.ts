/** Finds the stored objects (chunks or shards) of an array: all, or those that a smaller shape removes or cuts. */

import type { ZarrArray } from "../hierarchy/array.js";
import { parseChunkKey } from "../metadata/chunk-key-encodings.js";
import type { ChunkKeys } from "../metadata/document.js";
import type { AxisGrid } from "../metadata/grid.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinKey, type Store } from "../store/store.js";
import { limitExceeded, readOnly } from "../util/errors.js";
import { type Box, countOf, positionsIn } from "../util/shapes.js";

/** Optional store properties that describe its listings. */
interface Listing {
  /** Whether `list` returns the keys of chunks. Default: true for writable stores. */
  readonly listsChunks?: boolean | undefined;
  /** Lists files and folders, for stores whose `list` is slow or does not follow every link. */
  namesBelow?(
    path: string,
    depth: number,
    isEntered: (name: string) => boolean,
    signal: AbortSignal | undefined,
  ): AsyncIterable<string>;
}

/** Whether {@link storedObjects} supports a store. */
export function listsChunks(store: Store & Listing): boolean {
  const isComplete = store.listsChunks ?? (typeof store.set === "function" || store instanceof Map);
  return store.namesBelow !== undefined || (isComplete && canList(store));
}

/**
 * Yields the grid positions of an array's stored objects (chunks or shards) in no particular order; some may
 * lie outside the array.
 * @returns undefined for a store that does not list chunks, such as a server without a bucket, an Icechunk
 *   repository, or references in Parquet files.
 */
export function storedObjects(
  { store, path, spec }: ZarrArray,
  signal?: AbortSignal | undefined,
): AsyncIterable<number[]> | undefined {
  const { keys, shape } = spec;
  const names = chunkNames(store, path, keys, shape.length, signal);
  return names && parsePositions(names, keys, shape.length);
}

function chunkNames(
  store: Store & Listing,
  path: string,
  keys: ChunkKeys,
  rank: number,
  signal: AbortSignal | undefined,
): AsyncIterable<string> | undefined {
  if (store.namesBelow) return store.namesBelow(path, maxKeySegments(keys, rank), entered(keys), signal);
  if (!listsChunks(store)) return undefined;
  return withoutPrefix(keysBelow(store, path, signal), joinKey(path, "").length);
}

async function* withoutPrefix(keys: AsyncIterable<string>, length: number): AsyncGenerator<string> {
  for await (const key of keys) yield key.slice(length);
}

async function* parsePositions(
  names: AsyncIterable<string>,
  keys: ChunkKeys,
  rank: number,
): AsyncGenerator<number[]> {
  for await (const name of names) {
    const position = parseChunkKey(keys, name, rank);
    if (position) yield position;
  }
}

/**
 * Maximum path segments of one index in "fanout": the number of its digit groups, then the groups, of at
 * least two digits each.
 */
const maxFanoutParts = 9;

/** Returns the maximum number of path segments in a chunk key. */
function maxKeySegments(keys: ChunkKeys, rank: number): number {
  if (keys.name === "suffix") return maxKeySegments(keys.base, rank) + keys.suffix.split("/").length - 1;
  if (keys.name === "fanout") return 1 + rank * maxFanoutParts;
  return keys.separator === "/" ? rank + 1 : 1;
}

/** Returns a test for the names of folders that may hold chunks. */
function entered(keys: ChunkKeys): (name: string) => boolean {
  const isPlain = keys.name === "default" || keys.name === "v2";
  return isPlain ? (name) => /^(?:c|\d+)$/.test(name) : () => true;
}

/** Maximum number of objects that are named one by one if the store can list them instead. */
const fewObjects = 4096;

/** Coordinates in the grid of stored objects. */
export type Cells = Iterable<number[]> | AsyncIterable<number[]>;

/**
 * Returns the objects that lie entirely outside a new shape: every possible one or, if these are many, every
 * listed one.
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
  const listed = count > fewObjects ? storedObjects(array, signal) : undefined;
  if (listed) return cellsListed(listed, boxes);
  const { readChunks } = array.limits;
  if (!(count <= readChunks))
    throw limitExceeded(`${count} chunks ${what}, more than the limit of ${readChunks}`);
  return cellsNamed(boxes);
}

function* cellsNamed(boxes: readonly Box[]): Generator<number[]> {
  for (const box of boxes) yield* positionsIn(box);
}

/** Yields the listed cells in boxes, each once: stores may list a key more than once. */
async function* cellsListed(
  listed: AsyncIterable<number[]>,
  boxes: readonly Box[],
): AsyncGenerator<number[]> {
  // Collected first, because a listing must not change while it is read.
  const found = new Map<string, number[]>();
  for await (const cell of listed) {
    const isIn = ({ from, to }: Box) => cell.every((at, axis) => at >= from[axis]! && at < to[axis]!);
    if (boxes.some(isIn)) found.set(cell.join(), cell);
  }
  yield* found.values();
}
