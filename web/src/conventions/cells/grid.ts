/** Cells on the globe that share one dimension of an array. */

/** Longitudes and latitudes in degrees. */
export interface CellGrid {
  readonly kind: "healpix" | "reduced-gaussian" | "mesh";
  /** Number of cells. */
  readonly count: number;
  /** South, west, north and east of all cells, in degrees. `east` may exceed 180. */
  readonly bounds: readonly [west: number, south: number, east: number, north: number];
  /** Side of a mean cell in degrees. */
  readonly spacing: number;
  /** Returns the index of the cell that contains a point; −1 if none does. */
  cellAt(longitude: number, latitude: number): number;
  /** Returns the longitude and latitude of a cell's centre. */
  centre(cell: number): readonly [longitude: number, latitude: number];
  /** Returns the corners of a cell in order, as pairs of longitude and latitude. */
  outline(cell: number): readonly (readonly [longitude: number, latitude: number])[];
  /**
   * Identifier of a cell in its indexing scheme; by default its index.
   */
  id?(cell: number): number;
}

export const radians = Math.PI / 180;

/** A longitude from `from` to `from` + 360. */
export function turned(longitude: number, from: number): number {
  const offset = (longitude - from) % 360;
  return from + (offset < 0 ? offset + 360 : offset);
}
