/** Notifies readers with caches of writes to a store through this library. */
import { handleOf, storeBehind, type WriteListener } from "./handle.js";
import type { Store } from "./store.js";

/** Calls a listener for every write through this library, as long as the caller holds the listener. */
export function onWritten(store: Store, listener: WriteListener): void {
  const { writeListeners } = handleOf(storeBehind(store));
  for (const known of writeListeners) if (!known.deref()) writeListeners.delete(known);
  writeListeners.add(new WeakRef(listener));
}

/** Reports a write, also if it may have failed. */
export function announceWrite(store: Store, keyOrPrefix: string): void {
  for (const known of handleOf(storeBehind(store)).writeListeners) known.deref()?.(keyOrPrefix);
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
