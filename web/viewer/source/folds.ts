/** Arrays with one dimension that is shown as two axes. */
import type { get, ZarrArray } from "zarr-wasm";
import type { Dataset } from "./dataset.js";

/** A dimension whose elements are rows of a fixed number of columns: the axes `axis` and the next. */
export interface Fold {
  readonly axis: number;
  /** Number of elements. */
  readonly length: number;
  readonly columns: number;
  /** The array as stored. */
  readonly array: ZarrArray;
  /** Reads intervals of whole rows of the folded array. */
  readonly get: typeof get;
}

/** By folded arrays. */
export const folds = new WeakMap<ZarrArray, Fold>();

/** The array as stored. */
export const storedArray = (array: ZarrArray): ZarrArray => folds.get(array)?.array ?? array;

/** Entries of a selection, by the stored dimensions: rows are intervals of elements. */
export function storedParts<P>(
  array: ZarrArray,
  parts: readonly P[],
  interval: (from: number, to: number) => P,
): readonly P[] {
  const fold = folds.get(array);
  if (!fold) return parts;
  const { axis, columns, length } = fold;
  const rows = parts[axis] as
    | number
    | readonly [number, number]
    | { readonly start: number; readonly stop: number };
  const [first, end] =
    typeof rows === "number" ? [rows, rows + 1] : "start" in rows ? [rows.start, rows.stop] : rows;
  const part = interval(first * columns, Math.min(length, end * columns));
  return [...parts.slice(0, axis), part, ...parts.slice(axis + 2)];
}

/** The index in the stored array of an element of a dataset. */
export function storedIndex({ array }: Pick<Dataset, "array">, index: readonly number[]): readonly number[] {
  const fold = folds.get(array);
  if (!fold) return index;
  const { axis, columns } = fold;
  return [...index.slice(0, axis), index[axis]! * columns + index[axis + 1]!, ...index.slice(axis + 2)];
}
