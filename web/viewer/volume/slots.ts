/** Places of an atlas, which bricks take; the least recently used ones give theirs up. */

export class Slots {
  /** In order of use: the first is evicted next. */
  readonly #taken = new Map<string, number>();
  readonly #free: number[] = [];
  #count = 0;

  get size(): number {
    return this.#taken.size;
  }

  /** Adds places up to a number. */
  grow(count: number): void {
    for (let slot = count - 1; slot >= this.#count; slot--) this.#free.push(slot);
    this.#count = Math.max(count, this.#count);
  }

  /** The place of a brick. */
  placeOf(key: string): number | undefined {
    return this.#taken.get(key);
  }

  /** The place of a brick. Counts as use. */
  use(key: string): number | undefined {
    const slot = this.#taken.get(key);
    if (slot === undefined) return undefined;
    this.#taken.delete(key);
    this.#taken.set(key, slot);
    return slot;
  }

  /** Takes a free place; undefined if there is none. */
  take(key: string): number | undefined {
    const slot = this.#free.pop();
    if (slot !== undefined) this.#taken.set(key, slot);
    return slot;
  }

  /** The least recently used brick that is not needed. */
  oldest(isNeeded: (key: string) => boolean): string | undefined {
    for (const key of this.#taken.keys()) if (!isNeeded(key)) return key;
    return undefined;
  }

  release(key: string): void {
    const slot = this.#taken.get(key);
    if (slot === undefined) return;
    this.#taken.delete(key);
    this.#free.push(slot);
  }
}
