/** Overwrites the node at a path without creating parent groups. */

import type { ZarrVersion } from "../codecs/definition.js";
import { ZarrArray } from "../hierarchy/array.js";
import { noteWrite } from "../hierarchy/metadata-epoch.js";
import { v1MetaKey } from "../metadata/keys.js";
import { attributesKey, nodeKeys, printMetadata } from "../metadata/model.js";
import type { Documents } from "../metadata/new-array.js";
import { inTurn } from "../store/key-lock.js";
import { canList } from "../store/listing.js";
import { joinKey, type Store } from "../store/store.js";
import { deleteObject, readObject, requireWritable, writeObject } from "../store/write.js";
import { isZarrError } from "../util/errors.js";
import { resolveLimits } from "../util/limits.js";
import { documentAt, isV1 } from "./belongings.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import { deleteCells } from "./resize.js";
import { cellsStored } from "./resize-chunks.js";
import { checkNames, metadataAt } from "./target.js";

interface ReplaceOptions {
  readonly isArray: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the documents of a Zarr v3 node. An existing array is deleted with its chunks, as far as the store
 * can list and delete: they would be read as chunks of the new one. Members of an existing group are kept.
 * Documents of older versions are deleted, because some readers look at them first.
 * @throws ReadOnly for a store that cannot write, or cannot delete a node of an older version; errors of the
 *   store.
 */
export async function replaceNode(
  store: Store,
  path: string,
  documents: Documents,
  { isArray, signal }: ReplaceOptions,
): Promise<void> {
  signal?.throwIfAborted();
  requireWritable(store);
  checkNames(path);
  await inTurn(store, path, signal, async () => {
    try {
      await clear(store, path, signal);
      for (const [key, bytes] of printMetadata({ documents }))
        await writeObject(store, joinKey(path, key), bytes, { signal });
    } finally {
      noteWrite(store);
    }
  });
  await updateConsolidated(store, 3, [{ path, documents }], { signal, isReplaced: isArray });
}

/** Removes objects that would be read as part of the new node, main documents first. */
async function clear(store: Store, path: string, signal: AbortSignal | undefined): Promise<void> {
  const array = await arrayAt(store, path, signal);
  const hasChunks = array !== undefined && canList(store) && typeof store.delete === "function";
  for (const [key, version] of await documentsAt(store, path, signal))
    if (version < 3 || hasChunks) await deleteObject(store, joinKey(path, key), { signal });
  if (hasChunks) await deleteCells(array, cellsStored(array, signal), signal);
}

/** Returns the documents at a path with their versions, main documents before attributes. */
async function documentsAt(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<(readonly [key: string, version: ZarrVersion])[]> {
  const present = async (keys: typeof nodeKeys) => {
    const found = await Promise.all(keys.map(([key]) => isPresent(store, path, key, signal)));
    return keys.filter((_, i) => found[i]);
  };
  const nodes = await present(nodeKeys);
  const versions = [...new Set(nodes.map(([, version]) => version))].filter((version) => version < 3);
  return [...nodes, ...(await present(versions.map((version) => [attributesKey[version], version])))];
}

/** Whether a document is stored. A file named "meta" that is not of Zarr v1 is not a document. */
async function isPresent(
  store: Store,
  path: string,
  key: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (key === v1MetaKey) return isV1(await documentAt(store, path, key, signal));
  return (await readObject(store, joinKey(path, key), { signal })) !== undefined;
}

/** Returns the array at a path; undefined if there is none that can be read. */
async function arrayAt(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ZarrArray | undefined> {
  const limits = resolveLimits(undefined);
  try {
    const metadata = await metadataAt(store, path, { limits, signal });
    return metadata?.kind === "array" ? new ZarrArray(store, path, metadata.spec, limits) : undefined;
  } catch (error) {
    if (isZarrError(error, "InvalidMetadata", "UnknownCodec", "Unsupported", "LimitExceeded"))
      return undefined;
    throw error;
  }
}
