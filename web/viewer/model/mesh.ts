/**
 * Cells of a curvilinear grid: quadrilaterals of longitude and latitude around given centres, and the search
 * for the cell at a position.
 */

import { type MapBounds, turned } from "./map-projections.js";

/** Longitudes and latitudes of the centres of a plane's elements, row by row; NaN where unknown. */
export interface Centres {
  readonly rows: number;
  readonly columns: number;
  readonly longitudes: Float64Array;
  readonly latitudes: Float64Array;
}

/** Widest cell in degrees: wider ones contain a pole, or connect parts that are not neighbours. */
const widestCell = 90;

export class Mesh {
  readonly rows: number;
  readonly columns: number;
  readonly #centres: Centres;
  /** Corners of the cells, one more per row and column: longitudes and latitudes. */
  readonly #cornerLongitudes: Float64Array;
  readonly #cornerLatitudes: Float64Array;
  /** The cell of the last test: neighbouring pixels share it. */
  #tested: { readonly cell: number; readonly quad: Float64Array | undefined } = { cell: -1, quad: undefined };

  constructor(centres: Centres) {
    const { longitudes } = centres;
    // The distances of very large numbers are not exact.
    const isAngle = (longitude: number) => Math.abs(longitude) <= 720;
    this.#centres = longitudes.every(isAngle)
      ? centres
      : { ...centres, longitudes: longitudes.map((at) => (isAngle(at) ? at : Number.NaN)) };
    this.rows = centres.rows;
    this.columns = centres.columns;
    const count = (this.rows + 1) * (this.columns + 1);
    this.#cornerLongitudes = new Float64Array(count);
    this.#cornerLatitudes = new Float64Array(count);
    for (let row = 0; row <= this.rows; row++)
      for (let column = 0; column <= this.columns; column++) this.#setCorner(row, column);
  }

  /** A corner is the mean of the four centres around it; centres beyond the edge are extrapolated. */
  #setCorner(row: number, column: number): void {
    let [longitude, latitude, count, meridian] = [0, 0, 0, Number.NaN];
    for (const [down, across] of [
      [row - 1, column - 1],
      [row - 1, column],
      [row, column - 1],
      [row, column],
    ] as const) {
      const [lon, lat] = this.#extended(down, across);
      if (!Number.isFinite(lon) || !Number.isFinite(lat)) continue;
      if (count === 0) meridian = lon;
      longitude += turned(lon - meridian);
      latitude += lat;
      count++;
    }
    const at = row * (this.columns + 1) + column;
    this.#cornerLongitudes[at] = meridian + longitude / count;
    this.#cornerLatitudes[at] = Math.min(Math.max(latitude / count, -90), 90);
  }

  /** A centre, or beyond the edge one as far from the outermost as that from the next. */
  #extended(row: number, column: number): readonly [longitude: number, latitude: number] {
    const inside = (at: number, length: number) => Math.min(Math.max(at, 0), length - 1);
    const [down, across] = [inside(row, this.rows), inside(column, this.columns)];
    const [lon, lat] = this.centre(down, across);
    if (down === row && across === column) return [lon, lat];
    const [nextLon, nextLat] = this.centre(
      inside(2 * down - row, this.rows),
      inside(2 * across - column, this.columns),
    );
    return [lon - turned(nextLon - lon), 2 * lat - nextLat];
  }

  /** Longitude and latitude of the centre of a cell. */
  centre(row: number, column: number): readonly [longitude: number, latitude: number] {
    const at = row * this.columns + column;
    return [this.#centres.longitudes[at]!, this.#centres.latitudes[at]!];
  }

  /**
   * The corners of a cell in order, as longitudes around its own and latitudes; undefined if they are unknown or
   * enclose a pole.
   */
  quad(cell: number): Float64Array | undefined {
    const row = Math.floor(cell / this.columns);
    const column = cell - row * this.columns;
    const [meridian, latitude] = this.centre(row, column);
    if (!Number.isFinite(meridian) || !Number.isFinite(latitude)) return undefined;
    const corner = row * (this.columns + 1) + column;
    const below = corner + this.columns + 1;
    const quad = new Float64Array(8);
    let [least, most] = [0, 0];
    for (let i = 0; i < 4; i++) {
      const at = (i < 2 ? corner : below) + (i === 1 || i === 2 ? 1 : 0);
      const east = turned(this.#cornerLongitudes[at]! - meridian);
      least = Math.min(least, east);
      most = Math.max(most, east);
      quad[2 * i] = meridian + east;
      quad[2 * i + 1] = this.#cornerLatitudes[at]!;
    }
    // Not of unknown corners, which are NaN.
    return most - least <= widestCell ? quad : undefined;
  }

  /** Whether a cell contains a position. */
  contains(cell: number, longitude: number, latitude: number): boolean {
    if (cell !== this.#tested.cell) this.#tested = { cell, quad: this.quad(cell) };
    const { quad } = this.#tested;
    return quad !== undefined && isInside(quad, quad[0]! + turned(longitude - quad[0]!), latitude);
  }
}

/** Whether a polygon of four corners contains a point, by the parity of crossed edges. */
export function isInside(quad: Float64Array, x: number, y: number): boolean {
  let isIn = false;
  for (let i = 0, j = 6; i < 8; j = i, i += 2) {
    const [ax, ay, bx, by] = [quad[i]!, quad[i + 1]!, quad[j]!, quad[j + 1]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isIn = !isIn;
  }
  return isIn;
}

/** Minimum width in degrees of a gap between longitudes: around the globe, smaller ones are between cells. */
const leastGap = 20;

/** The smallest rectangle of longitudes and latitudes that holds all cells; the whole globe if they go around. */
export function meshBounds(mesh: Mesh): MapBounds | undefined {
  const used = new Uint8Array(720);
  let [south, north] = [90, -90];
  for (let cell = 0; cell < mesh.rows * mesh.columns; cell++) {
    const quad = mesh.quad(cell);
    if (!quad) continue;
    const [west, east] = extentOf(quad, 0);
    for (let at = Math.floor(2 * west); at < 2 * east; at++) used[((at % 720) + 720) % 720] = 1;
    const [low, high] = extentOf(quad, 1);
    [south, north] = [Math.min(south, low), Math.max(north, high)];
  }
  if (north < south) return undefined;
  const { start, length } = longestGap(used);
  if (length < 2 * leastGap) return { west: -180, east: 180, south, north };
  return { ...exactLongitudes(mesh, (start + length) / 2), south, north };
}

/** Minimum and maximum of every second number. */
export function extentOf(quad: Float64Array, from: 0 | 1): [least: number, most: number] {
  const values = [quad[from]!, quad[from + 2]!, quad[from + 4]!, quad[from + 6]!] as const;
  return [Math.min(...values), Math.max(...values)];
}

/** The longest run of zeros in a ring. */
export function longestGap(ring: Uint8Array): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let run = 0;
  for (let i = 0; i < 2 * ring.length; i++) {
    run = ring[i % ring.length] === 0 ? run + 1 : 0;
    if (run > best.length && run <= ring.length) best = { start: i - run + 1, length: run };
  }
  return best;
}

/** Westernmost and easternmost corner, east of a meridian near the western edge. */
function exactLongitudes(mesh: Mesh, near: number): { west: number; east: number } {
  const meridian = turned(near);
  let [west, east] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let cell = 0; cell < mesh.rows * mesh.columns; cell++) {
    const quad = mesh.quad(cell);
    if (!quad) continue;
    const [from, to] = extentOf(quad, 0);
    // Half a bin of tolerance: the gap was found in bins of half a degree.
    const turned = ((((from - meridian + 1) % 360) + 360) % 360) + meridian - 1;
    west = Math.min(west, turned);
    east = Math.max(east, turned + to - from);
  }
  return { west, east };
}
