/** A bounded cache of parsed structures by their address. */

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
