/** Keeps parsed structures: a bounded number by their address, or a single one. */

/** Maximum number of structures that are kept. */
const maxNodes = 512;

export class NodeCache<T> {
  /** In order of loading: the first is dropped next. */
  readonly #nodes = new Map<number, Promise<T>>();

  has(address: number): boolean {
    return this.#nodes.has(address);
  }

  /** Returns the structure at an address; loads it once for concurrent callers, without their signals. */
  get(address: number, load: () => Promise<T>): Promise<T> {
    const kept = this.#nodes.get(address);
    if (kept) return kept;
    const loaded = load();
    this.#nodes.set(address, loaded);
    loaded.catch(() => this.#nodes.delete(address));
    if (this.#nodes.size > maxNodes) {
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
