/** Sorts points or edges into bands by y, of which searches visit few. */

import type { Steps } from "../../util/slices.js";

/** Number of entries above which items in several bands make the bands higher. */
const maxEntries = 2 ** 25;
/** Items or entries handled in one step. */
const stepItems = 2 ** 12;

/** Items by number. */
export interface BandItems {
  readonly count: number;
  /** Least y of an item; NaN to leave it out. */
  low(item: number): number;
  /** Greatest y of an item. */
  high(item: number): number;
}

export class Bands {
  readonly height: number;
  /** Start of each band in the order. */
  readonly #starts: Uint32Array;
  #order = new Uint32Array(0);

  private constructor(
    private readonly first: number,
    last: number,
    readonly count: number,
  ) {
    this.height = (last - first) / count || 1;
    this.#starts = new Uint32Array(count + 1);
  }

  /** @param count number of bands, as far as items do not have too many entries. */
  static *make(first: number, last: number, count: number, items: BandItems): Steps<Bands> {
    let bands = new Bands(first, last, Math.max(1, count));
    while ((yield* bands.#findStarts(items)) > Math.max(maxEntries, items.count) && bands.count > 1)
      bands = new Bands(first, last, Math.ceil(bands.count / 4));
    yield* bands.#sort(items);
    return bands;
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

  /** @returns the number of entries of all bands. */
  *#findStarts(items: BandItems): Steps<number> {
    /** Items that begin in a band, less those that end in the band before. */
    const changes = new Int32Array(this.count + 1);
    for (let item = 0; item < items.count; item++) {
      if (item % stepItems === 0) yield;
      const low = items.low(item);
      if (Number.isNaN(low)) continue;
      changes[this.at(low)]!++;
      changes[this.at(items.high(item)) + 1]!--;
    }
    let [inBand, entries] = [0, 0];
    for (let band = 0; band < this.count; band++) {
      inBand += changes[band]!;
      entries += inBand;
      this.#starts[band + 1] = entries;
    }
    return entries;
  }

  *#sort(items: BandItems): Steps<void> {
    const order = new Uint32Array(this.#starts[this.count]!);
    const next = this.#starts.slice();
    let work = 0;
    for (let item = 0; item < items.count; item++) {
      const low = items.low(item);
      const [from, to] = Number.isNaN(low) ? [0, -1] : [this.at(low), this.at(items.high(item))];
      for (let band = from; band <= to; band++) order[next[band]!++] = item;
      work += to - from + 2;
      if (work < stepItems) continue;
      work = 0;
      yield;
    }
    this.#order = order;
  }
}
