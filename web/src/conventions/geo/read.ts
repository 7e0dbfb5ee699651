/** Reads the georeferencing of arrays and groups. */

import { ZarrArray } from "../../hierarchy/array.js";
import { type OpenedNode, ZarrGroup } from "../../hierarchy/group.js";
import { open } from "../../hierarchy/open.js";
import { checkSignalIn, ownProperty } from "../../util/arguments.js";
import { describeValue, invalidArgument, isZarrError, notFound } from "../../util/errors.js";
import { dimensionsOf } from "../xarray/xarray.js";
import { bad, crsIn, dimensionsIn, shapeIn, systemOf, transformIn } from "./attributes.js";
import {
  boundsOf,
  fromCoordinates,
  ifThere,
  inverse,
  likelyPairs,
  mapDimensions,
  resolutionOf,
  scaled,
} from "./axes.js";
import { crsOfLevels, type ListedLevel, listedLevels } from "./layout.js";
import type {
  AffineTransform,
  CoordinateSystem,
  GeoLevel,
  Georeference,
  GeoreferenceOptions,
} from "./types.js";

interface Reading {
  readonly signal: AbortSignal | undefined;
}

type Pair<T> = readonly [T, T];

/** Implements `georeference`. */
export async function readGeoreference(
  node: ZarrArray | ZarrGroup,
  options: GeoreferenceOptions,
): Promise<Georeference> {
  checkSignalIn(options);
  const { variable, signal } = options;
  if (variable !== undefined && typeof variable !== "string")
    throw invalidArgument(`variable must be the name of an array, not ${describeValue(variable)}`);
  const reading = { signal };
  if (node instanceof ZarrArray) return ofArray(node, await parentOf(node, signal), reading);
  if (!(node instanceof ZarrGroup))
    throw invalidArgument("georeference needs an array or a group that was opened");
  const listed = listedLevels(node.attributes);
  return listed ? ofLevels(node, listed, variable, reading) : ofGroup(node, variable, reading);
}

async function parentOf(array: ZarrArray, signal: AbortSignal | undefined): Promise<ZarrGroup | undefined> {
  if (array.path === "") return undefined;
  const path = array.path.split("/").slice(0, -1).join("/");
  const { limits, zarrFormat: version } = array;
  return ifThere(open(array.store, { path, kind: "group", version, limits, signal }));
}

// ---- One resolution

/** Georeferencing of one array or of one group of arrays. */
interface Place {
  readonly crs: CoordinateSystem | undefined;
  readonly dimensions: Pair<string>;
  readonly shape: Pair<number>;
  readonly transform: AffineTransform;
}

async function ofArray(
  array: ZarrArray,
  group: ZarrGroup | undefined,
  reading: Reading,
): Promise<Georeference> {
  const place = await placeOf(array, group, reading);
  const openArray: GeoLevel["open"] = async (_, options = {}) => {
    checkSignalIn(options);
    options.signal?.throwIfAborted();
    return array;
  };
  return referenceOf(place, [levelOf("", place, openArray)]);
}

async function ofGroup(
  group: ZarrGroup,
  variable: string | undefined,
  reading: Reading,
): Promise<Georeference> {
  const place = await placeOfGroup(group, variable, reading);
  const openVariable = openerOf(group, "", variable ?? place.variable);
  return referenceOf(place, [levelOf("", place, openVariable)]);
}

const levelOf = (
  path: string,
  { shape, transform }: Pick<Place, "shape" | "transform">,
  openLevel: GeoLevel["open"],
): GeoLevel => ({ path, shape, transform, resolution: resolutionOf(transform), open: openLevel });

function referenceOf(
  { crs, dimensions }: Pick<Place, "crs" | "dimensions">,
  levels: readonly [GeoLevel, ...GeoLevel[]],
): Georeference {
  const [{ transform, shape }] = levels;
  for (const level of levels) checkPlace(level);
  return { crs, dimensions, transform, bounds: boundsOf(transform, [0, 0, shape[1], shape[0]]), levels };
}

/**
 * Rejects results that valid attributes can still lead to: elements too small or corners too far away for a
 * number.
 */
function checkPlace({ path, transform, shape }: GeoLevel): void {
  const bounds = boundsOf(transform, [0, 0, shape[1], shape[0]]);
  if (![...inverse(transform), ...bounds].every(Number.isFinite))
    throw bad(`the transformation of "${path}" is beyond the range of numbers`);
}

function notReferenced(path: string): Error {
  return notFound(`nothing says where "/${path}" lies on a map`, { code: "not-georeferenced" });
}

/**
 * Returns a function that opens an array of a level, which is an array or a group of arrays. Opened arrays
 * are kept, because every tile of a view asks for them.
 */
function openerOf(root: ZarrGroup, path: string, variable: string | undefined): GeoLevel["open"] {
  const opened = new Map<string | undefined, ZarrArray>();
  return async (name = variable, options = {}) => {
    checkSignalIn(options);
    const { signal } = options;
    signal?.throwIfAborted();
    const known = opened.get(name);
    if (known) return known;
    const node = path === "" ? root : await root.open(path, { signal });
    const array = node instanceof ZarrArray ? node : await memberOf(node, name, signal);
    opened.set(name, array);
    return array;
  };
}

function memberOf(
  group: ZarrGroup,
  name: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ZarrArray> {
  if (name === undefined)
    throw invalidArgument(`"/${group.path}" is a group: say which of its arrays is meant`);
  return group.open(name, { kind: "array", signal });
}

/**
 * Returns the georeferencing of an array, taken from the array, its group, its grid mapping, or its
 * coordinates.
 */
async function placeOf(array: ZarrArray, group: ZarrGroup | undefined, { signal }: Reading): Promise<Place> {
  const names = dimensionsOf(array) ?? array.dimensionNames ?? [];
  const stated = dimensionsIn(array.attributes) ?? dimensionsIn(group?.attributes);
  const dimensions = stated ?? mapDimensions(names);
  if (!dimensions) throw notReferenced(array.path);
  const axes = dimensions.map((name) => names.indexOf(name));
  // Without names, rows and columns are the last two dimensions.
  const [rows, columns] = axes.every((axis) => axis >= 0)
    ? axes
    : [array.shape.length - 2, array.shape.length - 1];
  const shape = [array.shape[rows!] ?? 0, array.shape[columns!] ?? 0] as const;
  const openBeside = async (name: string) => group && ifThere(group.open(name, { kind: "array", signal }));
  const mapping = await gridMapping(array, openBeside);
  const direct =
    transformIn(array.attributes) ?? transformIn(group?.attributes) ?? transformIn(mapping?.attributes);
  const read = direct ? undefined : await fromCoordinates(dimensions, openBeside, signal);
  const transform = direct ?? read?.transform;
  if (!transform || shape.includes(0)) throw notReferenced(array.path);
  const crs =
    crsIn(array.attributes) ??
    crsIn(mapping?.attributes) ??
    crsIn(group?.attributes) ??
    (read?.areDegrees ? systemOf("EPSG:4326") : undefined);
  return { crs, dimensions, shape, transform };
}

/** Returns the array that the attribute `grid_mapping` names: "crs", or "crs: x y". */
async function gridMapping(
  { attributes }: ZarrArray,
  openBeside: (name: string) => Promise<ZarrArray | undefined>,
): Promise<ZarrArray | undefined> {
  const named = ownProperty(attributes, "grid_mapping");
  const name = typeof named === "string" ? /^\s*([^\s:]+)/.exec(named)?.[1] : undefined;
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
async function placeOfGroup(
  group: ZarrGroup,
  variable: string | undefined,
  reading: Reading,
): Promise<Place & { readonly variable: string | undefined }> {
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
      return { ...(await placeOf(array, group, reading)), variable: name };
    } catch (error) {
      if (variable !== undefined || !isZarrError(error, "NotFound")) throw error;
    }
  }
  return { ...(await bareCoordinates(group, reading)), variable };
}

/** Maximum number of arrays that are checked in a group. */
const maxCandidates = 64;

/** Returns the names of arrays that may be georeferenced, if the group can be listed. */
async function candidates(group: ZarrGroup, { signal }: Reading): Promise<string[]> {
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
async function bareCoordinates(group: ZarrGroup, { signal }: Reading): Promise<Place> {
  const openBeside = (name: string) => ifThere(group.open(name, { kind: "array", signal }));
  const stated = dimensionsIn(group.attributes);
  for (const dimensions of stated ? [stated] : likelyPairs) {
    const read = await fromCoordinates(dimensions, openBeside, signal);
    if (!read) continue;
    const crs = crsIn(group.attributes) ?? (read.areDegrees ? systemOf("EPSG:4326") : undefined);
    return { crs, dimensions: [dimensions[0], dimensions[1]], shape: read.shape, transform: read.transform };
  }
  throw notReferenced(group.path);
}

// ---- Several resolutions

async function ofLevels(
  root: ZarrGroup,
  listed: readonly ListedLevel[],
  variable: string | undefined,
  reading: Reading,
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
            : await levelBelow(root, level, name, place, reading);
      return known && levelOf(level.path, known, openerOf(root, level.path, name));
    }),
  );
  const there = levels.filter((level) => level !== undefined);
  there.sort((a, b) => a.resolution[0] - b.resolution[0]);
  const crs =
    place.crs ??
    crsIn(root.attributes) ??
    listed.find((level) => level.crs)?.crs ??
    crsOfLevels(root.attributes);
  return referenceOf({ crs, dimensions: place.dimensions }, there as [GeoLevel, ...GeoLevel[]]);
}

/**
 * Returns the finest existing level according to the layout, with the transformation stated there or read
 * from the level.
 */
async function firstLevel(
  root: ZarrGroup,
  listed: readonly ListedLevel[],
  variable: string | undefined,
  reading: Reading,
): Promise<{ path: string; place: Place; variable: string | undefined }> {
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
      return await levelAlone(root, path, variable, reading);
    } catch (error) {
      // A level that is missing or has no georeferencing does not prevent the use of others.
      if (!isZarrError(error, "NotFound")) throw error;
      reason ??= error;
    }
  throw reason;
}

async function levelAlone(
  root: ZarrGroup,
  path: string,
  variable: string | undefined,
  reading: Reading,
): Promise<{ path: string; place: Place; variable: string | undefined }> {
  const node: OpenedNode = await root.open(path, { signal: reading.signal });
  if (node instanceof ZarrArray) return { path, variable, place: await placeOf(node, root, reading) };
  const found = await placeOfGroup(node, variable, reading);
  return { path, place: found, variable: found.variable };
}

/** Returns a level that is listed with its path only: it covers the same area as the first level. */
async function levelBelow(
  root: ZarrGroup,
  { path, transform }: ListedLevel,
  variable: string | undefined,
  first: Place,
  { signal }: Reading,
): Promise<Pick<Place, "shape" | "transform"> | undefined> {
  const array = await ifThere(openerOf(root, path, variable)(variable, { signal }));
  if (!array) return undefined; // a missing level does not prevent the use of others
  const shape = mapShape(array, first);
  if (!shape) return undefined;
  const own = transform ?? transformIn(array.attributes);
  const factors = [factorOf(first.shape[1], shape[1]), factorOf(first.shape[0], shape[0])] as const;
  return { shape, transform: own ?? scaled(first.transform, factors) };
}

function mapShape(array: ZarrArray, { dimensions }: Place): Pair<number> | undefined {
  const names = array.dimensionNames ?? [];
  const axes = dimensions.map((name) => names.indexOf(name));
  const rank = array.shape.length;
  const [rows, columns] = axes.every((axis) => axis >= 0) ? axes : [rank - 2, rank - 1];
  const shape = [array.shape[rows!] ?? 0, array.shape[columns!] ?? 0] as const;
  return shape.includes(0) ? undefined : shape;
}

/** Returns the ratio of two levels' element sizes: an integer if rounding up or down explains the lengths. */
function factorOf(fine: number, coarse: number): number {
  const whole = Math.max(1, Math.round(fine / coarse));
  const explains = Math.ceil(fine / whole) === coarse || Math.floor(fine / whole) === coarse;
  return explains ? whole : fine / coarse;
}
