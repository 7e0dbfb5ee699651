/** Summarises the numbers of a plane: extent, non-finite values, and a sample for percentiles. */
import type { Numbers, Plane } from "../base/plane.js";

export interface Summary {
  /** Number of elements. */
  readonly count: number;
  readonly finite: number;
  /** Minimum and maximum finite value; both NaN if there is none. */
  readonly min: number;
  readonly max: number;
  /** Number of NaN and of infinite values. */
  readonly missing: number;
  readonly infinite: number;
  /** Number of infinite values below 0. */
  readonly minusInfinite: number;
  /** Evenly spaced finite values, in the plane's own type. */
  readonly sample: Numbers;
}

/** Rows and columns, ends excluded. */
export interface CellRange {
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
}

const sampleSize = 1 << 12;

/** @param without parts without data */
export function summarize(plane: Plane, without: readonly CellRange[] = []): Summary {
  const { values, offset, rows, columns, rowStride, columnStride } = plane;
  const tally = new Tally(plane);
  const take = values instanceof Float32Array || values instanceof Float64Array ? takeNumbers : takeIntegers;
  for (let row = 0; row < rows; row++) {
    const stretches = without.length === 0 ? [[0, columns] as const] : outside(row, columns, without);
    for (const [from, to] of stretches)
      take(
        tally,
        values,
        offset + row * rowStride + from * columnStride,
        columnStride,
        row * columns + from,
        to - from,
      );
  }
  return tally.summary();
}

/** Accumulates a summary. */
class Tally {
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  missing = 0;
  infinite = 0;
  minusInfinite = 0;
  finite = 0;
  readonly sample: Numbers;
  size = 0;
  /** Odd, so that it never divides a row length of 2ⁿ and misses most columns. */
  readonly step: number;
  /** Index of the next sample, counted row by row. */
  next = 0;

  constructor({ values, rows, columns }: Plane) {
    this.step = Math.ceil((rows * columns) / sampleSize) | 1;
    const Type = values.constructor as new (length: number) => Numbers;
    this.sample = new Type(Math.ceil((rows * columns) / this.step));
  }

  summary(): Summary {
    const { finite, missing, infinite, minusInfinite } = this;
    const extent = finite > 0 ? { min: this.min, max: this.max } : { min: Number.NaN, max: Number.NaN };
    const sample = this.size === this.sample.length ? this.sample : this.sample.slice(0, this.size);
    return {
      ...extent,
      count: finite + missing + infinite,
      finite,
      missing,
      infinite,
      minusInfinite,
      sample,
    };
  }
}

/**
 * Processes a stretch of a row.
 * @param at position of its first element.
 * @param first index of that element, counted row by row.
 */
type Take = (tally: Tally, values: Numbers, at: number, stride: number, first: number, count: number) => void;

/** Integers have no NaN or infinities: two comparisons per value, and more only for samples. */
const takeIntegers: Take = (tally, values, at, stride, first, count) => {
  let { min, max } = tally;
  // In a constant block all elements are the same one.
  for (let i = at, left = stride === 0 ? Math.min(1, count) : count; left > 0; left--, i += stride) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  tally.min = min;
  tally.max = max;
  tally.finite += count;
  let next = Math.max(tally.next, first);
  for (; next < first + count; next += tally.step)
    tally.sample[tally.size++] = values[at + (next - first) * stride]!;
  tally.next = next;
};

const takeNumbers: Take = (tally, values, at, stride, first, count) => {
  let next = Math.max(tally.next, first);
  for (let i = first; i < first + count; i++, at += stride) {
    const value = values[at]!;
    if (value - value === 0) {
      if (value < tally.min) tally.min = value;
      if (value > tally.max) tally.max = value;
      tally.finite++;
      if (i >= next) {
        tally.sample[tally.size++] = value;
        next += tally.step;
      }
    } else if (Number.isNaN(value)) tally.missing++;
    else {
      tally.infinite++;
      if (value < 0) tally.minusInfinite++;
    }
  }
  tally.next = next;
};

/** The stretches of a row outside all parts. */
function outside(row: number, columns: number, parts: readonly CellRange[]): (readonly [number, number])[] {
  const covered = parts
    .filter(({ rows }) => row >= rows[0] && row < rows[1])
    .map((part) => part.columns)
    .sort((a, b) => a[0] - b[0]);
  const free: (readonly [number, number])[] = [];
  let at = 0;
  for (const [from, to] of covered) {
    if (from > at) free.push([at, from]);
    at = Math.max(at, to);
  }
  if (at < columns) free.push([at, columns]);
  return free;
}
