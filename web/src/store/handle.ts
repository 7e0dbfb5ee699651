/** One record of internal state for each store, which may be an object of the caller; notifications of writes. */

import { cachedFor } from "../util/platform.js";
import type { Store } from "./store.js";

/** Called with a key that was written; a "/" at its end stands for all keys with that prefix. */
export type WriteListener = (keyOrPrefix: string) => void;

/** Work at one path of a store: see concurrency.ts. */
export interface KeyQueue {
  /** Settles after all exclusive work. */
  exclusive: Promise<unknown>;
  /** Settles after all work. */
  all: Promise<unknown>;
}

export interface StoreHandle {
  /** The store that this one wraps; {@link setInnerStore} sets it. */
  inner?: Store;
  /** Queues of writers, by path. */
  readonly queues: Map<string, KeyQueue>;
  /** Writes that outlived their abort signals, with their keys: see concurrency.ts. */
  readonly pendingWrites: Map<Promise<void>, string>;
  readonly writeListeners: Set<WeakRef<WriteListener>>;
  /** Number of this process's writes to metadata. Metadata that was read before the last one may be outdated. */
  metadataWrites: number;
  /** Zarr version of the node that was found last: others are not looked for first, which saves requests. */
  lastVersion?: 1 | 2 | 3;
  /** The same for the drop-in for zarrita. */
  lastZarritaVersion?: 1 | 2 | 3;
  /** Start of the stamps that this process writes: see edit/documents.ts. */
  writerId?: string;
}

/** Returns the record of a store. */
export const handleOf = cachedFor(
  (_store: object): StoreHandle => ({
    queues: new Map(),
    pendingWrites: new Map(),
    writeListeners: new Set(),
    metadataWrites: 0,
  }),
);

/** Notes that a store writes to another one, so that writers through either wait for each other. */
export function setInnerStore<S extends Store>(front: S, store: Store): S {
  handleOf(front).inner = store;
  return front;
}

/** Returns the innermost store: the one that holds the objects. */
export function innermostStore(store: Store): Store {
  let last = store;
  for (let next = handleOf(last).inner; next; next = handleOf(last).inner) last = next;
  return last;
}

/** Calls a listener for every write through this library, as long as the caller holds the listener. */
export function onWritten(store: Store, listener: WriteListener): void {
  const { writeListeners } = handleOf(innermostStore(store));
  for (const known of writeListeners) if (!known.deref()) writeListeners.delete(known);
  writeListeners.add(new WeakRef(listener));
}

/** Reports a write, also if it may have failed. */
export function announceWrite(store: Store, keyOrPrefix: string): void {
  for (const known of handleOf(innermostStore(store)).writeListeners) known.deref()?.(keyOrPrefix);
}

/** The keys that this library has written to a store since this object was created. */
export class WrittenKeys {
  readonly #keys = new Set<string>();
  readonly #prefixes = new Set<string>();

  constructor(store: Store) {
    onWritten(store, this.#note);
  }

  readonly #note: WriteListener = (keyOrPrefix) => {
    (keyOrPrefix.endsWith("/") ? this.#prefixes : this.#keys).add(keyOrPrefix);
  };

  has(key: string): boolean {
    if (this.#keys.has(key)) return true;
    for (const prefix of this.#prefixes) if (key.startsWith(prefix)) return true;
    return false;
  }
}
