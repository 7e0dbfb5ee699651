/** Which objects of an array are stored, from stores whose listing has all of them. */

import type { ZarrArray } from "../hierarchy/array.js";
import { coordinatesOf } from "../metadata/chunk-key-encodings.js";
import type { ChunkKeys } from "../metadata/key-encoding.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinKey, type Store } from "../store/store.js";

/** What stores may say of their listing besides. */
interface Listing {
  /** Whether `list` gives the keys of chunks. Default: of stores that can be written. */
  readonly listsChunks?: boolean | undefined;
  /** Files and folders, for stores whose `list` takes long, or does not follow every link. */
  namesBelow?(
    path: string,
    depth: number,
    isEntered: (name: string) => boolean,
    signal: AbortSignal | undefined,
  ): AsyncIterable<string>;
}

/** Whether {@link storedObjects} can tell what a store has stored. */
export function listsChunks(store: Store & Listing): boolean {
  const isComplete = store.listsChunks ?? (typeof store.set === "function" || store instanceof Map);
  return store.namesBelow !== undefined || (isComplete && canList(store));
}

/**
 * Positions of an array's stored objects (chunks, or shards) in no particular order, some perhaps outside of the array.
 * @returns undefined for a store that does not list chunks, such as a server without a bucket, an Icechunk repository, or
 *   references in Parquet files.
 */
export function storedObjects(
  { store, path, spec }: ZarrArray,
  signal?: AbortSignal | undefined,
): AsyncIterable<number[]> | undefined {
  const { keys, shape } = spec;
  const names = namesOf(store, path, keys, shape.length, signal);
  return names && positionsOf(names, keys, shape.length);
}

function namesOf(
  store: Store & Listing,
  path: string,
  keys: ChunkKeys,
  rank: number,
  signal: AbortSignal | undefined,
): AsyncIterable<string> | undefined {
  if (store.namesBelow) return store.namesBelow(path, partsOf(keys, rank), entered(keys), signal);
  if (!listsChunks(store)) return undefined;
  return withoutPrefix(keysBelow(store, path, signal), joinKey(path, "").length);
}

async function* withoutPrefix(keys: AsyncIterable<string>, length: number): AsyncGenerator<string> {
  for await (const key of keys) yield key.slice(length);
}

async function* positionsOf(
  names: AsyncIterable<string>,
  keys: ChunkKeys,
  rank: number,
): AsyncGenerator<number[]> {
  for await (const name of names) {
    const position = coordinatesOf(keys, name, rank);
    if (position) yield position;
  }
}

/** Of one index in "fanout": the number of its groups of digits, and those groups, of two digits at least. */
const maxFanoutParts = 9;

/** Most parts that a chunk's key has between its slashes. */
function partsOf(keys: ChunkKeys, rank: number): number {
  if (keys.name === "suffix") return partsOf(keys.base, rank) + keys.suffix.split("/").length - 1;
  if (keys.name === "fanout") return 1 + rank * maxFanoutParts;
  return keys.separator === "/" ? rank + 1 : 1;
}

/** Tells names of folders that may hold chunks. */
function entered(keys: ChunkKeys): (name: string) => boolean {
  const isPlain = keys.name === "default" || keys.name === "v2";
  return isPlain ? (name) => /^(?:c|\d+)$/.test(name) : () => true;
}
