/** What the automatic value ranges are made from. */
import type { Plane } from "./render.js";

export interface Statistics {
  /** Least and greatest finite value; both NaN where there is none. */
  readonly min: number;
  readonly max: number;
  /** Numbers that are NaN, and infinite ones. */
  readonly missing: number;
  readonly infinite: number;
}

export function statisticsOf({ values, rows, columns, rowStride, columnStride }: Plane): Statistics {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let missing = 0;
  let infinite = 0;
  for (let row = 0; row < rows; row++) {
    let from = row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) {
      const value = values[from]!;
      if (value - value === 0) {
        if (value < min) min = value;
        if (value > max) max = value;
      } else if (Number.isNaN(value)) missing++;
      else infinite++;
    }
  }
  return min <= max
    ? { min, max, missing, infinite }
    : { min: Number.NaN, max: Number.NaN, missing, infinite };
}

/** Enough for percentiles that look right; all values of a small plane. */
const sampleSize = 1 << 16;

/** Values below which the given parts (0 to 1) of the finite values lie, from an even sample. */
export function quantiles(plane: Plane, parts: readonly number[]): number[] {
  const { values, columns, rowStride, columnStride } = plane;
  const count = plane.rows * columns;
  // Odd, so that a step never divides a row's length of 2ⁿ and misses most columns.
  const step = Math.ceil(count / sampleSize) | 1;
  const sample = new Float64Array(Math.ceil(count / step));
  let size = 0;
  for (let i = 0; i < count; i += step) {
    const value = values[Math.floor(i / columns) * rowStride + (i % columns) * columnStride]!;
    if (Number.isFinite(value)) sample[size++] = value;
  }
  const sorted = sample.subarray(0, size).sort();
  return parts.map((part) => sorted[Math.round(part * (size - 1))] ?? Number.NaN);
}
