/** Reads the georeferencing of arrays and groups. */

import { ZarrArray } from "../../hierarchy/array.js";
import { type OpenedNode, ZarrGroup } from "../../hierarchy/group.js";
import { checkSignalIn, ownProperty, sharedOptions } from "../../util/arguments.js";
import { describeValue, invalidArgument, isZarrError, notFound } from "../../util/errors.js";
import { readCells } from "../cells/read.js";
import { gridMappingName } from "../shared/attributes.js";
import { groupAbove, ifFound } from "../shared/beside.js";
import { dimensionsOf } from "../xarray/xarray.js";
import {
  bad,
  crsIn,
  dimensionsIn,
  type ListedLevel,
  listedLevels,
  pyramidCrs,
  shapeIn,
  systemFromCode,
  transformIn,
} from "./attributes.js";
import {
  elementSize,
  fromCoordinates,
  inverse,
  likelyPairs,
  mapAxes,
  mapDimensions,
  scaled,
  transformBounds,
} from "./axes.js";
import type {
  AffineTransform,
  CoordinateSystem,
  GeoLevel,
  Georeference,
  GeoreferenceOptions,
} from "./types.js";

interface ReadContext {
  readonly signal: AbortSignal | undefined;
}

type Pair<T> = readonly [T, T];

/** Implements `georeference`. */
export async function readGeoreference(
  node: ZarrArray | ZarrGroup,
  options: GeoreferenceOptions,
): Promise<Georeference> {
  checkSignalIn(options, { ...sharedOptions, variable: true });
  const { variable, signal } = options;
  if (variable !== undefined && typeof variable !== "string")
    throw invalidArgument(`variable must be the name of an array, got ${describeValue(variable)}`);
  const reading = { signal };
  if (node instanceof ZarrArray) {
    const group = await groupAbove(node, signal);
    return orCells(georeferenceArray(node, group, reading), () => referenceCells(node, group, reading));
  }
  if (!(node instanceof ZarrGroup))
    throw invalidArgument("georeference expects an array or a group returned by open()");
  const listed = listedLevels(node.attributes);
  return listed
    ? georeferenceLevels(node, listed, variable, reading)
    : orCells(georeferenceGroup(node, variable, reading), () => findCells(node, variable, reading));
}

// ---- Cells that share one dimension

/** Data without rows and columns may have cells. */
async function orCells(
  reading: Promise<Georeference>,
  find: () => Promise<Georeference | undefined>,
): Promise<Georeference> {
  try {
    return await reading;
  } catch (error) {
    const found = isZarrError(error, "NotFound") ? await find() : undefined;
    if (!found) throw error;
    return found;
  }
}

/** Georeferencing of the first array of a group with cells. */
async function findCells(
  group: ZarrGroup,
  variable: string | undefined,
  reading: ReadContext,
): Promise<Georeference | undefined> {
  const opened = new Map();
  for (const name of variable === undefined ? await candidates(group, reading) : [variable]) {
    const array = await ifFound(group.open(name, { kind: "array", signal: reading.signal }));
    const isFloat = variable !== undefined || /^b?float/.test(array?.dtype.core ?? "");
    const found = array && isFloat ? await referenceCells(array, group, reading, opened) : undefined;
    if (found) return found;
  }
  return undefined;
}

async function referenceCells(
  array: ZarrArray,
  group: ZarrGroup | undefined,
  { signal }: ReadContext,
  opened?: Parameters<typeof readCells>[3],
): Promise<Georeference | undefined> {
  const cells = group && (await readCells(group, array, { signal }, opened));
  if (!cells) return undefined;
  const { dimension, grid } = cells;
  const { bounds, spacing, count } = grid;
  const transform = [spacing, 0, bounds[0], 0, -spacing, bounds[3]] as const;
  const level = createLevel("", { shape: [1, count], transform }, levelOpener(group, "", undefined, array));
  const crs = systemFromCode("EPSG:4326");
  return { crs, dimensions: [dimension, dimension], transform, bounds, levels: [level], cells };
}

// ---- One resolution

/** Georeferencing of one array or of one group of arrays. */
interface Location {
  readonly crs: CoordinateSystem | undefined;
  readonly dimensions: Pair<string>;
  readonly shape: Pair<number>;
  readonly transform: AffineTransform;
}

export async function georeferenceArray(
  array: ZarrArray,
  group: ZarrGroup | undefined,
  reading: ReadContext,
): Promise<Georeference> {
  const place = await locateArray(array, group, reading);
  const openArray: GeoLevel["open"] = async (_, options = {}) => {
    checkSignalIn(options);
    options.signal?.throwIfAborted();
    return array;
  };
  return createReference(place, [createLevel("", place, openArray)]);
}

async function georeferenceGroup(
  group: ZarrGroup,
  variable: string | undefined,
  reading: ReadContext,
): Promise<Georeference> {
  const place = await locateGroup(group, variable, reading);
  const openVariable = levelOpener(group, "", variable ?? place.variable);
  return createReference(place, [createLevel("", place, openVariable)]);
}

const createLevel = (
  path: string,
  { shape, transform }: Pick<Location, "shape" | "transform">,
  openLevel: GeoLevel["open"],
): GeoLevel => ({ path, shape, transform, resolution: elementSize(transform), open: openLevel });

function createReference(
  { crs, dimensions }: Pick<Location, "crs" | "dimensions">,
  levels: readonly [GeoLevel, ...GeoLevel[]],
): Georeference {
  const [{ transform, shape }] = levels;
  for (const level of levels) checkLevel(level);
  return {
    crs,
    dimensions,
    transform,
    bounds: transformBounds(transform, [0, 0, shape[1], shape[0]]),
    levels,
  };
}

/**
 * Rejects results that valid attributes can still lead to: elements too small or corners too far away for a
 * number.
 */
function checkLevel({ path, transform, shape }: GeoLevel): void {
  const bounds = transformBounds(transform, [0, 0, shape[1], shape[0]]);
  if (![...inverse(transform), ...bounds].every(Number.isFinite))
    throw bad(`the transformation of "${path}" exceeds the range of float64`);
}

function notReferenced(path: string): Error {
  return notFound(`"/${path}" has no georeferencing metadata`, { code: "no-convention" });
}

/**
 * Returns a function that opens an array of a level, which is an array or a group of arrays. Opened arrays
 * are kept, because every tile of a view asks for them.
 * @param array the array of the variable, if it is open.
 */
function levelOpener(
  root: ZarrGroup,
  path: string,
  variable: string | undefined,
  array?: ZarrArray,
): GeoLevel["open"] {
  const opened = new Map(array && [[variable, array]]);
  return async (name = variable, options = {}) => {
    checkSignalIn(options);
    const { signal } = options;
    signal?.throwIfAborted();
    const known = opened.get(name);
    if (known) return known;
    const node = path === "" ? root : await root.open(path, { signal });
    const found = node instanceof ZarrArray ? node : await openGroupArray(node, name, signal);
    opened.set(name, found);
    return found;
  };
}

function openGroupArray(
  group: ZarrGroup,
  name: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ZarrArray> {
  if (name === undefined)
    throw invalidArgument(`"/${group.path}" is a group; pass the name of one of its arrays`);
  return group.open(name, { kind: "array", signal });
}

/**
 * Returns the georeferencing of an array, taken from the array, its group, its grid mapping, or its
 * coordinates.
 */
async function locateArray(
  array: ZarrArray,
  group: ZarrGroup | undefined,
  { signal }: ReadContext,
): Promise<Location> {
  const names = dimensionsOf(array) ?? array.dimensionNames ?? [];
  const stated = dimensionsIn(array.attributes) ?? dimensionsIn(group?.attributes);
  const dimensions = stated ?? mapDimensions(names);
  if (!dimensions) throw notReferenced(array.path);
  const shape = mapShape(array, dimensions, names);
  const openBeside = async (name: string) => group && ifFound(group.open(name, { kind: "array", signal }));
  const mapping = await gridMapping(array, openBeside);
  const direct =
    transformIn(array.attributes) ?? transformIn(group?.attributes) ?? transformIn(mapping?.attributes);
  const read = direct ? undefined : await fromCoordinates(dimensions, openBeside, signal);
  const transform = direct ?? read?.transform;
  if (!transform || !shape) throw notReferenced(array.path);
  const crs =
    crsIn(array.attributes) ??
    crsIn(mapping?.attributes) ??
    crsIn(group?.attributes) ??
    (read?.areDegrees ? systemFromCode("EPSG:4326") : undefined);
  return { crs, dimensions, shape, transform };
}

/** Returns the array that the attribute `grid_mapping` names. */
async function gridMapping(
  { attributes }: ZarrArray,
  openBeside: (name: string) => Promise<ZarrArray | undefined>,
): Promise<ZarrArray | undefined> {
  const name = gridMappingName(attributes);
  if (name === undefined) return undefined;
  try {
    return await openBeside(name);
  } catch (error) {
    // The name is not a path, or does not name a valid array: ignored.
    if (isZarrError(error, "InvalidArgument", "InvalidMetadata")) return undefined;
    throw error;
  }
}

/** Returns the georeferencing in a group's own attributes, or else that of one of its arrays. */
async function locateGroup(
  group: ZarrGroup,
  variable: string | undefined,
  reading: ReadContext,
): Promise<Location & { readonly variable: string | undefined }> {
  const { attributes } = group;
  const [transform, shape, dimensions] = [
    transformIn(attributes),
    shapeIn(attributes),
    dimensionsIn(attributes),
  ];
  if (variable === undefined && transform && shape && dimensions)
    return { crs: crsIn(attributes), dimensions, shape, transform, variable };
  for (const name of variable === undefined ? await candidates(group, reading) : [variable]) {
    const array = await group.open(name, { kind: "array", signal: reading.signal });
    try {
      return { ...(await locateArray(array, group, reading)), variable: name };
    } catch (error) {
      if (variable !== undefined || !isZarrError(error, "NotFound")) throw error;
    }
  }
  return { ...(await bareCoordinates(group, reading)), variable };
}

/** Maximum number of arrays that are checked in a group. */
const maxCandidates = 64;

/** Returns the names of arrays that may be georeferenced, if the group can be listed. */
async function candidates(group: ZarrGroup, { signal }: ReadContext): Promise<string[]> {
  const members = await group.members({ signal }).catch((error: unknown) => {
    if (isZarrError(error, "Unsupported")) return []; // neither listed nor consolidated
    throw error;
  });
  const isCoordinate = (name: string) =>
    likelyPairs.some((pair) => (pair as readonly string[]).includes(name));
  return members
    .filter(({ kind, name }) => kind === "array" && !isCoordinate(name))
    .map(({ name }) => name)
    .slice(0, maxCandidates);
}

/** Returns the georeferencing of a group that has only coordinate arrays with common names. */
async function bareCoordinates(group: ZarrGroup, { signal }: ReadContext): Promise<Location> {
  const openBeside = (name: string) => ifFound(group.open(name, { kind: "array", signal }));
  const stated = dimensionsIn(group.attributes);
  for (const dimensions of stated ? [stated] : likelyPairs) {
    const read = await fromCoordinates(dimensions, openBeside, signal);
    if (!read) continue;
    const crs = crsIn(group.attributes) ?? (read.areDegrees ? systemFromCode("EPSG:4326") : undefined);
    return { crs, dimensions: [dimensions[0], dimensions[1]], shape: read.shape, transform: read.transform };
  }
  throw notReferenced(group.path);
}

// ---- Several resolutions

async function georeferenceLevels(
  root: ZarrGroup,
  listed: readonly ListedLevel[],
  variable: string | undefined,
  reading: ReadContext,
): Promise<Georeference> {
  const first = { ...(await firstLevel(root, listed, variable, reading)) };
  const { place } = first;
  const name = variable ?? first.variable;
  const levels = await Promise.all(
    listed.map(async (level) => {
      const known =
        level.transform && level.shape
          ? { shape: level.shape, transform: level.transform }
          : level.path === first.path
            ? place
            : await deriveLevel(root, level, name, place, reading);
      return known && createLevel(level.path, known, levelOpener(root, level.path, name));
    }),
  );
  const existing = levels.filter((level) => level !== undefined);
  existing.sort((a, b) => a.resolution[0] - b.resolution[0]);
  const crs =
    place.crs ??
    crsIn(root.attributes) ??
    listed.find((level) => level.crs)?.crs ??
    pyramidCrs(root.attributes);
  return createReference({ crs, dimensions: place.dimensions }, existing as [GeoLevel, ...GeoLevel[]]);
}

/**
 * Returns the finest existing level according to the layout, with the transformation stated there or read
 * from the level.
 */
async function firstLevel(
  root: ZarrGroup,
  listed: readonly ListedLevel[],
  variable: string | undefined,
  reading: ReadContext,
): Promise<{ path: string; place: Location; variable: string | undefined }> {
  const dimensions = dimensionsIn(root.attributes);
  const complete = listed.filter(({ transform, shape }) => transform && shape);
  if (dimensions && complete.length === listed.length) {
    const { path, transform, shape, crs } = complete[0]!;
    return {
      path,
      variable,
      place: { crs: crs ?? crsIn(root.attributes), dimensions, transform: transform!, shape: shape! },
    };
  }
  // Layouts begin with the finest level, ndpyramid's with the coarsest.
  const isFinestLast = Array.isArray(ownProperty(root.attributes, "multiscales"));
  const finestFirst = isFinestLast ? [...listed].reverse() : listed;
  let reason: unknown;
  for (const { path } of finestFirst)
    try {
      return await locateLevel(root, path, variable, reading);
    } catch (error) {
      // A level that is missing or has no georeferencing does not prevent the use of others.
      if (!isZarrError(error, "NotFound")) throw error;
      reason ??= error;
    }
  throw reason;
}

async function locateLevel(
  root: ZarrGroup,
  path: string,
  variable: string | undefined,
  reading: ReadContext,
): Promise<{ path: string; place: Location; variable: string | undefined }> {
  const node: OpenedNode = await root.open(path, { signal: reading.signal });
  if (node instanceof ZarrArray) return { path, variable, place: await locateArray(node, root, reading) };
  const found = await locateGroup(node, variable, reading);
  return { path, place: found, variable: found.variable };
}

/** Returns a level that is listed with its path only: it covers the same area as the first level. */
async function deriveLevel(
  root: ZarrGroup,
  { path, transform }: ListedLevel,
  variable: string | undefined,
  first: Location,
  { signal }: ReadContext,
): Promise<Pick<Location, "shape" | "transform"> | undefined> {
  const array = await ifFound(levelOpener(root, path, variable)(variable, { signal }));
  if (!array) return undefined; // a missing level does not prevent the use of others
  const shape = mapShape(array, first.dimensions, array.dimensionNames ?? []);
  if (!shape) return undefined;
  const own = transform ?? transformIn(array.attributes);
  const factors = [scaleFactor(first.shape[1], shape[1]), scaleFactor(first.shape[0], shape[0])] as const;
  return { shape, transform: own ?? scaled(first.transform, factors) };
}

/** Returns the number of rows and columns; undefined if there are none. */
function mapShape(
  array: ZarrArray,
  dimensions: Pair<string>,
  names: readonly (string | null)[],
): Pair<number> | undefined {
  const [rows, columns] = mapAxes(dimensions, names, array.shape.length);
  const shape = [array.shape[rows] ?? 0, array.shape[columns] ?? 0] as const;
  return shape.includes(0) ? undefined : shape;
}

/** Returns the ratio of two levels' element sizes: an integer if rounding up or down explains the lengths. */
function scaleFactor(fine: number, coarse: number): number {
  const whole = Math.max(1, Math.round(fine / coarse));
  const explains = Math.ceil(fine / whole) === coarse || Math.floor(fine / whole) === coarse;
  return explains ? whole : fine / coarse;
}
