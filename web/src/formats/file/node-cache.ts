/** Keeps parsed structures: a bounded number by their address or name, or a single one. */

export class NodeCache<T, Key = number> {
  /** In order of loading: the first is dropped next. */
  readonly #nodes = new Map<Key, Promise<T>>();

  /** @param maxNodes maximum number of structures that are kept. */
  constructor(private readonly maxNodes = 512) {}

  has(key: Key): boolean {
    return this.#nodes.has(key);
  }

  /** Returns a structure; loads it once for concurrent callers, without their signals. */
  get(key: Key, load: () => Promise<T>): Promise<T> {
    const kept = this.#nodes.get(key);
    if (kept) return kept;
    const loaded = load();
    this.#nodes.set(key, loaded);
    loaded.catch(() => this.#nodes.delete(key));
    if (this.#nodes.size > this.maxNodes) {
      const [oldest] = this.#nodes.keys();
      this.#nodes.delete(oldest!);
    }
    return loaded;
  }
}

/** Returns a function that loads a structure once for concurrent callers; a failed load is tried again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  const kept = new NodeCache<T>();
  return () => kept.get(0, load);
}
