/** Cells on the globe that share one dimension of an array. */

/** Where cells lie: points in degrees to indices along the dimension, and back. */
export interface CellGrid {
  readonly kind: "healpix" | "reduced-gaussian" | "mesh";
  /** Number of cells. */
  readonly count: number;
  /** Bounds of all cells in degrees. `east` may exceed 180. */
  readonly bounds: readonly [west: number, south: number, east: number, north: number];
  /** Side of a mean cell in degrees. */
  readonly spacing: number;
  /** Returns the index of the cell that contains a point; −1 if none does. */
  cellAt(longitude: number, latitude: number): number;
  /** Returns the longitude and latitude of a cell's centre. */
  centre(cell: number): readonly [longitude: number, latitude: number];
  /** Returns the corners of a cell in order, as pairs of longitude and latitude. */
  outline(cell: number): readonly (readonly [longitude: number, latitude: number])[];
  /** Returns the number of a cell in its indexing scheme, if there is one. */
  id?(cell: number): number;
}

/** The cells of an array. */
export interface Cells {
  /** Name of their dimension, and its number among those of the array. */
  readonly dimension: string;
  readonly axis: number;
  readonly grid: CellGrid;
}

export const radians = Math.PI / 180;

/** A longitude from `from` to `from` + 360. */
export function turned(longitude: number, from: number): number {
  const offset = (longitude - from) % 360;
  return from + (offset < 0 ? offset + 360 : offset);
}
