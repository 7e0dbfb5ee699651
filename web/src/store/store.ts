/** Stores: where keys and their bytes live. */
import { networkError, type ZarrError } from "../util/errors.js";

/**
 * Which version of an object was seen. Reads that are given the same one must come from the same version:
 * a store that can tell throws a Network error with the code "changed" otherwise.
 */
export interface ObjectVersion {
  /** What the first read saw, opaque; stays undefined where the store cannot tell (an ETag that CORS hides). */
  etag?: string | undefined;
  /** Bytes of the whole object; stays undefined where the store cannot tell. */
  size?: number | undefined;
}

/** The error of an object of which two reads have seen different versions. */
export function changedError(name: string | URL): ZarrError {
  return networkError(`${name} has changed while it was read`, { code: "changed" });
}

/**
 * Holds what a read has seen against what earlier ones saw; the first ones set it.
 * @param now the object as it is now, as far as that can be told; undefined where there is none any more.
 * @throws Network ("changed").
 */
export function checkVersion(
  seen: ObjectVersion | undefined,
  now: ObjectVersion | undefined,
  name: string | URL,
): void {
  if (!seen) return;
  for (const field of ["etag", "size"] as const) {
    const [before, found] = [seen[field], now?.[field]];
    if (before !== undefined && before !== found && (!now || found !== undefined)) throw changedError(name);
  }
  if (now?.etag !== undefined) seen.etag = now.etag;
  if (now?.size !== undefined) seen.size = now.size;
}

/** Options of a single read. */
export interface GetOptions {
  signal?: AbortSignal | undefined;
  /** Ties reads of one object together, a shard's index and its chunks say. The first read fills it in. */
  version?: ObjectVersion | undefined;
  /**
   * Most bytes that the answer may have, after all content codings: a store that can refuses longer ones with
   * LimitExceeded before they are in memory. Whoever asks checks the answer all the same.
   */
  maxBytes?: number | undefined;
}

/** Options of whatever changes a store. */
export interface WriteOptions {
  signal?: AbortSignal | undefined;
}

/** Options of a single write. */
export interface SetOptions extends WriteOptions {
  /**
   * Writes only while there is nothing under the key ("absent"), or while the object is of the version that a read has
   * noted in its `version`. Only for stores that are {@link Store.conditional}; `writeObject` is the safe way to ask.
   */
  ifVersion?: ObjectVersion | "absent" | undefined;
}

/** Part of an object: from an offset, or its last bytes. */
export type RangeQuery = { offset: number; length: number } | { suffixLength: number };

export type MaybePromise<T> = T | Promise<T>;

/**
 * What can be read from, and maybe written to. Keys start with "/". Only "there is nothing under this key" is `undefined`;
 * every other trouble throws. A `Map<string, Uint8Array>` is a store, and so are zarrita's stores.
 *
 * Bytes that a store returns may be shared (with its cache, with other readers): they must be neither
 * changed nor transferred.
 */
export interface Store {
  get(key: string, options?: GetOptions): MaybePromise<Uint8Array | undefined>;
  /** Part of an object; fewer bytes than asked only where the object ends. `readRange` is the safe way to call it. */
  getRange?(key: string, range: RangeQuery, options?: GetOptions): MaybePromise<Uint8Array | undefined>;
  /**
   * Writes an object: whole or not at all, and for good once it returns. The caller may not change the bytes before
   * that, and may do with them what it likes afterwards.
   * @throws AlreadyExists, Conflict for an `ifVersion` that does not hold; Network ("unknown-outcome") if it is unknown
   *   whether a write with `ifVersion` was applied.
   */
  set?(key: string, value: Uint8Array, options?: SetOptions): MaybePromise<unknown>;
  /** Removes an object; no error where there is none. */
  delete?(key: string, options?: WriteOptions): MaybePromise<unknown>;
  /** Removes every key below a path ("a/b", or "" for all): not the key "/a/b" itself. */
  deletePrefix?(path: string, options?: WriteOptions): MaybePromise<unknown>;
  /** Whether `set` heeds `ifVersion`; "absent" where it only heeds that. */
  readonly conditional?: boolean | "absent" | undefined;
  /**
   * Whether a conditional `set` may fail with Network (`unknown-outcome`): a server may have applied a request whose
   * response was lost. Metadata documents then end with whitespace that identifies their last writers.
   */
  readonly ambiguous?: boolean | undefined;
  /** Drops cached bytes of an object: the next read asks the storage behind the store. */
  invalidate?(key: string): void;
  /** Where a key is, for messages: its URL or the file's path. */
  locate?(key: string): string;
  /** Every key below a path ("a/b", or "" for all), each with its leading "/". */
  list?(path: string): AsyncIterable<string> | Iterable<string>;
  /**
   * Names of what lies directly below a path and may be a node: of folders, not of single objects.
   * `listChildren` is the safe way to call it.
   */
  listChildren?(path: string): MaybePromise<readonly string[]>;
}

/** True for something that can serve as a store. */
export function isStore(value: unknown): value is Store {
  return (
    typeof value === "object" && value !== null && typeof (value as { get?: unknown }).get === "function"
  );
}

/** Joins a node's path and a key below it: `joinKey("a/b", "meta")` is "/a/b/meta". */
export function joinKey(path: string, key: string): string {
  return path === "" ? `/${key}` : `/${path}/${key}`;
}
