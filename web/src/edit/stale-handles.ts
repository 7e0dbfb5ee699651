/** Detects handles of arrays that were deleted, replaced or made shorter since they were opened. */

import type { ZarrArray } from "../hierarchy/array.js";
import { handleOf, innermostStore } from "../store/handle.js";
import type { Store } from "../store/store.js";
import { isZarrError } from "../util/errors.js";
import { cachedFor } from "../util/platform.js";
import { storeIdentity } from "./overlap.js";
import { checkStored, hasOrigin, noteOrigin, sameShape, storedShape } from "./stored-shape.js";
import { ancestorsOf } from "./target.js";

/** Number of the last deletion of this process. */
let lastDeletion = 0;
/** Numbers of the last deletion at each path of a store. */
const deletionsIn = cachedFor((_store: object): Map<string, number> => new Map());
/** Number of the last deletion that does not concern a handle; -1 for an array that replaced another one. */
const checked = new WeakMap<ZarrArray, number>();
/** ETag of the last document that described the array of a handle; "another" if that described another array. */
const etags = new WeakMap<ZarrArray, string | undefined>();

const deletionsOf = (store: Store) => deletionsIn(storeIdentity(innermostStore(store)));

/** Notes that this process has deleted the node at a path, with everything below it. */
export function noteDeleted(store: Store, path: string): void {
  deletionsOf(store).set(path, ++lastDeletion);
}

/** Notes that this process has made an array shorter: other handles may have the longer shape. */
export function noteShortened(store: Store, path: string): void {
  handleOf(innermostStore(store)).shortenedArrays.add(path);
}

/**
 * Notes that an array has just been written as the handle has it.
 * @param origin stamp of its document, if it has replaced another one: other programs may do the same now, and the first
 *   write checks that.
 */
export function noteCreated(array: ZarrArray, origin: string | undefined): void {
  if (origin !== undefined) noteOrigin(array, origin);
  checked.set(array, origin === undefined ? lastDeletion : -1);
}

/**
 * Checks the stored array if this process has deleted it, or a group around it, since the last check.
 * @throws NotFound if it no longer exists or was replaced by another one.
 */
export async function requireCurrent(array: ZarrArray, signal: AbortSignal | undefined): Promise<void> {
  const { store, path } = array;
  const deletions = deletionsOf(store);
  const last = Math.max(...[...ancestorsOf(path), path].map((node) => deletions.get(node) ?? 0));
  if (last <= (checked.get(array) ?? 0)) return;
  const { shape } = await sameShape(array, signal);
  if (isShorter(shape, array.shape)) noteShortened(store, path);
  checked.set(array, last);
}

/**
 * Reads the stored shape, and checks the stored array if its document has changed since the last check.
 * @returns undefined if no document was ever read: the array may be known only from consolidated metadata, or the store
 * does not return written objects.
 * @throws NotFound as {@link requireCurrent}.
 */
export async function currentShape(
  array: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  const stored = await storedShape(array, signal).catch((error) => {
    const isKnown = etags.get(array) !== undefined || hasOrigin(array);
    if (isZarrError(error, "NotFound") && !isKnown) return undefined;
    throw error;
  });
  if (!stored) return undefined;
  const { etag } = stored.version;
  if (etag !== etags.get(array)) {
    etags.set(array, "another");
    await checkStored(array, stored, signal);
  }
  etags.set(array, etag);
  return stored.shape;
}

/** Whether a shape is shorter than another one along an axis. */
export const isShorter = (shape: readonly number[], than: readonly number[]): boolean =>
  than.some((length, axis) => length > shape[axis]!);
