/** Parts of grids: some axes of an array, with the coordinates of the cells along them. */

import { notALabel } from "../../conventions/sel/labels.js";

/** Cells of a place. */
export interface Found {
  /** Indices of each cell along the axes. */
  readonly cells: readonly (readonly number[])[];
  /** Their sum is 1. */
  readonly weights: readonly number[];
  /** Coordinates of the nearest cell. */
  readonly nearest: readonly number[];
}

/** Axes of an array, and the coordinates of the cells along them. */
export interface GridPart {
  /** Names of the coordinates. */
  readonly names: readonly string[];
  readonly axes: readonly number[];
  /** Index of the longitudes among the coordinates; -1 if there are none. */
  readonly longitude: number;
  /** Converts the label of one of the coordinates. @throws InvalidSelection (no-such-label). */
  valueOf(label: unknown, name: string): number;
  /** Returns the nearest cell for values of the coordinates, or cells to interpolate. @throws InvalidSelection (no-such-label) outside. */
  find(values: readonly number[], isLinear: boolean): Found;
  /** Returns about how many cells lie between two places. */
  cellsBetween(from: readonly number[], to: readonly number[]): number;
}

/** Combines the cells of two parts. */
export function product(a: Found, b: Found): Found {
  return {
    cells: a.cells.flatMap((first) => b.cells.map((second) => [...first, ...second])),
    weights: a.weights.flatMap((first) => b.weights.map((second) => first * second)),
    nearest: [...a.nearest, ...b.nearest],
  };
}

/** @throws InvalidSelection (no-such-label) for anything but a finite number. */
export function numberOf(label: unknown, name: string): number {
  if (typeof label === "number" && Number.isFinite(label)) return label;
  throw notALabel(name, label, "its labels are numbers");
}

/** Divides the values of all coordinates into those of each part. */
export function splitValues(parts: readonly GridPart[], values: readonly number[]): number[][] {
  const ends = parts.map((_, i) => countNames(parts.slice(0, i + 1)));
  return parts.map(({ names }, i) => values.slice(ends[i]! - names.length, ends[i]!));
}

const countNames = (parts: readonly GridPart[]): number =>
  parts.reduce((sum, { names }) => sum + names.length, 0);
