/** Sorts points or edges into bands by y, of which searches visit few. */

/** Number of entries above which items in several bands make the bands higher. */
const maxEntries = 2 ** 25;

/** Calls a function with the number of each item, and its least and greatest y. */
type Each = (visit: (item: number, low: number, high: number) => void) => void;

export class Bands {
  readonly count: number;
  readonly height: number;
  /** Start of each band in the order. */
  readonly #starts: Uint32Array;
  readonly #order: Uint32Array;

  /** @param count number of bands, as far as items do not have too many entries. */
  constructor(
    private readonly first: number,
    last: number,
    count: number,
    each: Each,
  ) {
    this.count = Math.max(1, count);
    for (;;) {
      this.height = (last - first) / this.count || 1;
      let [entries, items] = [0, 0];
      each((_, low, high) => {
        entries += this.at(high) - this.at(low) + 1;
        items++;
      });
      if (this.count === 1 || entries <= Math.max(maxEntries, items)) break;
      this.count = Math.ceil(this.count / 4);
    }
    this.#starts = new Uint32Array(this.count + 1);
    each((_, low, high) => {
      for (let band = this.at(low); band <= this.at(high); band++) this.#starts[band + 1]!++;
    });
    for (let band = 0; band < this.count; band++) this.#starts[band + 1]! += this.#starts[band]!;
    this.#order = new Uint32Array(this.#starts[this.count]!);
    const next = this.#starts.slice();
    each((item, low, high) => {
      for (let band = this.at(low); band <= this.at(high); band++) this.#order[next[band]!++] = item;
    });
  }

  /** Returns the band of a y, or the nearest one. */
  at(y: number): number {
    return Math.min(Math.max(Math.floor((y - this.first) / this.height), 0), this.count - 1);
  }

  /** Returns the lower edge of a band. */
  edge(band: number): number {
    return this.first + band * this.height;
  }

  /** Returns the items of a band. */
  items(band: number): Uint32Array {
    return this.#order.subarray(this.#starts[band]!, this.#starts[band + 1]!);
  }
}
