/** Derives transformations from coordinate arrays, which hold the centres of elements. */

import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { slice } from "../../plan/selection.js";
import { unsupported } from "../../util/errors.js";
import { decodeCF } from "../xarray/cf.js";
import { measures } from "../xarray/xarray.js";
import type { AffineTransform, Bounds } from "./types.js";

/** Opens a node in the same group as the data; undefined if it is missing. */
export type OpenBeside = (name: string) => Promise<ZarrArray | undefined>;

/** Dimension names of map rows and columns, in order of preference. */
export const likelyPairs = [
  ["y", "x"],
  ["lat", "lon"],
  ["latitude", "longitude"],
  ["Y", "X"],
  ["northing", "easting"],
  ["rlat", "rlon"],
] as const;

/** Returns the map dimensions of an array; undefined if no names match. */
export function mapDimensions(names: readonly (string | null)[]): readonly [string, string] | undefined {
  const found = likelyPairs.find((pair) => pair.every((name) => names.includes(name)));
  return found && [found[0], found[1]];
}

/**
 * Returns the axes of the map's rows and columns: those with the names, or else the last two. Negative if the array
 * has fewer axes.
 */
export function mapAxes(
  dimensions: readonly [string, string],
  names: readonly (string | null)[],
  rank: number,
): readonly [rows: number, columns: number] {
  const [rows, columns] = [names.indexOf(dimensions[0]), names.indexOf(dimensions[1])];
  return rows >= 0 && columns >= 0 ? [rows, columns] : [rank - 2, rank - 1];
}

/** Georeferencing derived from the coordinate arrays of rows and columns. */
export interface FromCoordinates {
  readonly transform: AffineTransform;
  readonly shape: readonly [number, number];
  /** Whether they are degrees of latitude and longitude. */
  readonly areDegrees: boolean;
}

/** Returns undefined if there are no coordinate arrays. */
export async function fromCoordinates(
  [rows, columns]: readonly [string, string],
  open: OpenBeside,
  signal: AbortSignal | undefined,
): Promise<FromCoordinates | undefined> {
  const [ys, xs] = await Promise.all([open(rows), open(columns)]);
  if (!ys || !xs || ys.shape.length !== 1 || xs.shape.length !== 1) return undefined;
  const [y, x] = await Promise.all([readSpacing(ys, signal), readSpacing(xs, signal)]);
  return {
    transform: [x.step, 0, x.start, 0, y.step, y.start],
    shape: [ys.shape[0]!, xs.shape[0]!],
    areDegrees: measures(ys, "latitude") && measures(xs, "longitude"),
  };
}

/**
 * Returns the start of the first element and the element size, from the first two coordinates and the last
 * one.
 * @throws Unsupported for coordinates that are not evenly spaced.
 */
async function readSpacing(
  array: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<{ start: number; step: number }> {
  const [length] = array.shape as readonly [number];
  const read = async (from: number, to: number) => {
    const region = await get(array, [slice(from, to)], { signal });
    const { data } = decodeCF(array, region, { times: "counts", fillValueIsMissing: false });
    return Array.from(data as ArrayLike<number | bigint>, Number);
  };
  const head = await read(0, Math.min(3, length));
  const last = length <= 3 ? head.at(-1)! : (await read(length - 1, length))[0]!;
  const first = head[0]!;
  const step = length > 1 ? (last - first) / (length - 1) : 1;
  // Float32 coordinates in degrees are accurate to about 10⁻⁵.
  const isEven = head.every((value, i) => Math.abs(value - (first + i * step)) <= Math.abs(step) * 0.01);
  if (length === 0 || !(Math.abs(step) > 0) || !isEven)
    throw unsupported(`the coordinates at "/${array.path}" are not evenly spaced`);
  return { start: first - step / 2, step };
}

type Point = readonly [number, number];

export function apply([a, b, c, d, e, f]: AffineTransform, [column, row]: Point): Point {
  return [a * column + b * row + c, d * column + e * row + f];
}

/** Returns the transformation from points to columns and rows. */
export function inverse([a, b, c, d, e, f]: AffineTransform): AffineTransform {
  const scale = 1 / (a * e - b * d);
  return [e * scale, -b * scale, (b * f - c * e) * scale, -d * scale, a * scale, (c * d - a * f) * scale];
}

/** Returns the transformation with its origin moved by a number of columns and rows. */
export function moved(transform: AffineTransform, by: Point): AffineTransform {
  const [a, b, , d, e] = transform;
  const [x, y] = apply(transform, by);
  return [a, b, x, d, e, y];
}

/** Returns the transformation for elements enlarged by two factors. */
export function scaled([a, b, c, d, e, f]: AffineTransform, [columns, rows]: Point): AffineTransform {
  return [a * columns, b * rows, c, d * columns, e * rows, f];
}

/** Returns the bounding box of a transformed box. */
export function transformBounds(transform: AffineTransform, [left, top, right, bottom]: Bounds): Bounds {
  const corners = [
    apply(transform, [left, top]),
    apply(transform, [right, top]),
    apply(transform, [left, bottom]),
    apply(transform, [right, bottom]),
  ];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Returns the size of an element along x and y. */
export function elementSize([a, b, , d, e]: AffineTransform): Point {
  return [Math.hypot(a, d), Math.hypot(b, e)];
}
