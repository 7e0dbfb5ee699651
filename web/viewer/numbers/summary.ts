/** What a plane's numbers are like: extent, odd ones, and a sample from which percentiles are made. */
import type { Plane } from "../base/plane.js";

export interface Summary {
  /** Numbers in all. */
  readonly count: number;
  readonly finite: number;
  /** Least and greatest finite value; both NaN where there is none. */
  readonly min: number;
  readonly max: number;
  /** Numbers that are NaN, and infinite ones. */
  readonly missing: number;
  readonly infinite: number;
  /** Finite values at even distances. */
  readonly sample: Float64Array;
}

/** Rows and columns, the ends not included. */
export interface Part {
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
}

const sampleSize = 1 << 12;

/** @param without parts that are not data */
export function summarize(plane: Plane, without: readonly Part[] = []): Summary {
  const { values, offset, rows, columns, rowStride, columnStride } = plane;
  let [min, max, missing, infinite, finite] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0, 0];
  // Odd, so that a step never divides a row's length of 2ⁿ and misses most columns.
  const step = Math.ceil((rows * columns) / sampleSize) | 1;
  const sample = new Float64Array(Math.ceil((rows * columns) / step));
  let size = 0;
  let next = 0;
  for (let row = 0; row < rows; row++) {
    const stretches = without.length === 0 ? [[0, columns] as const] : outside(row, columns, without);
    for (const [from, to] of stretches) {
      let at = offset + row * rowStride + from * columnStride;
      next = Math.max(next, row * columns + from);
      for (let column = from; column < to; column++, at += columnStride) {
        const value = values[at]!;
        if (value - value === 0) {
          if (value < min) min = value;
          if (value > max) max = value;
          finite++;
          if (row * columns + column >= next) {
            sample[size++] = value;
            next += step;
          }
        } else if (Number.isNaN(value)) missing++;
        else infinite++;
      }
    }
  }
  const extent = finite > 0 ? { min, max } : { min: Number.NaN, max: Number.NaN };
  return {
    ...extent,
    count: finite + missing + infinite,
    finite,
    missing,
    infinite,
    sample: sample.slice(0, size),
  };
}

/** The stretches of a row that no part covers. */
function outside(row: number, columns: number, parts: readonly Part[]): (readonly [number, number])[] {
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
