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

/** The index in the stored array of an element of a dataset. */
export function storedIndex({ array }: Pick<Dataset, "array">, index: readonly number[]): readonly number[] {
  const fold = folds.get(array);
  if (!fold) return index;
  const { axis, columns } = fold;
  return [...index.slice(0, axis), index[axis]! * columns + index[axis + 1]!, ...index.slice(axis + 2)];
}
