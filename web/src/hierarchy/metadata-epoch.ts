/** Writes of this library to metadata, told to those who have read it. */
import type { Store } from "../store/store.js";

const writes = new WeakMap<Store, number>();

/** How many there have been to a store's metadata: what was read before another one may not be true any more. */
export function writesTo(store: Store): number {
  return writes.get(store) ?? 0;
}

/** Says that a store's metadata has been written to. */
export function noteWrite(store: Store): void {
  writes.set(store, writesTo(store) + 1);
}
