/** Statistics of all values read of a plane: ranges, and data for a histogram. */
import type { Summary } from "./summary.js";

/**
 * Number of values sampled for percentiles: enough for a good estimate, few enough to sort between two
 * frames.
 */
const maxValues = 1 << 15;

/**
 * Maximum distance of minimum and maximum from the percentiles, relative to the percentile range, to not
 * count as outliers.
 */
const maxReach = 0.5;

export interface Histogram {
  readonly low: number;
  readonly high: number;
  /** Share of the finite values in each of the equal bins from `low` to `high`. */
  readonly bins: Float64Array;
  /** Shares below `low` and above `high`. */
  readonly below: number;
  readonly above: number;
}

export class Findings {
  readonly #summaries = new Map<string, Summary>();
  #sorted: Float64Array | undefined;

  /** Sets the summary of a tile, replacing an earlier one. */
  add(key: string, summary: Summary): void {
    this.#summaries.set(key, summary);
    this.#sorted = undefined;
  }

  has(key: string): boolean {
    return this.#summaries.has(key);
  }

  clear(): void {
    this.#summaries.clear();
    this.#sorted = undefined;
  }

  get size(): number {
    return this.#summaries.size;
  }

  #sum(of: "count" | "finite" | "missing" | "infinite" | "minusInfinite"): number {
    let sum = 0;
    for (const summary of this.#summaries.values()) sum += summary[of];
    return sum;
  }

  /** Number of values seen. */
  get count(): number {
    return this.#sum("count");
  }
  get finite(): number {
    return this.#sum("finite");
  }
  get missing(): number {
    return this.#sum("missing");
  }
  get infinite(): number {
    return this.#sum("infinite");
  }

  get minusInfinite(): number {
    return this.#sum("minusInfinite");
  }

  /** Minimum and maximum finite value; undefined if there is none. */
  get extent(): readonly [min: number, max: number] | undefined {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const summary of this.#summaries.values()) {
      if (summary.min < min) min = summary.min;
      if (summary.max > max) max = summary.max;
    }
    return min <= max ? [min, max] : undefined;
  }

  /** The least positive value of a sample; undefined if there is none. */
  get leastPositive(): number | undefined {
    return this.#sample().find((value) => value > 0);
  }

  /** Values below which the given parts (0 to 1) of the finite values lie, from an even sample. */
  percentiles(parts: readonly number[]): number[] {
    const sorted = this.#sample();
    return parts.map((part) => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN);
  }

  /** The 1st to the 99th percentile; the full extent if these are equal. */
  robustRange(): readonly [low: number, high: number] | undefined {
    const [low, high] = this.percentiles([0.01, 0.99]);
    return low! < high! ? [low!, high!] : this.extent;
  }

  /**
   * The full extent, unless a few outliers would take up most of the colours; then the range without them.
   */
  automaticRange(): readonly [low: number, high: number] | undefined {
    const [robust, extent] = [this.robustRange(), this.extent];
    if (!robust || !extent) return extent;
    // Halved, because the difference of two finite numbers may overflow.
    const width = robust[1] / 2 - robust[0] / 2;
    const reach = (end: number, robustEnd: number) => Math.abs(end / 2 - robustEnd / 2) <= width * maxReach;
    return [
      reach(extent[0], robust[0]) ? extent[0] : robust[0],
      reach(extent[1], robust[1]) ? extent[1] : robust[1],
    ];
  }

  /**
   * A histogram from a sample; by default over the full extent.
   * @param shareOf place of a value between the limits, from 0 to 1. Default: linear
   */
  histogram(count: number, limits = this.extent, shareOf?: (value: number) => number): Histogram | undefined {
    const sorted = this.#sample();
    if (!limits || sorted.length === 0) return undefined;
    const [low, high] = limits;
    const bins = new Float64Array(count);
    const share = 1 / sorted.length;
    // Halved, because the difference of two finite numbers may overflow.
    const place = shareOf ?? ((value: number) => (value / 2 - low / 2) / (high / 2 - low / 2));
    let [below, above] = [0, 0];
    for (const value of sorted) {
      if (value < low) below += share;
      else if (value > high) above += share;
      else bins[toBin(place(value), count)]! += share;
    }
    return { low, high, bins, below, above };
  }

  /** Sorted values of every tile, in proportion to its number of values. */
  #sample(): Float64Array {
    if (this.#sorted) return this.#sorted;
    // The same rate for every tile, or tiles with small samples would be underrepresented.
    let rate = maxValues / Math.max(this.finite, maxValues);
    for (const { sample, finite } of this.#summaries.values())
      if (finite > 0) rate = Math.min(rate, sample.length / finite);
    const values: number[] = [];
    for (const { sample, finite } of this.#summaries.values()) {
      const wanted = Math.min(sample.length, Math.ceil(finite * rate));
      for (let i = 0; i < wanted; i++) values.push(sample[Math.floor((i * sample.length) / wanted)]!);
    }
    this.#sorted = Float64Array.from(values).sort();
    return this.#sorted;
  }
}

const toBin = (part: number, count: number): number =>
  Number.isNaN(part) ? 0 : Math.min(count - 1, Math.floor(part * count));
