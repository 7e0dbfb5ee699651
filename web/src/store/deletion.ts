/** Deletes keys in an order that never leaves an array some of whose chunks are missing. */
import { Limiter, settleAll } from "../util/async.js";
import { joinKey, type MaybePromise } from "./store.js";

/** Requests in flight, and the number of keys that are awaited together. */
const concurrency = 16;
const batchLength = 1024;

/** Documents of nodes. They are deleted first: missing chunks of an array would read as fill value. */
export const documentNames: readonly string[] = [
  "zarr.json",
  ".zarray",
  ".zgroup",
  "meta",
  ".zmetadata",
  ".zattrs",
  "attrs",
];

export interface StoredEntry {
  /** With its leading "/". */
  readonly key: string;
  /**
   * "link": a symbolic link to a folder. "other": not an object of a store, such as a pipe, or not a valid key.
   */
  readonly kind: "object" | "link" | "other";
}

/** Methods of this library's stores for deleting nodes. */
export interface EverythingStore {
  /**
   * Lists everything below a path, in batches of any length. Symbolic links are entries and are not followed.
   * @throws NotAllowed ("protected-folder") for a folder that must never be emptied, unless it is empty.
   */
  everythingBelow(path: string, signal?: AbortSignal | undefined): AsyncIterable<readonly StoredEntry[]>;
  /** Removes empty folders below a path, and the folder at the path unless that is the store's root. */
  removeEmptyFolders?(path: string): Promise<void>;
}

/**
 * Deletes keys one by one, the documents of a node at the path first.
 * @param remove removes a key; no error if it is missing.
 */
export async function deleteKeys(
  path: string,
  keys: AsyncIterable<string> | Iterable<string>,
  remove: (key: string) => MaybePromise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const name of documentNames) {
    signal?.throwIfAborted();
    await remove(joinKey(path, name));
  }
  await inParallel(keys, remove, signal);
}

/**
 * Runs work for each key or other item, a bounded number at a time.
 * @returns the number of items.
 * @throws the first error, after all running work has ended.
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => MaybePromise<unknown>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const limiter = new Limiter(concurrency);
  let count = 0;
  let hasFailed = false;
  const fail = () => {
    hasFailed = true;
  };
  let batch: Promise<void>[] = [];
  for await (const item of items) {
    if (hasFailed) break;
    count++;
    const running = limiter.run(async () => void (await work(item)), signal);
    running.catch(fail);
    batch.push(running);
    if (batch.length < batchLength) continue;
    await settleAll(batch);
    batch = [];
  }
  await settleAll(batch);
  return count;
}
