/** Cells on the globe that share one dimension of an array. */
import { radians } from "../shared/degrees.js";

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

/** Half the range of longitudes of a circle on the sphere, in degrees. */
export function halfWidth(latitude: number, radius: number): number {
  if (Math.abs(latitude) + radius >= 90) return 180;
  return Math.asin(Math.min(1, Math.sin(radius * radians) / Math.cos(latitude * radians))) / radians;
}

/** Bounds of circles on the sphere, to half a degree of longitude. */
export class Span {
  readonly #used = new Uint8Array(720);
  #south = 90;
  #north = -90;

  add(longitude: number, latitude: number, radius: number): void {
    const half = halfWidth(latitude, radius);
    const [from, to] = [Math.floor(2 * (longitude - half)), 2 * (longitude + half)];
    for (let at = from; at < to; at++) this.#used[((at % 720) + 720) % 720] = 1;
    this.#south = Math.min(this.#south, latitude - radius);
    this.#north = Math.max(this.#north, latitude + radius);
  }

  /** They go around the globe unless there is a gap of 20 degrees. */
  get bounds(): CellGrid["bounds"] {
    const { start, length } = longestGap(this.#used);
    const [west, east] = length < 40 ? [-180, 180] : [(start + length) / 2, start / 2 + 360];
    const by = west >= 180 ? 360 : 0;
    return [west - by, Math.max(-90, this.#south), east - by, Math.min(90, this.#north)];
  }
}

/** The longest run of zeros in a ring. */
function longestGap(ring: Uint8Array): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let run = 0;
  for (let i = 0; i < 2 * ring.length; i++) {
    run = ring[i % ring.length] === 0 ? run + 1 : 0;
    if (run > best.length && run <= ring.length) best = { start: i - run + 1, length: run };
  }
  return best;
}
