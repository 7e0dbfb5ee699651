/** Lists the stored objects of an array, in stores whose listings are complete. */

import type { ZarrArray } from "../hierarchy/array.js";
import { parseChunkKey } from "../metadata/chunk-key-encodings.js";
import type { ChunkKeys } from "../metadata/document.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinKey, type Store } from "../store/store.js";

/** Optional store properties that describe its listings. */
interface Listing {
  /** Whether `list` returns the keys of chunks. Default: true for writable stores. */
  readonly listsChunks?: boolean | undefined;
  /** Lists files and folders, for stores whose `list` is slow or does not follow every link. */
  namesBelow?(
    path: string,
    depth: number,
    isEntered: (name: string) => boolean,
    signal: AbortSignal | undefined,
  ): AsyncIterable<string>;
}

/** Whether {@link storedObjects} supports a store. */
export function listsChunks(store: Store & Listing): boolean {
  const isComplete = store.listsChunks ?? (typeof store.set === "function" || store instanceof Map);
  return store.namesBelow !== undefined || (isComplete && canList(store));
}

/**
 * Yields the grid positions of an array's stored objects (chunks or shards) in no particular order; some may
 * lie outside the array.
 * @returns undefined for a store that does not list chunks, such as a server without a bucket, an Icechunk
 *   repository, or references in Parquet files.
 */
export function storedObjects(
  { store, path, spec }: ZarrArray,
  signal?: AbortSignal | undefined,
): AsyncIterable<number[]> | undefined {
  const { keys, shape } = spec;
  const names = chunkNames(store, path, keys, shape.length, signal);
  return names && parsePositions(names, keys, shape.length);
}

function chunkNames(
  store: Store & Listing,
  path: string,
  keys: ChunkKeys,
  rank: number,
  signal: AbortSignal | undefined,
): AsyncIterable<string> | undefined {
  if (store.namesBelow) return store.namesBelow(path, maxKeySegments(keys, rank), entered(keys), signal);
  if (!listsChunks(store)) return undefined;
  return withoutPrefix(keysBelow(store, path, signal), joinKey(path, "").length);
}

async function* withoutPrefix(keys: AsyncIterable<string>, length: number): AsyncGenerator<string> {
  for await (const key of keys) yield key.slice(length);
}

async function* parsePositions(
  names: AsyncIterable<string>,
  keys: ChunkKeys,
  rank: number,
): AsyncGenerator<number[]> {
  for await (const name of names) {
    const position = parseChunkKey(keys, name, rank);
    if (position) yield position;
  }
}

/**
 * Maximum path segments of one index in "fanout": the number of its digit groups, then the groups, of at
 * least two digits each.
 */
const maxFanoutParts = 9;

/** Returns the maximum number of path segments in a chunk key. */
function maxKeySegments(keys: ChunkKeys, rank: number): number {
  if (keys.name === "suffix") return maxKeySegments(keys.base, rank) + keys.suffix.split("/").length - 1;
  if (keys.name === "fanout") return 1 + rank * maxFanoutParts;
  return keys.separator === "/" ? rank + 1 : 1;
}

/** Returns a test for the names of folders that may hold chunks. */
function entered(keys: ChunkKeys): (name: string) => boolean {
  const isPlain = keys.name === "default" || keys.name === "v2";
  return isPlain ? (name) => /^(?:c|\d+)$/.test(name) : () => true;
}
