/** Clears elements outside of the shape of an array. */

import type { ZarrArray } from "../hierarchy/array.js";
import { combinations, groupByObject } from "../plan/projections.js";
import { type Slice, slice } from "../plan/selection.js";
import type { ArrayReader } from "../read/reader.js";
import { retryTransient } from "../store/concurrency.js";
import { handleOf, innermostStore } from "../store/handle.js";
import type { Store } from "../store/store.js";
import { repeated } from "../util/buffers.js";
import { resolveRegion, type Values, type WrittenRegion } from "../write/region.js";
import { type WriteRegionOptions, writeRegion } from "../write/write-region.js";
import type { Cells } from "./resize-chunks.js";
import { currentShape, isShorter, sameShape } from "./stored-array.js";

/**
 * Clears one stored object. A missing object stays missing.
 * @param reader of the array with the lengths up to which elements are cleared.
 * @param shape beyond which elements are cleared.
 */
export async function clearBeyond(
  store: Store,
  reader: ArrayReader,
  cell: readonly number[],
  shape: readonly number[],
  { signal, recheck }: Pick<WriteRegionOptions, "signal" | "recheck">,
): Promise<void> {
  for (const box of boxesBeyond(reader, cell, shape)) {
    const region = resolveRegion(reader, box);
    await writeRegion(store, reader, region, fillValues(reader, region.counts), {
      signal,
      recheck,
      concurrency: 1,
      conflicts: "retry",
      writeEmptyChunks: false,
      onProgress: undefined,
      encoders: undefined,
      clears: true,
    });
  }
}

/**
 * Returns one box per axis along which elements lie beyond the shape. An element in two boxes counts for the
 * first.
 */
export function boxesBeyond(
  { objectAxes, spec }: ArrayReader,
  cell: readonly number[],
  shape: readonly number[],
): Slice[][] {
  const starts = cell.map((at, axis) => objectAxes[axis]!.start(at));
  const ends = cell.map((at, axis) =>
    Math.min(starts[axis]! + objectAxes[axis]!.size(at), spec.shape[axis]!),
  );
  const borders = shape.map((length, axis) => Math.max(starts[axis]!, Math.min(length, ends[axis]!)));
  const boxes = shape.map((_, cut) =>
    starts.map((start, axis) => {
      if (axis === cut) return slice(borders[axis]!, ends[axis]!);
      return slice(start, axis < cut ? borders[axis]! : ends[axis]!);
    }),
  );
  return boxes.filter((box) => box.every(({ start, stop }) => start! < stop!));
}

/** Returns the fill value for a whole region, bit for bit. */
function fillValues({ firstCodec, spec }: ArrayReader, counts: readonly number[]): Values {
  const { dtype, fill } = spec;
  const strides = counts.map(() => 0);
  const row = counts.at(-1)!;
  if (firstCodec.type === "vlen")
    return {
      content: new Array<unknown>(row).fill(firstCodec.missing()[0]),
      width: 1,
      strides,
      isScalar: true,
    };
  const content = repeated(fill.item, row * dtype.itemBytes);
  return { content, width: dtype.itemBytes, strides, isScalar: true };
}

/** Yields the stored objects that a region touches. */
export function* cellsOf({ axes, objectAxes }: ArrayReader, { parts }: WrittenRegion): Generator<number[]> {
  const objects = parts.map((list, axis) => groupByObject(list, axes[axis]!, objectAxes[axis]!));
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
  if (store.conditional !== true && !handleOf(innermostStore(store)).shortenedArrays.has(path)) return;
  const shape = await currentShape(array, signal);
  if (shape && isShorter(shape, reader.spec.shape))
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
  await forEachCell(cells, (cell) => retryTransient(() => clear(cell)));
}

/** Thrown if the array has become longer while an object was being cleared. */
const grown = Symbol("grown");

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
