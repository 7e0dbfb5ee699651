/**
 * Overlapping entries, by which a small archive stands for any number of bytes: each of its entries inflates the same
 * ones. Where none overlap, all of them together inflate to no more than 1032 times the archive.
 */

/** Bytes of a local header without its name. */
const headerBytes = 30;

/** Where entries lie in an archive: collected one by one, in any order. */
export class Extents {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #isSorted = true;
  #end = 0;

  add({ offset, storedBytes }: { offset: number; storedBytes: number }): void {
    if (offset < this.#end) this.#isSorted = false;
    this.#end = offset + headerBytes + storedBytes;
    this.#starts.push(offset);
    this.#ends.push(this.#end);
  }

  /**
   * Whether any two overlap. As a rule they come in the order in which they lie; others are sorted, the starts and the
   * ends each for themselves: where they overlap, some end is behind the start that follows on as many others.
   */
  get overlap(): boolean {
    if (this.#isSorted) return false;
    const [starts, ends] = [Float64Array.from(this.#starts).sort(), Float64Array.from(this.#ends).sort()];
    for (let i = 1; i < starts.length; i++) if (ends[i - 1]! > starts[i]!) return true;
    return false;
  }
}
