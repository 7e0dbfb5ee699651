/** Cells with two coordinates each: curvilinear grids, unstructured grids, HEALPix, reduced Gaussian grids. */

import type { Coordinates } from "../../conventions/sel/coordinates.js";
import { noSuchLabel, notALabel } from "../../conventions/sel/labels.js";
import { unsupported } from "../../util/errors.js";
import type { Found, GridPart, Matching } from "./grid-part.js";
import { distanceOf, PointIndex } from "./point-index.js";

/** Slack of bilinear weights, for places on the border of two quadrilaterals. */
const slack = 1e-9;

export class ScatteredCells implements GridPart {
  readonly names: readonly string[];
  #index: PointIndex | undefined;

  /** @param shape lengths of the axes, one or two; cells are counted in C order. */
  constructor(
    private readonly x: Coordinates,
    private readonly y: Coordinates,
    readonly axes: readonly number[],
    readonly shape: readonly number[],
    readonly areDegrees: boolean,
  ) {
    this.names = [x.name, y.name];
  }

  get count(): number {
    return this.x.length;
  }

  at(cell: number): readonly [number, number] {
    return [this.x.at(cell), this.y.at(cell)];
  }

  valueOf(label: unknown, name: string): number {
    if (typeof label === "number" && Number.isFinite(label)) return label;
    throw notALabel(name, label, "its labels are numbers");
  }

  find([x, y]: readonly [number, number], { isLinear, tolerance }: Matching): Found | undefined {
    if (isLinear && this.axes.length === 1)
      throw unsupported(
        `"${this.names.join('" and "')}" form no grid to interpolate in; pass interpolation: "nearest"`,
      );
    const { point, distance } = this.#points.nearest(x, y);
    if (point < 0) return undefined;
    const limit = tolerance ?? this.#sizeOf(point);
    if (distance > limit) return undefined;
    return (isLinear && this.#bilinear(point, x, y)) || { cells: [point], weights: [1] };
  }

  outside(values: readonly number[], tolerance: number | undefined): Error {
    const [x, y] = values as readonly [number, number];
    const { point, distance } = this.#points.nearest(x, y);
    const limit = tolerance === undefined ? "the size of the cell" : `the tolerance of ${tolerance}`;
    const where =
      point < 0 ? "no cell has coordinates" : `the nearest cell is at ${this.at(point).join(", ")}`;
    const why = `; ${where}, ${distance} away, farther than ${limit}`;
    return noSuchLabel(this.names.join('", "'), values.join(", "), why);
  }

  cellsBetween([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): number {
    const { point } = this.#points.nearest(x1, y1);
    return point < 0 ? 1 : distanceOf(this.areDegrees, x1, y1, x2, y2) / this.#sizeOf(point);
  }

  get #points(): PointIndex {
    const points = { count: this.count, x: (i: number) => this.x.at(i), y: (i: number) => this.y.at(i) };
    this.#index ??= new PointIndex(points, this.areDegrees);
    return this.#index;
  }

  /** Returns the distance of a cell from its nearest neighbour. */
  #sizeOf(cell: number): number {
    return this.#points.nearest(...this.at(cell), 0).distance;
  }

  /** Returns weights of the corners of a quadrilateral beside a cell that contains the place. */
  #bilinear(cell: number, x: number, y: number): Found | undefined {
    const [rows, columns] = this.shape as readonly [number, number];
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
  #onPlane(cell: number, x: number, y: number): readonly [number, number] {
    const [east, north] = this.at(cell);
    if (!this.areDegrees) return [east - x, north - y];
    const radians = Math.PI / 180;
    const [turn, from, to] = [(east - x) * radians, y * radians, north * radians];
    if (distanceOf(true, x, y, east, north) > 60) return [Number.NaN, Number.NaN]; // not beside the place
    return [
      Math.cos(to) * Math.sin(turn),
      Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(turn),
    ];
  }
}

/** Returns the weights of four corners at the origin; undefined if it lies outside. Newton's method. */
function inverseBilinear(corners: readonly (readonly [number, number])[]): number[] | undefined {
  const [a, b, c, d] = corners as [Corner, Corner, Corner, Corner];
  let [u, v] = [0.5, 0.5];
  for (let step = 0; step < 20; step++) {
    const point = [0, 1].map(
      (i) => a[i]! + (b[i]! - a[i]!) * u + (c[i]! - a[i]! + (a[i]! - b[i]! - c[i]! + d[i]!) * u) * v,
    );
    const alongU = [0, 1].map((i) => b[i]! - a[i]! + (a[i]! - b[i]! - c[i]! + d[i]!) * v);
    const alongV = [0, 1].map((i) => c[i]! - a[i]! + (a[i]! - b[i]! - c[i]! + d[i]!) * u);
    const area = alongU[0]! * alongV[1]! - alongU[1]! * alongV[0]!;
    u -= (point[0]! * alongV[1]! - point[1]! * alongV[0]!) / area;
    v -= (point[1]! * alongU[0]! - point[0]! * alongU[1]!) / area;
  }
  if (!(u >= -slack && u <= 1 + slack && v >= -slack && v <= 1 + slack)) return undefined; // or NaN
  [u, v] = [Math.min(Math.max(u, 0), 1), Math.min(Math.max(v, 0), 1)];
  return [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v];
}

type Corner = readonly [number, number];
