/** Places of an atlas: bricks take several each, and the least recently used ones give theirs up. */

export class Slots {
  /** In order of use: the first brick is evicted next. */
  readonly #taken = new Map<string, readonly number[]>();
  readonly #free: number[] = [];
  #count = 0;

  /** Number of taken places. */
  get used(): number {
    return this.#count - this.#free.length;
  }

  /** Adds places up to a number. */
  grow(count: number): void {
    for (let slot = count - 1; slot >= this.#count; slot--) this.#free.push(slot);
    this.#count = Math.max(count, this.#count);
  }

  /** Whether a brick has places. Counts as use. */
  use(key: string): boolean {
    const slots = this.#taken.get(key);
    if (!slots) return false;
    this.#taken.delete(key);
    this.#taken.set(key, slots);
    return true;
  }

  /** Takes free places beside those that a brick has; undefined if there are too few. */
  take(key: string, count: number): readonly number[] | undefined {
    if (this.#free.length < count) return undefined;
    const slots = Array.from({ length: count }, () => this.#free.pop()!);
    this.#taken.set(key, [...(this.#taken.get(key) ?? []), ...slots]);
    return slots;
  }

  /** The least recently used brick that is not needed. */
  oldest(isNeeded: (key: string) => boolean): string | undefined {
    for (const key of this.#taken.keys()) if (!isNeeded(key)) return key;
    return undefined;
  }

  release(key: string): void {
    this.#free.push(...(this.#taken.get(key) ?? []));
    this.#taken.delete(key);
  }
}
