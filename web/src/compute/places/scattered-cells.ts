/** Cells with two coordinates each: curvilinear grids, unstructured grids, HEALPix, reduced Gaussian grids. */

import type { Coordinates } from "../../conventions/sel/coordinates.js";
import { noSuchLabel } from "../../conventions/sel/labels.js";
import { radians } from "../../conventions/shared/degrees.js";
import { unsupported } from "../../util/errors.js";
import { type Found, type GridPart, numberOf } from "./grid-part.js";
import { distanceOf, Points } from "./points.js";

/** Slack of bilinear weights, for places on the border of two quadrilaterals. */
const slack = 1e-9;

type Point = readonly [number, number];

export class ScatteredCells implements GridPart {
  readonly names: readonly string[];
  readonly longitude: number;
  readonly areDegrees: boolean;
  #points: Points | undefined;

  /** @param shape lengths of the axes, one or two; cells are counted in C order. */
  constructor(
    private readonly x: Coordinates,
    private readonly y: Coordinates,
    readonly axes: readonly number[],
    readonly shape: readonly number[],
  ) {
    this.names = [x.name, y.name];
    this.areDegrees = x.isLongitude;
    this.longitude = x.isLongitude ? 0 : -1;
  }

  get count(): number {
    return this.x.length;
  }

  at(cell: number): Point {
    return [this.x.at(cell), this.y.at(cell)];
  }

  valueOf(label: unknown, name: string): number {
    return numberOf(label, name);
  }

  find([x, y]: Point, isLinear: boolean): Found {
    if (isLinear && this.axes.length === 1)
      throw unsupported(
        `"${this.names.join('" and "')}" form no grid to interpolate in; pass interpolation: "nearest"`,
      );
    const { point, distance } = this.points.nearest(x, y);
    if (!(distance <= this.#sizeOf(point))) {
      const where =
        point < 0 ? "no cell has coordinates" : `the nearest cell is at ${this.at(point).join(", ")}`;
      const why = `; ${where}, ${distance} away, farther than the size of the cell`;
      throw noSuchLabel(this.names.join('", "'), [x, y].join(", "), why);
    }
    const columns = this.shape[1];
    const indices = (cell: number) =>
      columns === undefined ? [cell] : [Math.floor(cell / columns), cell % columns];
    const { cells, weights } = (isLinear && this.#bilinear(point, x, y)) || { cells: [point], weights: [1] };
    return { cells: cells.map(indices), weights, nearest: this.at(point) };
  }

  cellsBetween([x1, y1]: Point, [x2, y2]: Point): number {
    const { point } = this.points.nearest(x1, y1);
    return point < 0 ? 1 : distanceOf(this.areDegrees, x1, y1, x2, y2) / this.#sizeOf(point);
  }

  /** Cells that have coordinates. */
  get points(): Points {
    this.#points ??= new Points(this.x, this.y);
    return this.#points;
  }

  /** Returns the distance of a cell from its nearest neighbour. */
  #sizeOf(cell: number): number {
    if (cell < 0) return 0;
    return this.points.nearest(...this.at(cell), 0).distance;
  }

  /** Returns weights of the corners of a quadrilateral beside a cell that contains the place. */
  #bilinear(cell: number, x: number, y: number): { cells: number[]; weights: number[] } | undefined {
    const [rows, columns] = this.shape as Point;
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    for (const [down, right] of [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ] as const) {
      const [otherRow, otherColumn] = [row + down, column + right];
      if (otherRow < 0 || otherRow >= rows || otherColumn < 0 || otherColumn >= columns) continue;
      const below = otherRow * columns;
      const cells = [cell, row * columns + otherColumn, below + column, below + otherColumn];
      const weights = inverseBilinear(cells.map((corner) => this.#onPlane(corner, x, y)));
      if (weights) return { cells, weights };
    }
    return undefined;
  }

  /** Projects a cell to the plane that touches the sphere at a place. */
  #onPlane(cell: number, x: number, y: number): Point {
    const [east, north] = this.at(cell);
    if (!this.areDegrees) return [east - x, north - y];
    const [turn, from, to] = [(east - x) * radians, y * radians, north * radians];
    if (distanceOf(true, x, y, east, north) > 60) return [Number.NaN, Number.NaN]; // not beside the place
    return [
      Math.cos(to) * Math.sin(turn),
      Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(turn),
    ];
  }
}

/** Returns the weights of four corners at the origin; undefined if it lies outside. Newton's method. */
function inverseBilinear(corners: readonly Point[]): number[] | undefined {
  const [a, b, c, d] = corners as [Point, Point, Point, Point];
  const twist = ([0, 1] as const).map((i) => a[i] - b[i] - c[i] + d[i]) as unknown as Point;
  let [u, v] = [0.5, 0.5];
  for (let step = 0; step < 20; step++) {
    const along = (end: Point, other: number): Point => [
      end[0] - a[0] + twist[0] * other,
      end[1] - a[1] + twist[1] * other,
    ];
    const [byU, byV] = [along(b, v), along(c, u)];
    const x = a[0] + (b[0] - a[0]) * u + byV[0] * v;
    const y = a[1] + (b[1] - a[1]) * u + byV[1] * v;
    const area = byU[0] * byV[1] - byU[1] * byV[0];
    u -= (x * byV[1] - y * byV[0]) / area;
    v -= (y * byU[0] - x * byU[1]) / area;
  }
  if (!(u >= -slack && u <= 1 + slack && v >= -slack && v <= 1 + slack)) return undefined; // or NaN
  [u, v] = [Math.min(Math.max(u, 0), 1), Math.min(Math.max(v, 0), 1)];
  return [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v];
}
