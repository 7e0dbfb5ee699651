/** Things that are kept up to a number of bytes; the least recently used go first. */
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
    this.#kept.delete(key); // to the end: used last
    this.#kept.set(key, entry);
    return entry.value;
  }

  /** Keeps something, unless it is larger than an eighth of all: it would drive out the rest. */
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
