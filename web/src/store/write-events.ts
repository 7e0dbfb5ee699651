/**
 * Who is told when something has been written to a store: those who keep what they have read of it and could not tell
 * by its version that it has changed.
 */

import type { Store } from "./store.js";
import { storeBehind } from "./wrapped-store.js";

/** What was written: a key, or with a "/" at its end all keys that start with it. */
type Listener = (keyOrPrefix: string) => void;

const listeners = new WeakMap<Store, Set<WeakRef<Listener>>>();

/** Calls a listener for everything that is written through this library, as long as somebody else holds the listener. */
export function onWritten(given: Store, listener: Listener): void {
  const store = storeBehind(given);
  const all = listeners.get(store) ?? new Set();
  for (const known of all) if (!known.deref()) all.delete(known);
  listeners.set(store, all.add(new WeakRef(listener)));
}

/** Says that something has been written, or may have been. */
export function announceWrite(store: Store, keyOrPrefix: string): void {
  for (const known of listeners.get(storeBehind(store)) ?? []) known.deref()?.(keyOrPrefix);
}

/** What this library has written to a store since: what was kept of it before is not true any more. */
export class WrittenKeys {
  readonly #keys = new Set<string>();
  readonly #prefixes = new Set<string>();

  constructor(store: Store) {
    onWritten(store, this.#note);
  }

  readonly #note: Listener = (keyOrPrefix) => {
    (keyOrPrefix.endsWith("/") ? this.#prefixes : this.#keys).add(keyOrPrefix);
  };

  has(key: string): boolean {
    if (this.#keys.has(key)) return true;
    for (const prefix of this.#prefixes) if (key.startsWith(prefix)) return true;
    return false;
  }
}
