/** zarrita's own extensions of stores. */

import { rangeName } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { WrittenKeys } from "../../store/write-events.js";
import { checkObject } from "../../util/arguments.js";
import { UnsupportedError } from "./errors.js";
import { defineStoreExtension } from "./extensions.js";
import { RangeMerger } from "./range-merger.js";
import type { AbsolutePath, AsyncReadable, FlushReport, RangeQuery } from "./types.js";

/** A Map is one. */
export interface ByteCache {
  has(key: string): boolean;
  get(key: string): Uint8Array | undefined;
  set(key: string, value: Uint8Array | undefined): void;
}

/** The name under which a read is kept; undefined: it is not. */
export type CacheKeyFor = (path: AbsolutePath, range?: RangeQuery) => string | undefined;

const defaultKeyFor: CacheKeyFor = (path, range) => (range ? `${path}\0${rangeName(range)}` : path);

/**
 * Keeps what was read, also that something was not there. Without a cache of the caller's nothing ever goes. What this
 * library writes meanwhile is read from the store from then on.
 */
export const withByteCaching = defineStoreExtension(
  (store, options: { cache?: ByteCache | undefined; keyFor?: CacheKeyFor | undefined } = {}) => {
    checkObject(options, "options of withByteCaching");
    const { cache = new Map<string, Uint8Array | undefined>(), keyFor = defaultKeyFor } = options;
    const written = new WrittenKeys(store as Store);
    const cached = async (
      path: AbsolutePath,
      key: string | undefined,
      read: () => Promise<Uint8Array | undefined>,
    ) => {
      if (key === undefined || written.has(path)) return read();
      if (cache.has(key)) return cache.get(key);
      const bytes = await read();
      cache.set(key, bytes);
      return bytes;
    };
    const getRange: AsyncReadable["getRange"] = (path, range, opts) =>
      cached(path, keyFor(path, range), () => store.getRange!(path, range, opts));
    const get: AsyncReadable["get"] = (path, opts) =>
      cached(path, keyFor(path), async () => store.get(path, opts));
    return store.getRange ? { get, getRange } : { get };
  },
);

export interface RangeCoalescingOptions {
  /** Ranges that lie at most so many bytes apart become one. Default 32 KiB. */
  coalesceSize?: number | undefined;
  /** Called for every path each time that ranges are asked for; what it throws goes to the console. */
  onFlush?: ((report: FlushReport) => void) | undefined;
}

/**
 * Makes one request of the ranges that are asked for at the same time. `get` merges those of an array's chunks
 * itself; this is for what several calls ask for.
 * @throws UnsupportedError for a store without `getRange`.
 */
export const withRangeCoalescing = defineStoreExtension((store, options: RangeCoalescingOptions = {}) => {
  if (!store.getRange) throw new UnsupportedError("withRangeCoalescing requires a store with getRange");
  checkObject(options, "options of withRangeCoalescing");
  const { coalesceSize = 2 ** 15, onFlush } = options;
  const merger = new RangeMerger(store as AsyncReadable & Required<Pick<AsyncReadable, "getRange">>, {
    coalesceSize,
    onFlush,
  });
  const getRange: AsyncReadable["getRange"] = (path, range, asked) =>
    "suffixLength" in range ? store.getRange!(path, range, asked) : merger.read(path, range, asked);
  return { getRange };
});
