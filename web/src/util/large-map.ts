/** A map of strings that can grow without blocking: rehashing a `Map` of millions of entries takes seconds. */
export class LargeMap<T> {
  readonly #parts = Array.from({ length: 64 }, () => new Map<string, T>());

  get(key: string): T | undefined {
    return this.#partOf(key).get(key);
  }

  /** @returns whether the key is new. */
  set(key: string, value: T): boolean {
    const part = this.#partOf(key);
    const { size } = part;
    part.set(key, value);
    return part.size > size;
  }

  /** Selects a part by the last characters of the key, which differ most between chunks. */
  #partOf(key: string): Map<string, T> {
    let hash = key.length;
    for (let at = Math.max(0, key.length - 8); at < key.length; at++)
      hash = Math.imul(hash, 31) + key.charCodeAt(at);
    return this.#parts[(hash ^ (hash >>> 15)) & 63]!;
  }
}
