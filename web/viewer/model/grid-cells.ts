/** The cells of a grid on the sphere: which cell contains a position, whatever the map projection. */
import type { AxisPlaces } from "./axis-places.js";
import type { Rectangle } from "./camera.js";
import type { MapBounds } from "./map-projections.js";
import { longestGap } from "./mesh.js";
import type { ElementPosition, Projection } from "./projection.js";

/**
 * Cells have numbers: row · `columns` + column of the plane's elements. Grids with one axis of cells have one row.
 */
export interface GridCells {
  readonly rows: number;
  readonly columns: number;
  /** Side of a typical cell in degrees of arc. */
  readonly step: number;
  /** Bounds of all cells in degrees; `east` may exceed 180. */
  readonly bounds: MapBounds;
  /**
   * Writes the cells that contain positions to `cells`, beginning at `from`; −1 for none, and for NaN. Longitudes may
   * have any number of turns.
   */
  find(longitudes: Float64Array, latitudes: Float64Array, cells: Int32Array, from: number): void;
  /** The corners of a cell in order as [longitude, latitude, …]; undefined if unknown. */
  outline(cell: number): ArrayLike<number> | undefined;
  /**
   * The elements to read for a view, as rectangles that may be larger than needed.
   * @param samples cells at points of the view
   */
  parts(samples: Samples): readonly Rectangle[];
}

/** The place in a plane of a position in elements, by the bounds of its cell or of the nearest one. */
export function placeInCell(
  plane: Pick<Projection, "boundsOf">,
  { rows, columns }: Pick<GridCells, "rows" | "columns">,
  { row, column }: ElementPosition,
): ElementPosition {
  const top = Math.min(Math.max(Math.floor(row), 0), rows - 1);
  const left = Math.min(Math.max(Math.floor(column), 0), columns - 1);
  const cell = plane.boundsOf({ top, left, bottom: top + 1, right: left + 1 });
  return {
    row: cell.top + (row - top) * (cell.bottom - cell.top),
    column: cell.left + (column - left) * (cell.right - cell.left),
  };
}

/** Cells at evenly spaced points of a view, row by row. */
export interface Samples {
  readonly cells: Int32Array;
  readonly width: number;
  /** The poles in view. */
  readonly isNorthIn: boolean;
  readonly isSouthIn: boolean;
}

/** The smallest rectangle that holds samples, and the elements between two of them. */
export function sampledRectangle(
  { cells, width }: Pick<Samples, "cells" | "width">,
  rows: number,
  columns: number,
): Rectangle[] {
  let [top, bottom, left, right] = [rows, 0, columns, 0];
  let [down, across] = [1, 1];
  for (const [i, cell] of cells.entries()) {
    if (cell < 0) continue;
    const row = Math.floor(cell / columns);
    const column = cell - row * columns;
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row + 1)];
    [left, right] = [Math.min(left, column), Math.max(right, column + 1)];
    for (const near of [i % width === 0 ? -1 : cells[i - 1]!, cells[i - width] ?? -1]) {
      if (near < 0) continue;
      const other = Math.floor(near / columns);
      down = Math.max(down, Math.abs(row - other));
      across = Math.max(across, Math.abs(column - near + other * columns));
    }
  }
  if (bottom <= top) return [];
  return [
    {
      top: Math.max(0, top - down),
      left: Math.max(0, left - across),
      bottom: Math.min(rows, bottom + down),
      right: Math.min(columns, right + across),
    },
  ];
}

/** Coordinates along an axis of numbers. */
export class AxisDegrees {
  readonly length: number;
  readonly step: number;
  readonly #scale: number;
  readonly #first: number;

  constructor(private readonly places: AxisPlaces) {
    const { axis } = places;
    this.length = axis.length;
    this.#scale = axis.scale ?? 1;
    this.#first = axis.translation ?? 0;
    this.step = Math.abs(this.#scale);
  }

  /** The coordinate at a position in elements. */
  at(element: number): number {
    return this.#first + this.#scale * (this.places.toWorld(element) - 0.5);
  }

  elementAt(coordinate: number): number {
    return this.places.toElement((coordinate - this.#first) / this.#scale + 0.5);
  }

  /** Coordinates of the outer edges. */
  get ends(): [least: number, most: number] {
    const [a, b] = [this.at(0), this.at(this.length)];
    return [Math.min(a, b), Math.max(a, b)];
  }
}

/** Rows and columns of constant latitude and longitude. */
export class RegularCells implements GridCells {
  readonly rows: number;
  readonly columns: number;
  readonly step: number;
  readonly bounds: MapBounds;

  /**
   * @param isTurned whether rows are longitudes, and columns latitudes
   * @param isPeriodic whether the grid goes around the globe
   */
  constructor(
    private readonly latitudes: AxisDegrees,
    private readonly longitudes: AxisDegrees,
    private readonly isTurned: boolean,
    private readonly isPeriodic: boolean,
  ) {
    const { length } = longitudes;
    [this.rows, this.columns] = isTurned ? [length, latitudes.length] : [latitudes.length, length];
    const [[west, east], [south, north]] = [longitudes.ends, latitudes.ends];
    this.bounds = { west, east, south: Math.max(-90, south), north: Math.min(90, north) };
    this.step = latitudes.step;
  }

  find(longitudes: Float64Array, latitudes: Float64Array, cells: Int32Array, from: number): void {
    const [{ length: wide }, { length: high }] = [this.longitudes, this.latitudes];
    const { west } = this.bounds;
    const [perLatitude, perLongitude] = this.isTurned ? [1, this.columns] : [this.columns, 1];
    for (let i = 0; i < longitudes.length; i++) {
      const longitude = longitudes[i]!;
      const latitude = latitudes[i]!;
      const turned = longitude - 360 * Math.floor((longitude - west) / 360);
      const down = inside(this.latitudes.elementAt(latitude), high, 0);
      const across = inside(this.longitudes.elementAt(turned), wide, this.isPeriodic ? 1 : 0);
      cells[from + i] = down < 0 || across < 0 ? -1 : down * perLatitude + across * perLongitude;
    }
  }

  outline(cell: number): number[] {
    const [first, second] = [Math.floor(cell / this.columns), cell % this.columns];
    const [row, column] = this.isTurned ? [second, first] : [first, second];
    const [west, east] = [this.longitudes.at(column), this.longitudes.at(column + 1)];
    const limited = (at: number) => Math.min(90, Math.max(-90, this.latitudes.at(at)));
    const [a, b] = [limited(row), limited(row + 1)];
    return [west, a, east, a, east, b, west, b];
  }

  parts(samples: Samples): readonly Rectangle[] {
    const { rows, columns, isTurned, isPeriodic } = this;
    // Numbers along parallels, whatever the stored order.
    const [high, wide] = [this.latitudes.length, this.longitudes.length];
    const cells = isTurned ? samples.cells.map((cell) => turnedCell(cell, columns, wide)) : samples.cells;
    if (!isPeriodic && !samples.isNorthIn && !samples.isSouthIn)
      return sampledRectangle(samples, rows, columns);
    return seenTurns({ ...samples, cells }, this.latitudes, high, wide).map((part) =>
      isTurned ? { top: part.left, bottom: part.right, left: part.top, right: part.bottom } : part,
    );
  }
}

const turnedCell = (cell: number, columns: number, wide: number): number =>
  cell < 0 ? -1 : (cell % columns) * wide + Math.floor(cell / columns);

/** The whole element of a position, also up to a distance outside. @returns −1 outside */
function inside(at: number, length: number, tolerance: number): number {
  if (at >= 0 && at < length) return Math.floor(at);
  return at >= -tolerance && at <= length + tolerance ? (at < 0 ? 0 : length - 1) : -1;
}

/** The rectangles of a grid around the globe that hold samples: up to two, beside the widest unseen run of columns. */
function seenTurns(samples: Samples, latitudes: AxisDegrees, rows: number, columns: number): Rectangle[] {
  const [whole] = sampledRectangle(samples, rows, columns);
  const { cells, width, isNorthIn, isSouthIn } = samples;
  const isUp = latitudes.at(0) < latitudes.at(rows);
  const top = isNorthIn && !isUp ? 0 : isSouthIn && isUp ? 0 : (whole?.top ?? rows);
  const bottom = isNorthIn && isUp ? rows : isSouthIn && !isUp ? rows : (whole?.bottom ?? 0);
  if (bottom <= top) return [];
  if (isNorthIn || isSouthIn) return [{ top, bottom, left: 0, right: columns }];
  const gap = widestGap(cells, width, columns);
  const runs = gap.length < 2 ? [[0, columns]] : seenRuns(gap, columns);
  return runs.map(([left, right]) => ({ top, bottom, left: left!, right: right! }));
}

/** The columns beside a gap, as up to two runs. */
function seenRuns({ start, length }: { start: number; length: number }, columns: number): number[][] {
  const [left, right] = [(start + length - 1) % columns, start + 1];
  return left < right
    ? [[left, Math.min(columns, right)]]
    : [
        [left, columns],
        [0, right],
      ];
}

/** The widest run of columns between which no two neighbouring samples lie. */
function widestGap(cells: Int32Array, width: number, columns: number): { start: number; length: number } {
  const used = new Uint8Array(columns);
  for (let i = 0; i < cells.length; i++) {
    if (cells[i]! < 0) continue;
    const at = cells[i]! % columns;
    used[at] = 1;
    for (const near of [i % width === 0 ? -1 : cells[i - 1]!, cells[i - width] ?? -1]) {
      if (near < 0) continue;
      // The shorter way from one sample to the other.
      const way = (((at - near) % columns) + columns) % columns;
      const [from, steps] = 2 * way < columns ? [near % columns, way] : [at, columns - way];
      for (let step = 0; step < steps; step++) used[(from + step) % columns] = 1;
    }
  }
  return longestGap(used);
}
