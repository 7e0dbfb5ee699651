/** Sizes of the blocks of a level, and copies of stored objects without decoding. */

import { listsChunks } from "../../../edit/stored-objects.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import type { ArraySpec } from "../../../metadata/spec.js";
import { callStore } from "../../../store/read.js";
import { joinKey, type Store } from "../../../store/store.js";
import { deleteObject, writeObject } from "../../../store/write.js";
import { limitExceeded, withDetails } from "../../../util/errors.js";
import { countOf } from "../../../util/shapes.js";
import { exactProduct } from "../../../walk/boxes.js";
import { maxObjects } from "../../../walk/visit.js";

/**
 * Returns the shape of blocks: as many whole units as memory allows.
 * @param unit the smallest indivisible box: a chunk or shard to write, or chunks to decode.
 * @param atLeast lengths that blocks should reach before they grow further, so that chunks of the source are
 *   decoded once.
 * @param most maximum number of elements of a block; a single unit may have more.
 */
export function blockShape(
  unit: readonly number[],
  whole: readonly number[],
  atLeast: readonly number[],
  maxElements: number,
): number[] {
  const shape = unit.map((length, axis) => Math.min(length, whole[axis]!));
  const counts = unit.map(() => 1);
  const grownLength = (axis: number, count: number) => Math.min(unit[axis]! * count, whole[axis]!);
  for (;;) {
    const growing = counts
      .map((_, axis) => axis)
      .filter((axis) => shape[axis]! < whole[axis]!)
      .filter(
        (axis) => (countOf(shape) / shape[axis]!) * grownLength(axis, 2 * counts[axis]!) <= maxElements,
      );
    if (growing.length === 0) return shape;
    const lacking = growing.filter((axis) => shape[axis]! < atLeast[axis]!);
    const axis = (lacking.length > 0 ? lacking : growing).at(-1)!;
    counts[axis]! *= 2;
    shape[axis] = grownLength(axis, counts[axis]!);
  }
}

const objectCount = ({ spec }: ZarrArray): bigint => exactProduct(spec.axes.map((axis) => axis.count));

/**
 * Rejects images with more objects than can be checked one by one, before anything is written.
 * @param store destination of the levels.
 * @throws LimitExceeded.
 */
export function checkObjects(origin: ZarrArray, store: Store, shares: number): void {
  const count = objectCount(origin) / BigInt(shares);
  if ((listsChunks(origin.store) && listsChunks(store)) || count <= maxObjects) return;
  throw limitExceeded(
    `"/${origin.path}" has ${count} chunks to request one by one, more than the limit of ${maxObjects}: a store does not list its chunks`,
  );
}

/** Whether stored objects (chunks or shards) can be copied unchanged between two arrays. */
export function isStoredAlike(a: ArraySpec, b: ArraySpec): boolean {
  return a.isRegular && b.isRegular && encodingOutline(a) === encodingOutline(b);
}

const encodingOutline = ({
  zarrFormat,
  shape,
  chunkShape,
  shardShape,
  dtype,
  codecs,
  fill,
}: ArraySpec): string =>
  JSON.stringify([
    [zarrFormat, shape, chunkShape, shardShape ?? null],
    [dtype, codecs],
    [...fill.item],
    fill.item.length === 0 || fill.value === null ? String(fill.value) : null,
  ]);

/**
 * Copies one stored object.
 * @param mayBeThere whether the target may have an object that the source lacks.
 * @returns its size in bytes.
 * @throws the errors of the stores, naming the object's key.
 */
export async function copyStored(
  source: ZarrArray,
  target: ZarrArray,
  at: readonly number[],
  { signal, mayBeThere }: { readonly signal: AbortSignal | undefined; readonly mayBeThere: boolean },
): Promise<number> {
  const { store, limits } = source;
  const key = joinKey(source.path, source.spec.chunkKey(at));
  const into = joinKey(target.path, target.spec.chunkKey(at));
  let chunkKey = key;
  try {
    const maxBytes = limits.encodedBytes;
    const bytes = await callStore(store, key, () => store.get(key, { signal, maxBytes }), signal);
    if (bytes && bytes.byteLength > maxBytes)
      throw limitExceeded(`the object has ${bytes.byteLength} bytes, more than the limit of ${maxBytes}`);
    chunkKey = into;
    if (bytes) await writeObject(target.store, into, bytes, { signal });
    else if (mayBeThere) await deleteObject(target.store, into, { signal });
    return bytes?.byteLength ?? 0;
  } catch (error) {
    throw signal?.aborted && error === signal.reason ? error : withDetails(error, { chunkKey });
  }
}
