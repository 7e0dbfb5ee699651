/** Cells along two axes, whose x and y are functions of the coordinates of places: projected and turned grids. */

import { apply, inverse } from "../../conventions/geo/axes.js";
import type { AffineTransform, Georeference } from "../../conventions/geo/types.js";
import { invalidArgument } from "../../util/errors.js";
import { type Found, type GridPart, numberOf, product } from "./grid-part.js";
import type { PlaceAxis } from "./place-axis.js";

/** [longitude, latitude] or [x, y]. */
export type Point = readonly [number, number];

/** Converts points, like a converter of proj4: `proj4(from, to)`. */
export interface PointConverter {
  forward(point: [number, number]): readonly number[];
  inverse(point: [number, number]): readonly number[];
}

/** proj4 itself, or a converter from degrees to the coordinates of the array. */
export type Projection =
  | ((from: string, to: string | { readonly [name: string]: unknown }) => PointConverter)
  | PointConverter;

export class ConvertedCells implements GridPart {
  readonly axes: readonly number[];
  readonly longitude: number;

  constructor(
    readonly names: readonly [string, string],
    readonly x: PlaceAxis,
    readonly y: PlaceAxis,
    private readonly converter: PointConverter,
  ) {
    this.axes = [y.axis, x.axis];
    this.longitude = /^lon/i.test(names[0]) ? 0 : -1;
  }

  valueOf(label: unknown, name: string): number {
    return numberOf(label, name);
  }

  find(values: readonly number[], isLinear: boolean): Found {
    const [x, y] = this.convert(values);
    const found = product(this.y.find([y], isLinear), this.x.find([x], isLinear));
    const [row, column] = found.nearest as Point;
    return { ...found, nearest: this.converter.inverse([column, row]) };
  }

  cellsBetween(from: readonly number[], to: readonly number[]): number {
    const [[x1, y1], [x2, y2]] = [this.convert(from), this.convert(to)];
    return Math.max(this.x.cellsBetween([x1], [x2]), this.y.cellsBetween([y1], [y2]));
  }

  /** Returns the x and y of a place. @throws InvalidArgument. */
  convert([a, b]: readonly number[]): Point {
    const [x, y] = this.converter.forward([a!, b!]) as Point;
    if (Number.isFinite(x) && Number.isFinite(y)) return [x, y];
    throw invalidArgument(`[${a}, ${b}] cannot be converted to the coordinates of the array`);
  }
}

/**
 * Returns the conversion of places to x and y, or to columns and rows of a transformation.
 * @throws InvalidArgument for invalid projections, and for proj4 if the array names no reference system.
 */
export function converterOf(
  projection: Projection | undefined,
  { crs }: Georeference,
  transform: AffineTransform | undefined,
): PointConverter {
  const system = crs?.wkt ?? crs?.projjson ?? crs?.code;
  if (typeof projection === "function" && system === undefined)
    throw invalidArgument(
      "the array names no reference system; pass a converter such as proj4(from, to) as projection",
    );
  const given = typeof projection === "function" ? projection("EPSG:4326", system!) : projection;
  if (given && typeof given.forward !== "function")
    throw invalidArgument("projection must be proj4 or an object with the functions forward and inverse");
  if (!transform) return given!;
  const back = inverse(transform);
  return {
    forward: (point) => apply(back, (given ? given.forward(point) : point) as Point),
    inverse: (point) => {
      const [x, y] = apply(transform, point);
      return given ? given.inverse([x, y]) : [x, y];
    },
  };
}
