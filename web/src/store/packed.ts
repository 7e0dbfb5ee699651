/**
 * Stores whose objects are parts of larger files, and that know which: what lies close together there can be read with one
 * request. Whoever wraps such a store, or puts something in the place of its `get`, is asked for each object.
 */
import type { Store } from "./store.js";

/** Where an object lies. */
export interface Place {
  /** Names the file: the same text, the same file, of which the same is known. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface PackedStore<T extends Place = Place> {
  /** The store's own `get`: where another has taken its place, that one is meant to be called. */
  readonly get: Store["get"];
  /** Undefined for an object that is not there, or is no part of a file. */
  placeOf(key: string, signal: AbortSignal | undefined): Promise<T | undefined>;
  /** Reads so many bytes from an offset in the file of a place. @throws where it has less, and what `get` throws. */
  readFile(
    place: T,
    part: { readonly offset: number; readonly length: number },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array>;
}

const packed = new WeakMap<Store, PackedStore>();

/** Says that a store is of this kind. */
export function addPackedStore<T extends Place>(store: Store, own: PackedStore<T>): void {
  packed.set(store, own as unknown as PackedStore);
}

/** What a store knows of where its objects lie; undefined for one that knows nothing. */
export function packedStore(store: Store): PackedStore | undefined {
  const own = packed.get(store);
  return own && store.get === own.get ? own : undefined;
}
