/** A cache that loads its values. Apart from lru.ts, which is in the start download. */

import { SingleFlight } from "./async.js";
import { type Kept, LruCache } from "./lru.js";

/** Loads values by key, once for concurrent callers, and keeps the last used ones. */
export class LoadCache<T> {
  readonly #kept: LruCache<Kept & { readonly value: T }>;
  readonly #flights = new SingleFlight<T>();

  /** @param budgetBytes size of the cache, not counting the value last loaded. */
  constructor(
    budgetBytes: number,
    private readonly bytesOf: (value: T) => number,
    private readonly load: (key: string, signal: AbortSignal) => Promise<T>,
  ) {
    this.#kept = new LruCache(budgetBytes);
  }

  /** @throws the errors of `load`; the reason of the caller's signal. */
  async get(key: string, signal: AbortSignal | undefined): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept) return kept.value;
    return this.#flights.run(key, signal, async (joint) => {
      const value = await this.load(key, joint);
      this.#kept.set({ key, bytes: this.bytesOf(value), value });
      return value;
    });
  }
}
