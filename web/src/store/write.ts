/** Calls the writing methods of any store, with checks. */
import { invalidArgument, isZarrError, readOnly, unsupported } from "../util/errors.js";
import { existsError, trackWrite } from "./concurrency.js";
import { inParallel } from "./deletion.js";
import { announceWrite } from "./handle.js";
import { normalizePath } from "./path.js";
import { callStore, locateKey, storeFailed } from "./read.js";
import {
  borrows,
  joinKey,
  type MaybePromise,
  ownStore,
  type Store,
  type StoreGetOptions,
  type StoreSetOptions,
  type StoreWriteOptions,
} from "./store.js";

type Method = "set" | "delete";
const missing = {
  set: { code: "no-set" },
  delete: { code: "no-delete" },
} as const;

/**
 * Checks that a store can be written.
 * @throws ReadOnly with the name of the missing method.
 */
export function requireWritable(store: Store, method: Method = "set"): void {
  if (typeof store[method] === "function") return;
  const place = locateKey(store, "/");
  const name = place === "/" ? (store as { constructor?: { name?: string } }).constructor?.name : place;
  const hint = /^https?:/.test(place) ? "; to write by PUT, pass a WritableHttpStore" : "";
  throw readOnly(
    `the store${name ? ` ${name}` : ""} is read-only: it has no ${method}()${hint}`,
    missing[method],
  );
}

/**
 * Whether a store supports conditional writes.
 * @param ifVersion the condition; "absent" without one.
 */
export function supportsConditions(
  store: Store,
  ifVersion: StoreSetOptions["ifVersion"] = "absent",
): boolean {
  if (store instanceof Map) return ifVersion === "absent";
  if (!store.conditional) return false;
  if (ifVersion === "absent") return true;
  return store.conditional === true && isComparable(ifVersion.etag);
}

/** Whether an ETag identifies a version. "last change …" stands for `Last-Modified`, which is too coarse for conditions. */
const isComparable = (etag: string | undefined): boolean =>
  etag !== undefined && !etag.startsWith("last change ");

/**
 * Reads an object that a write depends on.
 * @throws ZarrErrors of the store; Network ("store-failed") with the key for its other errors; Network ("bad-answer");
 *   the signal's reason.
 */
export async function readObject(
  store: Store,
  key: string,
  options: StoreGetOptions = {},
): Promise<Uint8Array | undefined> {
  const { signal } = options;
  try {
    return await callStore(store, key, () => store.get(key, options), signal);
  } catch (cause) {
    if (isZarrError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
    throw storeFailed(locateKey(store, key), "read", cause);
  }
}

/**
 * Writes an object, whole or not at all.
 * @throws ReadOnly for a store without `set`; InvalidArgument ("bad-path") for an invalid key; Unsupported
 *   ("no-conditions") for an `ifVersion` that the store does not support; AlreadyExists, Conflict; ZarrErrors of the store;
 *   Network ("store-failed") with the key for its other errors; the signal's reason.
 */
export async function writeObject(
  store: Store,
  key: string,
  bytes: Uint8Array,
  options: StoreSetOptions = {},
): Promise<void> {
  const { signal, ifVersion } = options;
  signal?.throwIfAborted();
  requireWritable(store);
  checkKey(key);
  if (ifVersion !== undefined && !supportsConditions(store, ifVersion)) throw withoutConditions(store, key);
  await changing(store, key, "written", signal, () =>
    store instanceof Map ? setInMap(store, key, bytes, ifVersion) : store.set!(key, bytes, options),
  );
}

/** Whether a store may keep the bytes of an object that was written, so that they must not change. */
export const keepsBytes = (store: Store): boolean =>
  store.set === undefined || !ownStore(store, "set")?.[borrows];

/** Deletes an object; succeeds if there is none. Throws like {@link writeObject}. */
export async function deleteObject(
  store: Store,
  key: string,
  options: StoreWriteOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  requireWritable(store, "delete");
  checkKey(key);
  await changing(store, key, "deleted", options.signal, () => store.delete!(key, options));
}

/**
 * Removes keys below a path, several at a time.
 * @returns the number of keys.
 * @throws ReadOnly for a store without `delete`; the first error of the store, after all running deletions have ended.
 */
export async function deleteEach(
  store: Store,
  path: string,
  keys: AsyncIterable<string> | Iterable<string>,
  options: StoreWriteOptions = {},
): Promise<number> {
  const { signal } = options;
  signal?.throwIfAborted();
  requireWritable(store, "delete");
  let count = 0;
  await changing(store, joinKey(path, ""), "deleted", signal, async () => {
    count = await inParallel(keys, (key) => store.delete!(key, options), signal);
  });
  return count;
}

/** @throws InvalidArgument if the key does not name an object. */
function checkKey(key: string): void {
  if (key === "/" || `/${normalizePath(key)}` !== key) {
    throw invalidArgument(`${JSON.stringify(key)} is not a key`, { code: "bad-path" });
  }
}

/** Stores a copy, since the caller may reuse its buffer. */
function setInMap(
  map: Map<string, Uint8Array>,
  key: string,
  bytes: Uint8Array,
  ifVersion: StoreSetOptions["ifVersion"],
): void {
  if (ifVersion === "absent" && map.has(key)) throw existsError(key);
  map.set(key, bytes.slice());
}

/** Runs a write: its errors name the key, and readers with caches are notified. */
async function changing(
  store: Store,
  key: string,
  what: string,
  signal: AbortSignal | undefined,
  work: () => MaybePromise<unknown>,
): Promise<void> {
  try {
    await trackWrite(store, key, signal, work);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (isZarrError(cause)) throw cause;
    throw storeFailed(locateKey(store, key), what, cause);
  } finally {
    announceWrite(store, key); // also after a failure: the write may have been applied
  }
}

function withoutConditions(store: Store, key: string): Error {
  return unsupported(`${locateKey(store, key)}: the store does not support conditional writes`, {
    code: "no-conditions",
  });
}
