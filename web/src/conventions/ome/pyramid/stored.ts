/** Copies an unchanged level without decoding. */

import type { ZarrArray } from "../../../hierarchy/array.js";
import type { ArraySpec } from "../../../metadata/spec.js";
import { callStore } from "../../../store/read.js";
import { joinKey } from "../../../store/store.js";
import { deleteObject, writeObject } from "../../../store/write.js";
import { limitExceeded, withDetails } from "../../../util/errors.js";

/** Whether stored objects (chunks or shards) can be copied unchanged between two arrays. */
export function isStoredAlike(a: ArraySpec, b: ArraySpec): boolean {
  return a.isRegular && b.isRegular && outlineOf(a) === outlineOf(b);
}

const outlineOf = ({ zarrFormat, shape, chunkShape, shardShape, dtype, codecs, fill }: ArraySpec): string =>
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
      throw limitExceeded(`there are ${bytes.byteLength} bytes, more than the limit of ${maxBytes}`);
    chunkKey = into;
    if (bytes) await writeObject(target.store, into, bytes, { signal });
    else if (mayBeThere) await deleteObject(target.store, into, { signal });
    return bytes?.byteLength ?? 0;
  } catch (error) {
    throw signal?.aborted && error === signal.reason ? error : withDetails(error, { chunkKey });
  }
}
