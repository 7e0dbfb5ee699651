/** Finds the cells of an array at places, by its coordinates. */

import { apply, ifFound, inverse, likelyPairs } from "../conventions/geo/axes.js";
import { readGeoreference } from "../conventions/geo/read.js";
import type { AffineTransform, Georeference } from "../conventions/geo/types.js";
import { arrayCoordinates, linearCoordinates } from "../conventions/sel/coordinates.js";
import { noCoordinates } from "../conventions/sel/labels.js";
import { imageCoordinates, levelOfArray } from "../conventions/sel/select.js";
import {
  type Coordinate,
  coordinatesOf,
  dimensionsOf,
  measuresLongitude,
} from "../conventions/xarray/xarray.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { open } from "../hierarchy/open.js";
import { isSegment } from "../store/path.js";
import { ownProperty } from "../util/arguments.js";
import { describeValue, invalidArgument, isZarrError } from "../util/errors.js";
import type { Found, GridPart, Matching } from "./grid-part.js";
import { PlaceAxis } from "./place-axis.js";
import { ScatteredCells } from "./scattered-cells.js";

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

export interface GridOptions {
  readonly projection?: Projection | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Cells along two axes, whose x and y are functions of the coordinates of places. */
export class ConvertedCells implements GridPart {
  readonly axes: readonly number[];

  constructor(
    readonly names: readonly [string, string],
    readonly x: PlaceAxis,
    readonly y: PlaceAxis,
    readonly converter: PointConverter,
  ) {
    this.axes = [y.axis, x.axis];
  }

  valueOf(label: unknown, name: string): number {
    if (typeof label === "number" && Number.isFinite(label)) return label;
    throw invalidArgument(`"${name}" must be a number, got ${describeValue(label)}`);
  }

  find(values: readonly number[], matching: Matching): Found | undefined {
    const [x, y] = this.#forward(values);
    const [column, row] = [this.x.find([x], matching), this.y.find([y], matching)];
    return column && row && product(row, column, this.x.length);
  }

  outside(values: readonly number[], tolerance: number | undefined): Error {
    const [x, y] = this.#forward(values);
    const isOn = this.y.find([y], { isLinear: false, tolerance }) !== undefined;
    return isOn ? this.x.outside([x], tolerance) : this.y.outside([y], tolerance);
  }

  at(cell: number): readonly number[] {
    const [row, column] = [Math.floor(cell / this.x.length), cell % this.x.length];
    return this.converter.inverse([...this.x.at(column), ...this.y.at(row)]);
  }

  cellsBetween(from: readonly number[], to: readonly number[]): number {
    const [[x1, y1], [x2, y2]] = [this.#forward(from), this.#forward(to)];
    return Math.max(this.x.cellsBetween([x1], [x2]), this.y.cellsBetween([y1], [y2]));
  }

  #forward(values: readonly number[]): Point {
    const [x, y] = this.converter.forward(values as [number, number]) as Point;
    if (Number.isFinite(x) && Number.isFinite(y)) return [x, y];
    throw invalidArgument(`[${values.join(", ")}] cannot be converted to the coordinates of the array`);
  }
}

/** Combines the cells of two parts; those of the second one vary fastest. */
export function product(a: Found, b: Found, length: number): Found {
  const pairs = a.cells.flatMap((first, i) =>
    b.cells.map((second, j) => [first * length + second, a.weights[i]! * b.weights[j]!] as const),
  );
  return { cells: pairs.map(([cell]) => cell), weights: pairs.map(([, weight]) => weight) };
}

/**
 * Returns the parts of a grid whose coordinates have names.
 * @throws InvalidSelection (no-coordinates) naming what exists; the errors of `open`, `get` and `georeference`.
 */
export async function partsNamed(
  array: ZarrArray,
  names: readonly string[],
  options: GridOptions,
): Promise<readonly GridPart[]> {
  const { signal } = options;
  const image = await levelOfArray(array, { signal });
  if (image)
    return names.map((name) => {
      const { axis, coordinates } = imageCoordinates(image, name);
      return new PlaceAxis(coordinates(), axis);
    });
  const pair = options.projection && degreesIn(names);
  const opened = await Promise.all(
    names.map((name) => (pair?.includes(name) ? undefined : openBeside(array, name, signal))),
  );
  const found = names.flatMap((name, i) => (opened[i] ? [{ name, array: opened[i] }] : []));
  const rest = names.filter((_, i) => !opened[i]);
  const parts = await partsOf(array, found, signal);
  if (rest.length === 0) return parts;
  if (rest.length !== 2)
    throw noCoordinates(rest[0]!, `no array has this name; ${await known(array, signal)}`);
  return [...parts, ...(await georeferenced(array, inOrder(rest, []), options))];
}

/**
 * Returns the parts of a grid on a surface, the coordinates of longitudes (or x) and latitudes (or y).
 * @throws as {@link partsNamed}.
 */
export async function surfaceParts(array: ZarrArray, options: GridOptions): Promise<readonly GridPart[]> {
  const { signal, projection } = options;
  if (projection) return georeferenced(array, ["lon", "lat"], options);
  if (await levelOfArray(array, { signal })) return partsNamed(array, ["x", "y"], options);
  const group = await parentOf(array, signal);
  const coordinates = group ? await coordinatesOf(group, array, { signal }) : [];
  const ys = coordinates.filter((one) => isY(one.name, one.array));
  const pairs = coordinates
    .filter((one) => isX(one.name, one.array))
    .flatMap((x) => ys.filter((y) => areGrid(x, y)).map((y) => [x, y] as const))
    .sort(([a], [b]) => Number(measuresLongitude(b.array)) - Number(measuresLongitude(a.array)));
  const best = pairs[0];
  return best ? partsOf(array, best, signal) : georeferenced(array, ["x", "y"], options);
}

const areGrid = (x: Coordinate, y: Coordinate): boolean =>
  x.dimensions.join("\n") === y.dimensions.join("\n")
    ? x.dimensions.length <= 2
    : x.dimensions.length === 1 && y.dimensions.length === 1;

const parentOf = (array: ZarrArray, signal: AbortSignal | undefined) => {
  const { store, path, limits, zarrFormat: version } = array;
  const above = path.split("/").slice(0, -1).join("/");
  return path === ""
    ? undefined
    : ifFound(open(store, { path: above, kind: "group", version, limits, signal }));
};

async function openBeside(
  array: ZarrArray,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ZarrArray | undefined> {
  if (array.path === "" || !isSegment(name)) return undefined;
  const { store, limits, zarrFormat: version } = array;
  const path = [...array.path.split("/").slice(0, -1), name].join("/");
  return ifFound(open(store, { path, kind: "array", version, limits, signal }));
}

const known = async (array: ZarrArray, signal: AbortSignal | undefined): Promise<string> => {
  const group = await parentOf(array, signal);
  const names = group
    ? (await coordinatesOf(group, array, { signal })).map(({ name }) => JSON.stringify(name))
    : [];
  return `coordinates are ${names.join(", ") || "none"}`;
};

const nameTest = (which: 0 | 1, more: readonly string[]) => {
  const names: readonly string[] = [...likelyPairs.map((pair) => pair[which]), ...more];
  const axis = which === 0 ? "Y" : "X";
  const standard =
    which === 0
      ? /^(latitude|grid_latitude|projection_y_coordinate)$/
      : /^(longitude|grid_longitude|projection_x_coordinate)$/;
  const units = which === 0 ? /^degrees?_?(n|north)$/i : /^degrees?_?(e|east)$/i;
  return (name: string, array?: ZarrArray) =>
    standard.test(String(ownProperty(array?.attributes, "standard_name"))) ||
    units.test(String(ownProperty(array?.attributes, "units"))) ||
    ownProperty(array?.attributes, "axis") === axis ||
    names.includes(name);
};
const isY = nameTest(0, ["nav_lat", "XLAT"]);
const isX = nameTest(1, ["nav_lon", "XLONG"]);

/** Returns the longitude and the latitude among names of coordinates. */
function degreesIn(names: readonly string[]): readonly string[] | undefined {
  const [x, y] = [names.find((name) => /^lon/i.test(name)), names.find((name) => /^lat/i.test(name))];
  return x && y ? [x, y] : undefined;
}

/** Returns two names, that of x first. */
function inOrder(
  names: readonly string[],
  arrays: readonly (ZarrArray | undefined)[],
): readonly [string, string] {
  const [a, b] = names as readonly [string, string];
  return isY(a, arrays[0]) || isX(b, arrays[1]) ? [b, a] : [a, b];
}

/** Returns the parts of arrays of coordinates. */
async function partsOf(
  array: ZarrArray,
  found: readonly { readonly name: string; readonly array: ZarrArray }[],
  signal: AbortSignal | undefined,
): Promise<GridPart[]> {
  const dimensions = dimensionsOf(array) ?? array.dimensionNames ?? [];
  const groups = new Map<string, { name: string; array: ZarrArray }[]>();
  for (const one of found) {
    const names = dimensionsOf(one.array) ?? [one.name];
    const axes = names.map((name) => dimensions.indexOf(name));
    const fits = axes.every((axis, i) => axis >= 0 && array.shape[axis] === one.array.shape[i]);
    if (!fits || axes.length !== one.array.shape.length || axes.length === 0 || axes.length > 2)
      throw noCoordinates(one.name, `its dimensions [${names.join(", ")}] are not one or two of the array`);
    const key = axes.join();
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return Promise.all(
    Array.from(groups, async ([key, members]) => {
      const axes = key.split(",").map(Number);
      const read = await Promise.all(members.map((one) => arrayCoordinates(one.name, one.array, { signal })));
      if (read.length === 1 && axes.length === 1) return new PlaceAxis(read[0]!, axes[0]!);
      if (read.length !== 2)
        throw noCoordinates(read[0]!.name, "its cells need a second coordinate, and one only");
      const [x] = inOrder(
        members.map(({ name }) => name),
        members.map((one) => one.array),
      );
      const [first, second] = read[0]!.name === x ? read : read.reverse();
      return new ScatteredCells(
        first!,
        second!,
        axes,
        axes.map((axis) => array.shape[axis]!),
        first!.isLongitude,
      );
    }),
  );
}

/** Returns the parts of an array located by a transformation, or by evenly spaced coordinates. */
async function georeferenced(
  array: ZarrArray,
  names: readonly [string, string],
  { projection, signal }: GridOptions,
): Promise<readonly GridPart[]> {
  let reference: Georeference;
  try {
    reference = await readGeoreference(array, { signal });
  } catch (error) {
    if (!isZarrError(error, "NotFound")) throw error;
    throw noCoordinates(names.join('", "'), `the array has no georeferencing; ${await known(array, signal)}`);
  }
  const { transform, dimensions } = reference;
  const all = dimensionsOf(array) ?? array.dimensionNames ?? [];
  const rank = array.shape.length;
  const [rows, columns] = [all.indexOf(dimensions[0]), all.indexOf(dimensions[1])];
  const axes = rows >= 0 && columns >= 0 ? [rows, columns] : [rank - 2, rank - 1];
  const isDegrees = !projection && /^(EPSG:4326|OGC:CRS84)$/.test(reference.crs?.code ?? "");
  const [a, b, c, d, e, f] = transform;
  const isTurned = b !== 0 || d !== 0;
  const axis = (name: string, at: number, scale: number, start: number, isLongitude = false) => {
    const linear = linearCoordinates(name, array.shape[at]!, { scale, translation: start + scale / 2 });
    return new PlaceAxis({ ...linear, isLongitude }, at);
  };
  const [xName, yName] = projection || isTurned ? ["x", "y"] : names;
  const x = isTurned ? axis(xName, axes[1]!, 1, 0) : axis(xName, axes[1]!, a, c, isDegrees);
  const y = isTurned ? axis(yName, axes[0]!, 1, 0) : axis(yName, axes[0]!, e, f);
  if (!projection && degreesIn(names) && !isTurned && areBeyondDegrees(x, y))
    throw noCoordinates(
      names.join('", "'),
      `the array has x and y of ${reference.crs?.code ?? "another reference system"}; pass x and y, or proj4 as projection`,
    );
  if (!projection && !isTurned) return [x, y];
  return [
    new ConvertedCells(names, x, y, converterOf(projection, reference, isTurned ? transform : undefined)),
  ];
}

/** Whether coordinates cannot be longitudes and latitudes. */
export function areBeyondDegrees(x: PlaceAxis, y: PlaceAxis): boolean {
  const isBeyond = (axis: PlaceAxis, limit: number) =>
    Math.max(Math.abs(axis.at(0)[0]), Math.abs(axis.at(axis.length - 1)[0])) > limit;
  return isBeyond(x, 2 * 360) || isBeyond(y, 2 * 90);
}

/** Returns the conversion of places to x and y, and to columns and rows if the grid is turned. */
function converterOf(
  projection: Projection | undefined,
  { crs }: Georeference,
  transform: AffineTransform | undefined,
): PointConverter {
  const system = crs?.wkt ?? crs?.projjson ?? crs?.code;
  if (typeof projection === "function" && system === undefined)
    throw invalidArgument(
      "the array names no reference system; pass a converter such as proj4(from, to) as projection",
    );
  const known = typeof projection === "function" ? projection("EPSG:4326", system!) : projection;
  if (known && typeof known.forward !== "function")
    throw invalidArgument("projection must be proj4 or an object with the functions forward and inverse");
  if (!transform) return known!;
  const back = inverse(transform);
  return {
    forward: (point) => apply(back, (known ? known.forward(point) : point) as Point),
    inverse: (point) => {
      const [x, y] = apply(transform, point);
      return known ? known.inverse([x, y]) : [x, y];
    },
  };
}
