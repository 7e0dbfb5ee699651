/**
 * Overlapping entries, by which a small archive stands for any number of bytes: each of its entries inflates the same
 * ones. Where none overlap, all of them together inflate to no more than 1032 times the archive.
 */

import type { Steps } from "../../util/slices.js";
import { sortSteps } from "../../util/sort.js";

/** Bytes of a local header without its name. */
const headerBytes = 30;

/** Where entries lie in an archive: collected one by one, in any order. */
export class Extents {
  #starts: number[] = [];
  #ends: number[] = [];
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
  *overlap(): Steps<boolean> {
    if (this.#isSorted) return false;
    this.#starts = yield* sortSteps(this.#starts);
    this.#ends = yield* sortSteps(this.#ends);
    return this.#starts.some((start, i) => i > 0 && this.#ends[i - 1]! > start);
  }
}
