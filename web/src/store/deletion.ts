/** Removing everything below a path, key by key, so that no array is left of which chunks are missing. */
import { Limiter } from "../base/limiter.js";
import { settleAll } from "../base/settle.js";
import { joinKey, type MaybePromise } from "./store.js";

/** Deletions under way at a time, and how many are waited for together. */
const concurrency = 16;
const batchLength = 1024;

/** What makes a node: it goes first, as chunks that are missing would read as fill value. */
export const documentNames: readonly string[] = [
  "zarr.json",
  ".zarray",
  ".zgroup",
  "meta",
  ".zmetadata",
  ".zattrs",
  "attrs",
];

/**
 * Deletes keys one by one, what makes a node at the path first.
 * @param remove removes a key; no error where there is none.
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
  const limiter = new Limiter(concurrency);
  let hasFailed = false;
  const fail = () => {
    hasFailed = true;
  };
  let batch: Promise<void>[] = [];
  for await (const key of keys) {
    if (hasFailed) break;
    const removal = limiter.run(async () => void (await remove(key)), signal);
    removal.catch(fail);
    batch.push(removal);
    if (batch.length < batchLength) continue;
    await settleAll(batch);
    batch = [];
  }
  await settleAll(batch);
}
