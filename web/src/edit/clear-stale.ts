/**
 * Clears elements that were written outside of the array's shape because another program made the array
 * shorter at the same time. They would show if the array grew.
 */

import type { ZarrArray } from "../hierarchy/array.js";
import { combinations, partsOf } from "../plan/projections.js";
import type { ArrayReader } from "../read/reader.js";
import { insist } from "../store/retry-conditional.js";
import type { Store } from "../store/store.js";
import { storeBehind } from "../store/wrapped-store.js";
import { isZarrError } from "../util/errors.js";
import type { WrittenRegion } from "../write/region-parts.js";
import { boxesBeyond, clearBeyond } from "./clear-edges.js";
import type { Cells } from "./resize-chunks.js";
import { checkSame, reshaper, storedShape } from "./stored-shape.js";

/** Paths of arrays that this process has made shorter: other handles may still have the longer shape. */
const shortened = new WeakMap<Store, Set<string>>();

export function noteShortened(given: Store, path: string): void {
  const store = storeBehind(given);
  const paths = shortened.get(store) ?? new Set<string>();
  shortened.set(store, paths.add(path));
}

/** Yields the stored objects that a region touches. */
export function* cellsOf({ axes, objectAxes }: ArrayReader, { parts }: WrittenRegion): Generator<number[]> {
  const objects = parts.map((list, axis) => partsOf(list, axes[axis]!, objectAxes[axis]!));
  for (const list of combinations(objects)) yield list.map(({ object }) => object);
}

/**
 * Clears elements of a region outside of the stored shape, after they were written.
 * @param reader of the array as it was written.
 */
export async function clearOutside(
  array: ZarrArray,
  reader: ArrayReader,
  region: WrittenRegion,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { store, path } = array;
  // If the store has no conditions, other programs must not write at the same time.
  if (store.conditional !== true && !shortened.get(storeBehind(store))?.has(path)) return;
  const { shape } = await storedShape(array, signal).catch((error) => {
    // There is no document to check if, for example, the group is known only from its consolidated metadata.
    if (isZarrError(error, "NotFound")) return { shape: reader.spec.shape };
    throw error;
  });
  if (reader.spec.shape.some((length, axis) => length > shape[axis]!))
    await clearStale(array, reader, cellsOf(reader, region), signal);
}

/**
 * Fills elements of stored objects outside of the stored shape with the fill value.
 *
 * Deleting the objects is not safe: another program may have appended to them. An object is replaced on the
 * condition that it has not changed since it was read, and the shape is read after the object: if another
 * program has appended to the object before, its elements lie inside that shape.
 * @param reader of the array with the lengths up to which elements are cleared.
 */
export async function clearStale(
  array: ZarrArray,
  reader: ArrayReader,
  cells: Cells,
  signal: AbortSignal | undefined,
): Promise<void> {
  let { shape } = await sameShape(array, signal);
  const clear = async (cell: readonly number[]): Promise<void> => {
    const known = shape;
    if (boxesBeyond(reader, cell, known).length === 0) return;
    const recheck = async () => {
      ({ shape } = await sameShape(array, signal));
      if (shape.some((length, axis) => length > known[axis]!)) throw grown;
    };
    try {
      await clearBeyond(array.store, reader, cell, known, { signal, recheck });
    } catch (error) {
      if (error !== grown) throw error;
      await clear(cell);
    }
  };
  await forEachCell(cells, (cell) => insist(() => clear(cell)));
}

/** Thrown if the array has become longer while an object was being cleared. */
const grown = Symbol("grown");

/** Reads the stored shape. @throws NotFound if the array was replaced by another one. */
async function sameShape(array: ZarrArray, signal: AbortSignal | undefined) {
  const stored = await storedShape(array, signal);
  const shaped = await reshaper(array, stored.object, signal);
  checkSame(array, (await shaped(stored.shape)).spec);
  return stored;
}

/** Maximum number of objects that are deleted or changed in parallel. */
const concurrency = 16;

/**
 * Calls a function for each cell, several in parallel. @throws the first error, once no call is in flight.
 */
export async function forEachCell(cells: Cells, work: (cell: number[]) => Promise<void>): Promise<void> {
  const pending = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for await (const cell of cells) {
    const done = work(cell)
      .catch((error) => {
        failure ??= { error };
      })
      .then(() => {
        pending.delete(done);
      });
    pending.add(done);
    if (pending.size >= concurrency) await Promise.race(pending);
    if (failure) break;
  }
  await Promise.all(pending);
  if (failure) throw failure.error;
}
