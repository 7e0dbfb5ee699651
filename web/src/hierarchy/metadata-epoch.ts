/** Counts writes of this library to metadata, so that readers can detect outdated metadata. */
import type { Store } from "../store/store.js";

const writes = new WeakMap<Store, number>();

/** Returns the number of writes to a store's metadata. Metadata read at a lower number may be outdated. */
export function writesTo(store: Store): number {
  return writes.get(store) ?? 0;
}

/** Records a write to a store's metadata. */
export function noteWrite(store: Store): void {
  writes.set(store, writesTo(store) + 1);
}
