/** The interface of stores, which hold bytes by key. */
import { networkError, type ZarrError } from "../util/errors.js";
import type { FileCalls, Transport } from "./transport.js";

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

/** Keys of {@link OwnStore}. */
export const own: unique symbol = Symbol("own");
export const lend: unique symbol = Symbol("lend");
export const findSpan: unique symbol = Symbol("findSpan");
export const readSpan: unique symbol = Symbol("readSpan");
export const borrows: unique symbol = Symbol("borrows");
export const fileCalls: unique symbol = Symbol("fileCalls");

/** Location of an object in a larger file. */
export interface FileSpan {
  /** Identifies the file. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** Internal methods of this library's stores, for callers that {@link ownStore} admits. */
export interface OwnStore extends Store {
  /** The store's own methods, which the following stand for. */
  readonly [own]: Pick<Store, "get" | "set">;
  /**
   * Like `get`; the bytes may be lent: see read.ts.
   * @param transport sends the requests of stores over HTTP. Default: that of the store.
   */
  [lend]?(key: string, options: StoreGetOptions, transport?: Transport): Promise<Uint8Array | undefined>;
  /**
   * Returns the place of an object in a larger file, so that one request can read adjacent objects; undefined if it is
   * missing or not a part of a file.
   */
  [findSpan]?(key: string, signal: AbortSignal | undefined): Promise<FileSpan | undefined>;
  /** Reads a part of the file of a place. @throws if there are fewer bytes, and what `get` throws. */
  [readSpan]?(
    place: FileSpan,
    part: { readonly offset: number; readonly length: number },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array>;
  /** Whether `set` does not use the bytes any more once it has fulfilled. */
  readonly [borrows]?: boolean;
  /**
   * The calls for the next file of a store of files. Default: blocking calls for reading as long as they are faster, otherwise
   * calls in other threads.
   */
  [fileCalls]?: { readonly next: FileCalls } | undefined;
}

/**
 * Returns a store with its internal methods; undefined for other stores, and if a program has replaced the method that
 * they stand for: in a subclass, by an assignment or in a Proxy.
 */
export function ownStore(store: Store, method: "get" | "set"): OwnStore | undefined {
  const given = store as OwnStore;
  return given[own] && given[own][method] === store[method] ? given : undefined;
}

/** Joins a node's path and a key below it: `joinKey("a/b", "meta")` is "/a/b/meta". */
export function joinKey(path: string, key: string): string {
  return path === "" ? `/${key}` : `/${path}/${key}`;
}
