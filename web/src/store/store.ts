/** Stores: where keys and their bytes live. */

/** Options of a single read. */
export interface GetOptions {
  signal?: AbortSignal | undefined;
}

/** Part of an object: from an offset, or its last bytes. */
export type RangeQuery = { offset: number; length: number } | { suffixLength: number };

type MaybePromise<T> = T | Promise<T>;

/**
 * What can be read from. Keys start with "/". Only "there is nothing under this key" is `undefined`;
 * every other trouble throws. A `Map<string, Uint8Array>` is a store, and so are zarrita's stores.
 */
export interface Store {
  get(key: string, options?: GetOptions): MaybePromise<Uint8Array | undefined>;
  getRange?(key: string, range: RangeQuery, options?: GetOptions): MaybePromise<Uint8Array | undefined>;
  set?(key: string, value: Uint8Array): MaybePromise<unknown>;
  delete?(key: string): MaybePromise<unknown>;
  /** Where a key is, for messages: its URL or the file's path. */
  locate?(key: string): string;
  /** Keys under a prefix, each with its leading "/". */
  list?(prefix: string): AsyncIterable<string> | Iterable<string>;
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
