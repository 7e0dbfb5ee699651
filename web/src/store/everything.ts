/** Lists what a deletion has to account for: everything below a path, including what `list` hides. */
import { storeBehind } from "./front.js";
import { keysBelow } from "./listing.js";
import type { Store } from "./store.js";

export interface StoredEntry {
  /** With its leading "/". One with a "/" at its end stands for a folder in a bucket. */
  readonly key: string;
  /**
   * "link": a symbolic link to a folder. "other": not an object of a store, such as a pipe, or a name that is not a
   * valid key.
   */
  readonly kind: "object" | "link" | "other";
}

/** What stores of this library offer besides `list` and `delete`. */
export interface EverythingStore {
  /**
   * Lists everything below a path, in batches of any length. Symbolic links are entries and are not followed.
   * @throws NotAllowed ("protected-folder") for a folder that must never be emptied, unless it is empty.
   */
  everythingBelow(path: string, signal?: AbortSignal | undefined): AsyncIterable<readonly StoredEntry[]>;
  /** Removes empty folders below a path, and the folder at the path unless that is the store's root. */
  removeEmptyFolders?(path: string): Promise<void>;
}

/** The store that holds the objects, if it lists everything itself. */
export function everythingStore(store: Store): EverythingStore | undefined {
  const own = storeBehind(store) as Store & Partial<EverythingStore>;
  return typeof own.everythingBelow === "function" ? (own as EverythingStore) : undefined;
}

/**
 * Everything below a path of a store that can list, in batches.
 * @param path normalised.
 * @throws what listing throws.
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
  for await (const entries of own.everythingBelow(path, signal)) {
    signal?.throwIfAborted();
    yield entries;
  }
}
