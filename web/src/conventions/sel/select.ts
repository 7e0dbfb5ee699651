/** Selections by label of arrays and groups: finds the coordinates for each name. */

import { ZarrArray } from "../../hierarchy/array.js";
import { ZarrGroup } from "../../hierarchy/group.js";
import { open } from "../../hierarchy/open.js";
import type { DimensionSelection, Selection } from "../../plan/selection.js";
import { isSegment } from "../../store/path.js";
import { checkObject, checkSignalIn } from "../../util/arguments.js";
import { describeValue, invalidArgument, isZarrError } from "../../util/errors.js";
import { channelAxis, isMultiscales, multiscales } from "../ome/ome.js";
import { dimensionsOf } from "../xarray/xarray.js";
import { arrayCoordinates, type Coordinates, type Reading } from "./coordinates.js";
import { findElements, type Matching } from "./find.js";
import { type ImageLevel, imageCoordinates, levelOfArray } from "./image.js";
import { type LabelSelection, noCoordinates, noSuchDimension, type SelOptions } from "./types.js";

type Wanted = Readonly<Record<string, LabelSelection>>;

const methods = ["exact", "nearest", "pad"];

/** Implements `sel`. */
export async function select(
  node: ZarrArray | ZarrGroup,
  wanted: Wanted,
  options: SelOptions,
): Promise<NonNullable<Selection>> {
  checkOptions(node, wanted, options);
  const { signal, level = 0 } = options;
  const reading = { signal };
  if (node instanceof ZarrArray) return ofArray(node, wanted, options, reading);
  if (!isMultiscales(node)) return ofGroup(node, wanted, options, reading);
  const image = multiscales(node)[0]!;
  const chosen = image.levels[level];
  if (!chosen)
    throw invalidArgument(
      `the image has ${image.levels.length} levels; there is no level ${describeValue(level)}`,
    );
  const array = await chosen.open({ signal });
  return ofImage(
    { image, level: chosen, shape: array.shape, channelAxis: channelAxis(image) },
    wanted,
    options,
  );
}

function checkOptions(node: unknown, wanted: unknown, options: SelOptions): void {
  if (!(node instanceof ZarrArray || node instanceof ZarrGroup))
    throw invalidArgument("sel needs an array or a group that was opened or created");
  checkObject(wanted, "labels");
  if (Array.isArray(wanted) || wanted instanceof Map)
    throw invalidArgument("labels are given by the names of dimensions, not as a list or a Map");
  checkSignalIn(options);
  const { method = "exact", tolerance = 0, level = 0 } = options;
  if (!Number.isSafeInteger(level) || level < 0)
    throw invalidArgument(`level must be the number of a level, not ${describeValue(level)}`);
  if (!methods.includes(method))
    throw invalidArgument(`method must be "exact", "nearest" or "pad", not ${describeValue(method)}`);
  if (typeof tolerance !== "number" || !(tolerance >= 0))
    throw invalidArgument(`tolerance must be a number of at least 0, not ${describeValue(tolerance)}`);
}

const matchingOf = ({ method = "exact", tolerance }: SelOptions): Matching => ({ method, tolerance });

/** By dimension name, because the arrays of a group may have different dimensions in different orders. */
async function ofGroup(
  group: ZarrGroup,
  wanted: Wanted,
  options: SelOptions,
  reading: Reading,
): Promise<NonNullable<Selection>> {
  const { signal } = reading;
  const openCoordinate = (name: string) => group.open(name, { kind: "array", signal });
  const found = await Promise.all(
    Object.entries(wanted).map(async ([name, selection]) => {
      if (selection === null) return [name, null] as const;
      const { dimension, coordinates } = await coordinatesNamed(name, openCoordinate, reading);
      return [dimension, await findElements(coordinates, selection, matchingOf(options))] as const;
    }),
  );
  return byDimension(found);
}

/** @throws InvalidSelection if two names select along the same dimension. */
function byDimension(
  found: readonly (readonly [string, DimensionSelection])[],
): Record<string, DimensionSelection> {
  const names = found.map(([dimension]) => dimension);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw noCoordinates(twice, "another label chooses along this dimension already");
  return Object.fromEntries(found);
}

/** Opens an array of coordinates with one dimension, and returns the name of that dimension. */
async function coordinatesNamed(
  name: string,
  openCoordinate: (name: string) => Promise<ZarrArray>,
  reading: Reading,
): Promise<{ dimension: string; coordinates: Coordinates }> {
  if (!isSegment(name)) throw noCoordinates(name, "that is no name of an array");
  let array: ZarrArray;
  try {
    array = await openCoordinate(name);
  } catch (error) {
    if (!isZarrError(error, "NotFound")) throw error;
    throw noCoordinates(name, "there is no array of this name");
  }
  if (array.shape.length !== 1)
    throw noCoordinates(name, `the array of this name has ${array.shape.length} dimensions, not one`);
  const dimension = dimensionsOf(array)?.[0] ?? name;
  return { dimension, coordinates: await arrayCoordinates(name, array, reading) };
}

/** Returns one entry per dimension. */
async function ofArray(
  array: ZarrArray,
  wanted: Wanted,
  options: SelOptions,
  reading: Reading,
): Promise<NonNullable<Selection>> {
  const { signal } = reading;
  const image = await levelOfArray(array, reading);
  if (image) return ofImage(image, wanted, options);
  const dimensions = dimensionsOf(array) ?? array.dimensionNames ?? array.shape.map(() => null);
  const above = array.path.split("/").slice(0, -1);
  const openCoordinate = (name: string) => {
    if (array.path === "")
      throw noCoordinates(name, "the array is the root of its store; open the group above it");
    const path = [...above, name].join("/");
    const { limits, zarrFormat: version } = array;
    return open(array.store, { path, kind: "array", version, limits, signal });
  };
  const entries = new Array<DimensionSelection>(array.shape.length).fill(null);
  const chosen = await Promise.all(
    Object.entries(wanted).map(async ([name, selection]) => {
      if (selection === null && dimensions.includes(name)) return [name, null] as const;
      if (array.path === "" && !dimensions.includes(name)) throw noSuchDimension(name, dimensions);
      const { dimension, coordinates } = await coordinatesNamed(name, openCoordinate, reading);
      const axis = dimensions.indexOf(dimension);
      if (axis < 0) throw noSuchDimension(name, dimensions);
      if (dimensions.indexOf(dimension, axis + 1) >= 0)
        throw noCoordinates(name, "several dimensions have this name");
      if (coordinates.length !== array.shape[axis])
        throw noCoordinates(
          name,
          `it has ${coordinates.length} coordinates for ${array.shape[axis]} elements`,
        );
      const found =
        selection === null ? null : await findElements(coordinates, selection, matchingOf(options));
      return [dimension, found] as const;
    }),
  );
  for (const [dimension, found] of Object.entries(byDimension(chosen)))
    entries[dimensions.indexOf(dimension)] = found;
  return entries;
}

/** Returns one entry per axis of an image's level. */
async function ofImage(
  level: ImageLevel,
  wanted: Wanted,
  options: SelOptions,
): Promise<NonNullable<Selection>> {
  const entries = new Array<DimensionSelection>(level.shape.length).fill(null);
  const seen = new Set<number>();
  for (const [name, selection] of Object.entries(wanted)) {
    const { axis, coordinates } = imageCoordinates(level, name);
    if (seen.has(axis)) throw noCoordinates(name, "another label chooses along this axis already");
    seen.add(axis);
    if (selection !== null) entries[axis] = await findElements(coordinates(), selection, matchingOf(options));
  }
  return entries;
}
