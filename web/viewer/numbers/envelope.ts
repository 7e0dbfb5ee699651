/** Fast minimum and maximum of any stretch of a line, by a pyramid of halved resolutions. */
import type { Plane } from "../base/plane.js";

/** Minimum and maximum; NaN for a stretch without numbers. */
export type Extent = readonly [min: number, max: number];

/** Values per entry of the lowest level. */
const first = 16;

export class Envelope {
  /** Pairs of minimum and maximum, of `first · 2ⁿ` values each. */
  readonly #storeys: Float64Array[] = [];

  /** @param plane a plane of one row */
  constructor(private readonly plane: Plane) {
    const count = Math.ceil(plane.columns / first);
    let storey = new Float64Array(2 * count);
    for (let i = 0; i < count; i++)
      storey.set(this.#scan(i * first, Math.min((i + 1) * first, plane.columns)), 2 * i);
    this.#storeys.push(storey);
    while (storey.length > 2) {
      const below = storey;
      storey = new Float64Array(2 * Math.ceil(below.length / 4));
      for (let i = 0; i < storey.length; i += 2) {
        const [a, b] = [2 * i, 2 * i + 2 < below.length ? 2 * i + 2 : 2 * i];
        storey[i] = least(below[a]!, below[b]!);
        storey[i + 1] = greatest(below[a + 1]!, below[b + 1]!);
      }
      this.#storeys.push(storey);
    }
  }

  /** Extent of the values `from` … `to` − 1. */
  over(from: number, to: number): Extent {
    const { columns } = this.plane;
    let [at, end] = [Math.max(0, from), Math.min(to, columns)];
    let [min, max] = [Number.NaN, Number.NaN];
    const take = ([low, high]: Extent) => {
      min = least(min, low);
      max = greatest(max, high);
    };
    const start = Math.min(end, Math.ceil(at / first) * first);
    const stop = Math.max(start, Math.floor(end / first) * first);
    take(this.#scan(at, start));
    take(this.#scan(stop, end));
    for ([at, end] = [start / first, stop / first]; at < end; ) {
      // The largest entry that begins here and does not extend beyond the end.
      let storey = 0;
      while (at % 2 ** (storey + 1) === 0 && at + 2 ** (storey + 1) <= end) storey++;
      const i = 2 * (at / 2 ** storey);
      const values = this.#storeys[storey]!;
      take([values[i]!, values[i + 1]!]);
      at += 2 ** storey;
    }
    return [min, max];
  }

  at(column: number): number {
    return this.plane.values[this.plane.offset + column * this.plane.columnStride]!;
  }

  #scan(from: number, to: number): Extent {
    const { values, offset, columnStride } = this.plane;
    let [min, max] = [Number.NaN, Number.NaN];
    for (let i = from; i < to; i++) {
      const value = values[offset + i * columnStride]!;
      if (!Number.isFinite(value)) continue;
      min = least(min, value);
      max = greatest(max, value);
    }
    return [min, max];
  }
}

/** The lesser number, ignoring NaN. */
const least = (a: number, b: number): number => (a <= b || Number.isNaN(b) ? a : b);
const greatest = (a: number, b: number): number => (a >= b || Number.isNaN(b) ? a : b);
