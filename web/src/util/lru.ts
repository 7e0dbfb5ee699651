/** A least-recently-used cache with a budget in bytes. */

export interface Kept {
  readonly key: string;
  readonly bytes: number;
}

export class LruCache<T extends Kept> {
  /** In order of use: the first is evicted next. */
  readonly #entries = new Map<string, T>();
  #bytes = 0;

  /** @param onDrop called for every evicted entry. */
  constructor(
    private budgetBytes: number,
    private readonly onDrop?: (entry: T) => void,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }
  get size(): number {
    return this.#entries.size;
  }
  get budget(): number {
    return this.budgetBytes;
  }
  set budget(bytes: number) {
    this.budgetBytes = bytes;
    this.#trim();
  }

  /** The entries, least recently used first. */
  values(): IterableIterator<T> {
    return this.#entries.values();
  }

  /** Does not count as use. */
  peek(key: string): T | undefined {
    return this.#entries.get(key);
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  /** Adds an entry, replacing one with the same key. An entry larger than the budget is kept alone. */
  set(entry: T): void {
    this.delete(entry.key);
    this.#entries.set(entry.key, entry);
    this.#bytes += entry.bytes;
    this.#trim(entry);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    this.onDrop?.(entry);
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }

  #trim(last?: T): void {
    for (const entry of this.#entries.values()) {
      if (this.#bytes <= this.budgetBytes) return;
      if (entry !== last) this.delete(entry.key);
    }
  }
}
