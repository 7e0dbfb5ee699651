/** A cache with a byte limit that evicts the least recently used entries. */
export class Lru<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly bytes: number }>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    const entry = this.#kept.get(key);
    if (!entry) return undefined;
    this.#kept.delete(key); // moves it to the end: most recently used
    this.#kept.set(key, entry);
    return entry.value;
  }

  /** Adds an entry, unless it is larger than an eighth of the limit, which would evict too much. */
  set(key: string, value: T, bytes: number): void {
    this.delete(key);
    if (bytes > this.maxBytes / 8) return;
    this.#kept.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
