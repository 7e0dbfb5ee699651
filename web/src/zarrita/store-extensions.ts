/** zarrita's own extensions of stores. */
import { rangeName } from "../store/ranges.js";
import { defineStoreExtension } from "./extensions.js";
import type { AbsolutePath, AsyncReadable, RangeQuery } from "./types.js";

/** A Map is one. */
export interface ByteCache {
  has(key: string): boolean;
  get(key: string): Uint8Array | undefined;
  set(key: string, value: Uint8Array | undefined): void;
}

/** The name under which a read is kept; undefined: it is not. */
export type CacheKeyFor = (path: AbsolutePath, range?: RangeQuery) => string | undefined;

const defaultKeyFor: CacheKeyFor = (path, range) => (range ? `${path}\0${rangeName(range)}` : path);

/** Keeps what was read, also that something was not there. Without a cache of the caller's nothing ever goes. */
export const withByteCaching = defineStoreExtension(
  (store, options: { cache?: ByteCache | undefined; keyFor?: CacheKeyFor | undefined } = {}) => {
    const { cache = new Map<string, Uint8Array | undefined>(), keyFor = defaultKeyFor } = options;
    const cached = async (key: string | undefined, read: () => Promise<Uint8Array | undefined>) => {
      if (key === undefined) return read();
      if (cache.has(key)) return cache.get(key);
      const bytes = await read();
      cache.set(key, bytes);
      return bytes;
    };
    const getRange: AsyncReadable["getRange"] = (path, range, opts) =>
      cached(keyFor(path, range), () => store.getRange!(path, range, opts));
    const get: AsyncReadable["get"] = (path, opts) => cached(keyFor(path), async () => store.get(path, opts));
    return store.getRange ? { get, getRange } : { get };
  },
);

/** The store as it is: `get` merges the ranges of neighbouring chunks itself. */
export function withRangeCoalescing<S extends AsyncReadable>(store: S, _options?: object): S {
  return store;
}
