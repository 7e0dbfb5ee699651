/** Lists everything below a path, including entries hidden from `list`. */

import type { EverythingStore, StoredEntry } from "../store/deletion.js";
import { DirectoryEntries, directoryRoot } from "../store/directory/handles.js";
import { innermostStore } from "../store/handle.js";
import { keysBelow } from "../store/listing.js";
import { storeFailed } from "../store/read.js";
import type { Store } from "../store/store.js";
import { isZarrError } from "../util/errors.js";

/** Returns the underlying store's methods for listing everything. Undefined for third-party stores. */
export function everythingStore(store: Store): EverythingStore | undefined {
  const own = innermostStore(store) as Store & Partial<EverythingStore>;
  const root = directoryRoot(own);
  if (root) return new DirectoryEntries(root);
  return typeof own.everythingBelow === "function" ? (own as EverythingStore) : undefined;
}

/**
 * Lists everything below a path, in batches. The store must be able to list.
 * @param path normalised.
 * @throws errors of the store, as Network ("store-failed") if they are not ZarrErrors.
 */
export async function* everythingBelow(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly StoredEntry[]> {
  const own = everythingStore(store);
  if (!own) {
    for await (const key of keysBelow(store, path, signal)) yield [{ key, kind: "object" }];
    return;
  }
  try {
    for await (const entries of own.everythingBelow(path, signal)) {
      signal?.throwIfAborted();
      yield entries;
    }
  } catch (cause) {
    if (isZarrError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
    throw storeFailed(store.locate?.(`/${path}`) ?? `/${path}`, "listed", cause);
  }
}
