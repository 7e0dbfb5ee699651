/** Finds the coordinates of an array that locate places. */

import { mapAxes } from "../../conventions/geo/axes.js";
import { georeferenceArray } from "../../conventions/geo/read.js";
import { arrayCoordinates, linearCoordinates } from "../../conventions/sel/coordinates.js";
import { noCoordinates } from "../../conventions/sel/labels.js";
import { imageCoordinates, levelOfArray } from "../../conventions/sel/select.js";
import { arrayBeside, ifFound } from "../../conventions/shared/beside.js";
import { type Coordinate, dimensionsOf, measures } from "../../conventions/xarray/xarray.js";
import type { AxisSelection } from "../../plan/selection.js";
import { ownProperty } from "../../util/arguments.js";
import { invalidArgument } from "../../util/errors.js";
import type { Labels } from "../labelled.js";
import type { Surface } from "./areas.js";
import { ConvertedCells, converterOf, type Point, type Projection } from "./converted-cells.js";
import type { GridPart } from "./grid-part.js";
import { PlaceAxis } from "./place-axis.js";
import { ScatteredCells } from "./scattered-cells.js";

export interface GridOptions {
  readonly projection?: Projection | undefined;
  readonly signal?: AbortSignal | undefined;
}

const areDegrees = (name: string): boolean => /^(lon|lat)/i.test(name);

/**
 * Returns the parts of a grid whose coordinates have names.
 * @throws InvalidSelection (no-coordinates) naming what exists; the errors of `open`, `get` and `georeference`.
 */
export async function partsNamed(
  labels: Labels,
  names: readonly string[],
  options: GridOptions,
): Promise<readonly GridPart[]> {
  const { projection, signal } = options;
  const image = levelOfArray(labels.array, await labels.group());
  if (image)
    return names.map((name) => {
      const { axis, coordinates } = imageCoordinates(image, name);
      return new PlaceAxis(coordinates(), axis);
    });
  const isConverted = (name: string) => projection !== undefined && areDegrees(name);
  const stored = await Promise.all(
    names.map((name) => (isConverted(name) ? undefined : coordinateNamed(labels, name, signal))),
  );
  const rest = names.filter((_, i) => !stored[i]).sort((a, b) => direction(a) - direction(b));
  const parts = await partsOf(
    labels,
    stored.filter((one) => one !== undefined),
    signal,
  );
  if (rest.length === 0) return parts;
  const located = rest.length === 2 ? await georeferenced(labels, rest as [string, string], options) : [];
  if (located.length > 0) return [...parts, ...located];
  const known = await labels.coordinates();
  const listed = known.map(({ name }) => JSON.stringify(name)).join(", ") || "none";
  const why = rest.length === 2 ? "the array has no georeferencing" : "no array has this name";
  throw noCoordinates(rest.join('", "'), `${why}; the coordinates are ${listed}`);
}

/** Returns a coordinate, or another array of this name in the same group; undefined if there is none. */
async function coordinateNamed(
  labels: Labels,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Coordinate | undefined> {
  const known = (await labels.coordinates()).find((one) => one.name === name);
  if (known) return known;
  const array = await arrayBeside(labels.array, name, signal);
  return array && { name, dimensions: dimensionsOf(array) ?? [name], isIndex: false, array };
}

/** Finds the coordinates of longitudes (or x) and latitudes (or y). @throws as {@link partsNamed}. */
export async function surfaceOf(labels: Labels, options: GridOptions): Promise<Surface> {
  const names = options.projection ? ["lon", "lat"] : await surfaceNames(labels);
  const [first, second] = await partsNamed(labels, names, options);
  const convert = (point: Point) => point;
  if (first instanceof ScatteredCells) return { areDegrees: first.areDegrees, convert, cells: first };
  if (first instanceof ConvertedCells)
    return { areDegrees: false, convert: (point) => first.convert(point), cells: first };
  const [x, y] = [first as PlaceAxis, second as PlaceAxis];
  return { areDegrees: x.coordinates.isLongitude, convert, cells: { x, y } };
}

async function surfaceNames(labels: Labels): Promise<readonly string[]> {
  const known = await labels.coordinates();
  const pairs = known
    .filter((one) => direction(one.name, one) < 0)
    .flatMap((x) =>
      known.filter((y) => direction(y.name, y) > 0 && areGrid(x, y)).map((y) => [x, y] as const),
    )
    .sort(([a], [b]) => Number(measures(b.array, "longitude")) - Number(measures(a.array, "longitude")));
  return pairs[0]?.map(({ name }) => name) ?? ["x", "y"];
}

const areGrid = (x: Coordinate, y: Coordinate): boolean =>
  x.dimensions.join("\n") === y.dimensions.join("\n")
    ? x.dimensions.length <= 2
    : x.dimensions.length === 1 && y.dimensions.length === 1;

/** @throws InvalidArgument for a selection along one of the axes of places. */
export function checkUnselected(
  labels: Labels,
  selections: readonly AxisSelection[],
  axes: readonly number[],
): void {
  const wrong = axes.find((axis) => {
    const own = selections[axis]!;
    return "indices" in own || own.dropped || own.count !== labels.array.shape[axis];
  });
  if (wrong !== undefined)
    throw invalidArgument(
      `the places determine the elements along dimension ${JSON.stringify(labels.names[wrong] ?? wrong)}; omit it from the selection`,
    );
}

const xTerm =
  /^(x|lon|longitude|rlon|nav_lon|xlong|easting|grid_longitude|projection_x_coordinate|degrees?_?(e|east))$/i;
const yTerm =
  /^(y|lat|latitude|rlat|nav_lat|xlat|northing|grid_latitude|projection_y_coordinate|degrees?_?(n|north))$/i;

/** Returns -1 for names and coordinates of x or longitudes, 1 for those of y or latitudes, otherwise 0. */
function direction(name: string, coordinate?: Coordinate): number {
  const attributes = coordinate?.array.attributes;
  const terms = ["standard_name", "units", "axis"].map((key) => String(ownProperty(attributes, key)));
  const found = [...terms, name].find((term) => xTerm.test(term) || yTerm.test(term));
  return found === undefined ? 0 : xTerm.test(found) ? -1 : 1;
}

/** Returns the parts of stored coordinates: those along the same axes are the x and y of cells. */
async function partsOf(
  labels: Labels,
  stored: readonly Coordinate[],
  signal: AbortSignal | undefined,
): Promise<GridPart[]> {
  const { shape } = labels.array;
  const groups = new Map<string, Coordinate[]>();
  for (const one of stored) {
    const axes = one.dimensions.map((name) => labels.names.indexOf(name));
    const fits = axes.every((axis, i) => shape[axis] === one.array.shape[i]);
    if (!fits || axes.length !== one.array.shape.length || axes.length === 0 || axes.length > 2)
      throw noCoordinates(one.name, `its dimensions [${one.dimensions}] are not one or two of the array`);
    groups.set(axes.join(), [...(groups.get(axes.join()) ?? []), one]);
  }
  const parts = Array.from(groups, async ([key, members]) => {
    const axes = key.split(",").map(Number);
    const sorted = members.toSorted((a, b) => direction(a.name, a) - direction(b.name, b));
    const read = sorted.map(({ array, name }) => arrayCoordinates(name, array, { signal }));
    const [x, y, ...more] = await Promise.all(read);
    if (!y && axes.length === 1) return new PlaceAxis(x!, axes[0]!);
    if (!y || more.length > 0)
      throw noCoordinates(x!.name, "its cells need a second coordinate, and one only");
    const lengths = axes.map((axis) => shape[axis]!);
    return new ScatteredCells(x!, y, axes, lengths);
  });
  return Promise.all(parts);
}

/** Returns the parts of an array located by a transformation or by evenly spaced coordinates; none if there are none. */
async function georeferenced(
  labels: Labels,
  names: readonly [string, string],
  { projection, signal }: GridOptions,
): Promise<readonly GridPart[]> {
  const { shape } = labels.array;
  const reference = await ifFound(georeferenceArray(labels.array, await labels.group(), { signal }));
  if (!reference) return [];
  const { crs, dimensions, transform } = reference;
  const [rows, columns] = mapAxes(dimensions, labels.names, shape.length);
  const isTurned = transform[1] !== 0 || transform[3] !== 0;
  const isConverted = projection !== undefined || isTurned;
  const [a, , c, , e, f] = isTurned ? [1, 0, 0, 0, 1, 0] : transform;
  const [xName, yName] = isConverted ? ["x", "y"] : names;
  const centres = (name: string, axis: number, scale: number, start: number) =>
    linearCoordinates(name, shape[axis]!, { scale, translation: start + scale / 2 });
  const isLongitude = !isConverted && /^(EPSG:4326|OGC:CRS84)$/.test(crs?.code ?? "");
  const x = new PlaceAxis({ ...centres(xName, columns, a, c), isLongitude }, columns);
  const y = new PlaceAxis(centres(yName, rows, e, f), rows);
  if (!isConverted && names.every(areDegrees) && areBeyondDegrees(x, y))
    throw noCoordinates(
      names.join('", "'),
      `the array has x and y of ${crs?.code ?? "another reference system"}; pass x and y, or proj4 as projection`,
    );
  if (!isConverted) return [x, y];
  return [
    new ConvertedCells(names, x, y, converterOf(projection, reference, isTurned ? transform : undefined)),
  ];
}

/** Whether coordinates cannot be longitudes and latitudes. */
export function areBeyondDegrees(x: PlaceAxis, y: PlaceAxis): boolean {
  const isBeyond = ({ coordinates, length }: PlaceAxis, limit: number) =>
    Math.max(Math.abs(coordinates.at(0)), Math.abs(coordinates.at(length - 1))) > limit;
  return isBeyond(x, 2 * 360) || isBeyond(y, 2 * 90);
}
