/** Parts of grids: some axes of an array, with the coordinates of the cells along them. */

export interface Matching {
  /** Whether to interpolate, instead of taking the nearest cell. */
  readonly isLinear: boolean;
  /** Maximum distance. Default: to the edge of the outermost cells; of scattered cells, their size. */
  readonly tolerance: number | undefined;
}

/** Cells of a place, with weights whose sum is 1. */
export interface Found {
  readonly cells: readonly number[];
  readonly weights: readonly number[];
}

/** Axes of an array, and the coordinates of the cells along them. */
export interface GridPart {
  /** Names of the coordinates. */
  readonly names: readonly string[];
  /** Axes of the array; cells are counted along them in C order. */
  readonly axes: readonly number[];
  /** Converts the label of one of the coordinates. @throws InvalidSelection (no-such-label). */
  valueOf(label: unknown, name: string): number;
  /** Returns the cells for values of the coordinates; undefined outside. */
  find(values: readonly number[], matching: Matching): Found | undefined;
  /** Returns the error for values outside. */
  outside(values: readonly number[], tolerance: number | undefined): Error;
  /** Returns the coordinates of a cell. */
  at(cell: number): readonly number[];
  /** Returns about how many cells lie between two places. */
  cellsBetween(from: readonly number[], to: readonly number[]): number;
}
