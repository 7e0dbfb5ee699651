/** The interface of stores, which hold bytes by key. */
import { networkError, type ZarrError } from "../util/errors.js";

/**
 * The version of an object that reads have seen. All reads with the same `ObjectVersion` must see the same version.
 * Stores that can tell versions apart throw Network ("changed") otherwise.
 */
export interface ObjectVersion {
  /** Opaque; set by the first read. Undefined if the store cannot tell (CORS may hide ETags). */
  etag?: string | undefined;
  /** Size of the whole object in bytes. Undefined if the store cannot tell. */
  size?: number | undefined;
}

/** Returns the error of an object of which two reads have seen different versions. */
export function changedError(name: string | URL): ZarrError {
  return networkError(`${name} has changed while it was read`, { code: "changed" });
}

/**
 * Compares the version of a read with the version of earlier reads. Sets undefined fields.
 * @param now the current version as far as known; undefined for a missing object.
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
export interface StoreGetOptions {
  signal?: AbortSignal | undefined;
  /** Makes reads of one object see the same version, such as a shard's index and its chunks. Set by the first read. */
  version?: ObjectVersion | undefined;
  /**
   * Maximum number of bytes, after all content codings. Stores may reject longer objects with LimitExceeded before
   * they are in memory. Callers check the result as well.
   */
  maxBytes?: number | undefined;
}

/** Options of methods that change a store. */
export interface StoreWriteOptions {
  signal?: AbortSignal | undefined;
}

/** Options of a single write. */
export interface StoreSetOptions extends StoreWriteOptions {
  /**
   * Writes only if the key is missing ("absent"), or if the object has the version that a read has set. For stores that
   * are {@link Store.conditional}.
   */
  ifVersion?: ObjectVersion | "absent" | undefined;
}

/** A part of an object: from an offset, or its last bytes. */
export type RangeQuery = { offset: number; length: number } | { suffixLength: number };

export type MaybePromise<T> = T | Promise<T>;

/**
 * Holds bytes by key. Keys start with "/". `undefined` means a missing key; every other failure throws. A
 * `Map<string, Uint8Array>` is a store, and so are zarrita's stores.
 *
 * Bytes that a store returns may be shared with its cache and other readers: they must be neither changed nor
 * transferred.
 */
export interface Store {
  get(key: string, options?: StoreGetOptions): MaybePromise<Uint8Array | undefined>;
  /** Reads a part of an object. Returns fewer bytes than requested only at the object's end. */
  getRange?(key: string, range: RangeQuery, options?: StoreGetOptions): MaybePromise<Uint8Array | undefined>;
  /**
   * Writes an object atomically. The caller must not change the bytes before the promise settles, and may reuse them
   * afterwards.
   * @throws AlreadyExists, Conflict for an `ifVersion` that does not hold; Network ("unknown-outcome") if it is unknown
   *   whether a write with `ifVersion` was applied.
   */
  set?(key: string, value: Uint8Array, options?: StoreSetOptions): MaybePromise<unknown>;
  /** Removes an object. No error if it is missing. */
  delete?(key: string, options?: StoreWriteOptions): MaybePromise<unknown>;
  /** Removes all keys below a path ("a/b", or "" for all), without the key "/a/b" itself. */
  deletePrefix?(path: string, options?: StoreWriteOptions): MaybePromise<unknown>;
  /** Whether `set` supports `ifVersion`; "absent" if it supports only that condition. */
  readonly conditional?: boolean | "absent" | undefined;
  /**
   * Whether a conditional `set` may fail with Network (`unknown-outcome`): a server may have applied a request whose
   * response was lost. Metadata documents then end with whitespace that identifies their last writers.
   */
  readonly ambiguous?: boolean | undefined;
  /** Drops cached bytes of an object: the next read asks the storage behind the store. */
  invalidate?(key: string): void;
  /** Returns the location of a key for messages: a URL or path. */
  locate?(key: string): string;
  /** Lists all keys below a path ("a/b", or "" for all), each with its leading "/". */
  list?(path: string): AsyncIterable<string> | Iterable<string>;
  /**
   * Lists the names of the folders directly below a path, which may be nodes. Does not list objects.
   */
  listChildren?(path: string): MaybePromise<readonly string[]>;
}

/** Whether a value is a store. */
export function isStore(value: unknown): value is Store {
  return (
    typeof value === "object" && value !== null && typeof (value as { get?: unknown }).get === "function"
  );
}

/** Joins a node's path and a key below it: `joinKey("a/b", "meta")` is "/a/b/meta". */
export function joinKey(path: string, key: string): string {
  return path === "" ? `/${key}` : `/${path}/${key}`;
}
