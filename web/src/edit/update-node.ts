/** Writes nodes in place of others, and deletions. */

import { ZarrArray } from "../hierarchy/array.js";
import { v1AttrsKey, v1MetaKey, v3Key } from "../metadata/document.js";
import { type Documents, printMetadata } from "../metadata/model.js";
import { inTurn } from "../store/concurrency.js";
import { handleOf } from "../store/handle.js";
import { joinKey, type Store } from "../store/store.js";
import { recordName } from "../store/temp-names.js";
import { deleteObject, requireWritable, writeObject } from "../store/write.js";
import { checkOptions } from "../util/arguments.js";
import { invalidArgument, isZarrError, notFound } from "../util/errors.js";
import { resolveLimits } from "../util/limits.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import type { Target, UpdateOptions } from "./options.js";
import { removeNode } from "./remove-node.js";
import { deleteCells } from "./resize.js";
import { noteChanged } from "./stored-array.js";
import { storedObjects } from "./stored-objects.js";
import { checkNames, documentsAt, metadataAt, resolvePlace } from "./target.js";

export async function deleteNode(
  target: Target,
  given: string | undefined,
  options: UpdateOptions,
): Promise<void> {
  checkOptions(options);
  const { signal } = options;
  const { store, path } = await resolvePlace(target, given);
  if (path === "" && given === undefined)
    throw invalidArgument(
      'without a path this would delete all that the store holds: deleteNode(target, "/") does that',
      { code: "bad-path" },
    );
  const isDeleted = await inTurn(store, path, signal, () => removeNode(store, path, { signal })).catch(
    (error: unknown) => {
      if (isZarrError(error, "NotAllowed") && error.code === "not-zarr") return false;
      throw error;
    },
  );
  if (!isDeleted) throw notFound(`cannot delete "/${path}": no Zarr array or group exists there`);
}

/**
 * Writes the documents of a Zarr v3 node. An existing array is deleted with its chunks, as far as the store
 * can list and delete: they would be read as chunks of the new one. Members of an existing group are kept.
 * Documents of older versions are deleted, because some readers look at them first.
 * @throws ReadOnly for a store that cannot write, or cannot delete a node of an older version; errors of the
 *   store.
 */
export async function replaceNode(store: Store, path: string, documents: Documents): Promise<void> {
  requireWritable(store);
  checkNames(path);
  await inTurn(store, path, undefined, async () => {
    try {
      await clear(store, path);
      for (const [key, bytes] of printMetadata({ documents }))
        await writeObject(store, joinKey(path, key), bytes);
    } finally {
      handleOf(store).metadataWrites++;
      noteChanged(store, path);
    }
  });
  await updateConsolidated(store, 3, [path], undefined);
}

/** Removes objects that would be read as part of the new node, main documents first. */
async function clear(store: Store, path: string): Promise<void> {
  const array = await arrayAt(store, path);
  const listed = array && typeof store.delete === "function" ? storedObjects(array) : undefined;
  const { names = [] } = (await documentsAt(store, path, undefined)) ?? {};
  for (const name of names.includes(v1MetaKey) ? [...names, v1AttrsKey] : names)
    if (name !== recordName && (name !== v3Key || listed)) await deleteObject(store, joinKey(path, name));
  if (!array || !listed) return;
  const cells: number[][] = []; // collected first, because a listing must not change while it is read
  for await (const cell of listed) cells.push(cell);
  await deleteCells(array, cells, undefined);
}

/** Returns the array at a path; undefined if there is none that can be read. */
async function arrayAt(store: Store, path: string): Promise<ZarrArray | undefined> {
  const limits = resolveLimits(undefined);
  try {
    const metadata = await metadataAt(store, path, { limits });
    return metadata?.kind === "array" ? new ZarrArray(store, path, metadata.spec, limits) : undefined;
  } catch (error) {
    if (isZarrError(error, "InvalidMetadata", "UnknownCodec", "Unsupported", "LimitExceeded"))
      return undefined;
    throw error;
  }
}
