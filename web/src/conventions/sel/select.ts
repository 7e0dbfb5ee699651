/** Selections by label of arrays, groups and OME-Zarr images: finds the coordinates for each name. */

import { ZarrArray } from "../../hierarchy/array.js";
import { ZarrGroup } from "../../hierarchy/group.js";
import { open } from "../../hierarchy/open.js";
import { type DimensionSelection, groupSelection, type Selection } from "../../plan/selection.js";
import { isSegment } from "../../store/path.js";
import { checkObject, checkSignalIn, ownProperty, sharedOptions } from "../../util/arguments.js";
import { describeValue, invalidArgument, isZarrError, notFound } from "../../util/errors.js";
import { channelAxis, isMultiscales, multiscales, type OmeLevel, type OmeMultiscale } from "../ome/ome.js";
import { groupAbove } from "../shared/beside.js";
import { dimensionsOf } from "../xarray/xarray.js";
import {
  arrayCoordinates,
  type Coordinates,
  linearCoordinates,
  namedCoordinates,
  type ReadContext,
} from "./coordinates.js";
import { findElements, type Matching } from "./find.js";
import { type LabelSelection, noCoordinates, noSuchDimension, type SelOptions } from "./labels.js";
import { mapCoordinates } from "./map.js";

type LabelsByName = Readonly<Record<string, LabelSelection>>;

/** Methods by name; those of pandas and xarray have two names each. */
const methods: Readonly<Record<NonNullable<SelOptions["method"]>, Matching["method"]>> = {
  exact: "exact",
  nearest: "nearest",
  pad: "pad",
  ffill: "pad",
  backfill: "backfill",
  bfill: "backfill",
};

/** Implements `sel`. */
export async function select(
  node: ZarrArray | ZarrGroup,
  wanted: LabelsByName,
  options: SelOptions,
): Promise<NonNullable<Selection>> {
  checkOptions(node, wanted, options);
  const { signal, level = 0 } = options;
  const reading = { signal };
  if (node instanceof ZarrArray) return selectInArray(node, wanted, options, reading);
  if (!isMultiscales(node)) return selectInGroup(node, wanted, options, reading);
  const image = multiscales(node)[0]!;
  const chosen = image.levels[level];
  if (!chosen)
    throw invalidArgument(`the image has ${image.levels.length} levels; got level ${describeValue(level)}`);
  const array = await chosen.open({ signal });
  return selectInImage(
    { image, level: chosen, shape: array.shape, channelAxis: channelAxis(image) },
    wanted,
    options,
  );
}

function checkOptions(node: unknown, wanted: unknown, options: SelOptions): void {
  if (!(node instanceof ZarrArray || node instanceof ZarrGroup))
    throw invalidArgument("sel expects an array or a group returned by open() or create()");
  checkObject(wanted, "labels");
  if (Array.isArray(wanted) || wanted instanceof Map)
    throw invalidArgument("labels must be an object with dimension names as keys, got a list or a Map");
  checkSignalIn(options, { ...sharedOptions, method: true, tolerance: true, level: true });
  const { method = "exact", tolerance = 0, level = 0 } = options;
  if (!Number.isSafeInteger(level) || level < 0)
    throw invalidArgument(`level must be a non-negative integer, got ${describeValue(level)}`);
  if (!Object.hasOwn(methods, method))
    throw invalidArgument(
      `method must be "exact", "nearest" or "pad" ("ffill", "backfill", "bfill"), got ${describeValue(method)}`,
    );
  if (typeof tolerance !== "number" || !(tolerance >= 0))
    throw invalidArgument(`tolerance must be a number of at least 0, got ${describeValue(tolerance)}`);
}

const matchingOptions = ({ method = "exact", tolerance }: SelOptions): Matching => ({
  method: methods[method],
  tolerance,
});

/** By dimension name, because the arrays of a group may have different dimensions in different orders. */
async function selectInGroup(
  group: ZarrGroup,
  wanted: LabelsByName,
  options: SelOptions,
  reading: ReadContext,
): Promise<NonNullable<Selection>> {
  const { signal } = reading;
  const openCoordinate = (name: string) => group.open(name, { kind: "array", signal });
  const known = () => knownArrays(group, reading);
  const level = mapLevel(group, options.level ?? 0);
  const fallback = (name: string) => mapCoordinates(name, group.attributes, undefined, level);
  const found = await Promise.all(
    Object.entries(wanted).map(async ([name, selection]) => {
      if (selection === null) return [name, null] as const;
      const { dimension, coordinates } = await coordinatesNamed(
        name,
        { openCoordinate, known, fallback },
        reading,
      );
      return [dimension, findElements(coordinates, selection, matchingOptions(options))] as const;
    }),
  );
  return byDimension(found);
}

/** Returns the attributes that state the transformation of a level of a map. */
function mapLevel({ attributes }: ZarrGroup, level: number): unknown {
  const layout = ownProperty(ownProperty(attributes, "multiscales"), "layout");
  if (level === 0 || !Array.isArray(layout)) return attributes;
  if (level >= layout.length)
    throw invalidArgument(`the map has ${layout.length} levels; got level ${level}`);
  return layout[level];
}

/** @throws InvalidSelection if two names select along the same dimension. */
function byDimension(
  found: readonly (readonly [string, DimensionSelection])[],
): Record<string, DimensionSelection> {
  const names = found.map(([dimension]) => dimension);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw noCoordinates(twice, "another label already selects along this dimension");
  return groupSelection(found);
}

/** Lists the arrays of a group for a message; "" if the store cannot list them. */
async function knownArrays(group: ZarrGroup, { signal }: ReadContext): Promise<string> {
  try {
    const members = await group.members({ signal });
    return listed(
      "the group has",
      members.flatMap(({ kind, name }) => (kind === "array" ? [name] : [])),
    );
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return "";
  }
}

/** Maximum number of names in a message. */
const maxListed = 20;

function listed(what: string, names: readonly (string | null)[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, maxListed).map((name) => JSON.stringify(name));
  return `; ${what} ${shown.join(", ")}${names.length > maxListed ? ", …" : ""}`;
}

interface CoordinateSource {
  openCoordinate(name: string): Promise<ZarrArray>;
  /** Names for messages. */
  known(): string | Promise<string>;
  /** Returns coordinates that are not stored as an array. */
  fallback(name: string): Coordinates | undefined;
}

/** Opens an array of coordinates with one dimension, and returns the name of that dimension. */
async function coordinatesNamed(
  name: string,
  { openCoordinate, known, fallback }: CoordinateSource,
  reading: ReadContext,
): Promise<{ dimension: string; coordinates: Coordinates }> {
  if (!isSegment(name)) throw noCoordinates(name, "it is not the name of an array");
  let array: ZarrArray;
  try {
    array = await openCoordinate(name);
  } catch (error) {
    if (!isZarrError(error, "NotFound")) throw error;
    const coordinates = fallback(name);
    if (coordinates) return { dimension: name, coordinates };
    throw noCoordinates(name, `no array has this name${await known()}`);
  }
  if (array.shape.length !== 1)
    throw noCoordinates(name, `the array of this name has ${array.shape.length} dimensions, not one`);
  const dimension = dimensionsOf(array)?.[0] ?? name;
  return { dimension, coordinates: await arrayCoordinates(name, array, reading) };
}

/** Returns one entry per dimension. */
async function selectInArray(
  array: ZarrArray,
  wanted: LabelsByName,
  options: SelOptions,
  reading: ReadContext,
): Promise<NonNullable<Selection>> {
  const { signal } = reading;
  const image = levelOfArray(array, await groupAbove(array, signal));
  if (image) return selectInImage(image, wanted, options);
  const dimensions = dimensionsOf(array) ?? array.dimensionNames ?? array.shape.map(() => null);
  const known = () => listed("the dimensions are", dimensions);
  const above = array.path.split("/").slice(0, -1);
  const fallback = (name: string) =>
    mapCoordinates(name, array.attributes, array.shape[dimensions.indexOf(name)]);
  const openCoordinate = async (name: string) => {
    if (array.path === "") {
      if (fallback(name)) throw notFound("the root of a store has no array beside it");
      throw noCoordinates(name, "the array is the root of its store; open the group above it");
    }
    const path = [...above, name].join("/");
    const { limits, zarrFormat: version } = array;
    return open(array.store, { path, kind: "array", version, limits, signal });
  };
  const entries = new Array<DimensionSelection>(array.shape.length).fill(null);
  const chosen = await Promise.all(
    Object.entries(wanted).map(async ([name, selection]) => {
      if (selection === null && dimensions.includes(name)) return [name, null] as const;
      if (array.path === "" && !dimensions.includes(name)) throw noSuchDimension(name, dimensions);
      const { dimension, coordinates } = await coordinatesNamed(
        name,
        { openCoordinate, known, fallback },
        reading,
      );
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
        selection === null ? null : findElements(coordinates, selection, matchingOptions(options));
      return [dimension, found] as const;
    }),
  );
  for (const [dimension, found] of Object.entries(byDimension(chosen)))
    entries[dimensions.indexOf(dimension)] = found;
  return entries;
}

/** Returns one entry per axis of an image's level. */
async function selectInImage(
  level: ImageLevel,
  wanted: LabelsByName,
  options: SelOptions,
): Promise<NonNullable<Selection>> {
  const entries = new Array<DimensionSelection>(level.shape.length).fill(null);
  const seen = new Set<number>();
  for (const [name, selection] of Object.entries(wanted)) {
    const { axis, coordinates } = imageCoordinates(level, name);
    if (seen.has(axis)) throw noCoordinates(name, "another label already selects along this axis");
    seen.add(axis);
    if (selection !== null) entries[axis] = findElements(coordinates(), selection, matchingOptions(options));
  }
  return entries;
}

/** A level of an image, and the shape of its array. */
export interface ImageLevel {
  readonly image: OmeMultiscale;
  readonly level: OmeLevel;
  readonly shape: readonly number[];
  /** −1 if there is none. */
  readonly channelAxis: number;
}

/** Returns the level of an image that an array belongs to; undefined if the group above it lists none. */
export function levelOfArray(
  { path, shape }: ZarrArray,
  group: ZarrGroup | undefined,
): ImageLevel | undefined {
  if (!group || !isMultiscales(group)) return undefined;
  const below = path.split("/").at(-1);
  for (const image of multiscales(group)) {
    const level = image.levels.find((one) => one.path === below);
    if (level && image.axes.length === shape.length)
      return { image, level, shape, channelAxis: channelAxis(image) };
  }
  return undefined;
}

/**
 * Returns the coordinates of the axis with a name, or of the only axis of a type.
 * @throws InvalidSelection if there is none; `coordinates` throws it (no-coordinates) if
 *   the image has none for the axis.
 */
export function imageCoordinates(
  { image, level, shape, channelAxis }: ImageLevel,
  name: string,
): { axis: number; coordinates: () => Coordinates } {
  const axis = findAxis(image, name);
  const coordinates = () => {
    const labels = axis === channelAxis ? channelLabels(image, shape[axis]!) : undefined;
    if (labels) return namedCoordinates(name, labels);
    const { scale, translation } = level;
    if (axis === channelAxis) throw noCoordinates(name, 'the image has no "omero" labels for its channels');
    if (!scale || !translation) throw noCoordinates(name, `OME-Zarr ${image.version} has no scales`);
    return linearCoordinates(name, shape[axis]!, { scale: scale[axis]!, translation: translation[axis]! });
  };
  return { axis, coordinates };
}

function findAxis({ axes }: OmeMultiscale, name: string): number {
  const byName = axes.findIndex((axis) => axis.name === name);
  if (byName >= 0) return byName;
  const ofType = axes.flatMap(({ type }, i) => (type === name ? [i] : []));
  if (ofType.length === 1) return ofType[0]!;
  throw noSuchDimension(
    name,
    axes.map((axis) => axis.name),
  );
}

/** Returns the labels of all channels; undefined if a channel lacks one. */
function channelLabels({ channels }: OmeMultiscale, count: number): string[] | undefined {
  const labels = channels?.map(({ label }) => label);
  return labels?.length === count && labels.every((label) => label !== undefined) ? labels : undefined;
}
