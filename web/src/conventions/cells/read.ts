/** Recognises arrays of cells: HEALPix, unstructured meshes (UGRID, CF bounds), and reduced Gaussian grids. */

import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import type { ZarrGroup } from "../../hierarchy/group.js";
import { slice } from "../../plan/selection.js";
import { isSegment } from "../../store/path.js";
import { asString, checkSignalIn, isRecord, ownProperty } from "../../util/arguments.js";
import { isZarrError, limitExceeded } from "../../util/errors.js";
import { countOf } from "../../util/shapes.js";
import { checkNode, finiteNumber, gridMappingName } from "../shared/attributes.js";
import { ifFound } from "../shared/beside.js";
import { radians } from "../shared/degrees.js";
import { decodeCF } from "../xarray/cf.js";
import { type Coordinate, coordinatesOf, dimensionsOf, measures, namesIn } from "../xarray/xarray.js";
import { gaussianGrid } from "./gaussian.js";
import type { CellGrid, Cells } from "./grid.js";
import { cellIds, type HealpixScheme, healpixGrid, maxHealpixLevel } from "./healpix.js";
import { meshGrid } from "./mesh.js";

/** Maximum number of coordinates and of corners that are read. */
const maxPoints = 2 ** 25;
const maxCorners = 2 ** 24;

interface Reading {
  readonly group: ZarrGroup;
  readonly array: ZarrArray;
  readonly dimensions: readonly string[];
  readonly signal: AbortSignal | undefined;
  /** Arrays of the group by name: the same names are tried for each of several arrays. */
  readonly opened: Map<string, Promise<ZarrArray | undefined>>;
}

/**
 * Implements `cellsOf`.
 * @param opened shared by calls for arrays of one group.
 */
export async function readCells(
  group: ZarrGroup,
  array: ZarrArray,
  options: { signal?: AbortSignal | undefined },
  opened: Reading["opened"] = new Map(),
): Promise<Cells | undefined> {
  checkNode(group, "a group");
  checkNode(array, "an array");
  checkSignalIn(options);
  const dimensions = dimensionsOf(array);
  if (!dimensions || dimensions.length === 0) return undefined;
  const reading = { group, array, dimensions, signal: options.signal, opened };
  const found = (await findHealpix(reading)) ?? (await findTopology(reading)) ?? (await findPoints(reading));
  const axis = found ? dimensions.indexOf(found.dimension) : -1;
  return found && found.grid.count === array.shape[axis] ? { ...found, axis } : undefined;
}

type Found = Omit<Cells, "axis">;

/** Opens an array of the group; undefined if there is none, or the name is not one. */
async function openNamed(name: unknown, { group, signal, opened }: Reading): Promise<ZarrArray | undefined> {
  if (typeof name !== "string" || !isSegment(name)) return undefined;
  const opening = opened.get(name) ?? ifFound(group.open(name, { kind: "array", signal }));
  opened.set(name, opening);
  try {
    return await opening;
  } catch (error) {
    if (isZarrError(error, "InvalidMetadata")) return undefined;
    throw error;
  }
}

/** Reads coordinates or identifiers. One that equals the fill value is valid: it may be 0. */
const numbers = (array: ZarrArray, reading: Reading): Promise<Float64Array> =>
  readDegrees(array, array, reading, { most: maxPoints, fillValueIsMissing: false });

/**
 * Reads corners or their nodes. Cells with fewer corners than others have missing ones.
 * @param of the coordinate whose units bounds have unless they state their own (CF 1.11, section 7.1).
 */
const corners = (array: ZarrArray, reading: Reading, of = array): Promise<Float64Array> =>
  readDegrees(array, of, reading, { most: maxCorners });

interface NumberOptions {
  readonly most: number;
  readonly fillValueIsMissing?: boolean;
}

/** Reads numbers, and converts radians to degrees. */
async function readDegrees(
  array: ZarrArray,
  of: ZarrArray,
  { signal }: Reading,
  { most, fillValueIsMissing }: NumberOptions,
): Promise<Float64Array> {
  const count = countOf(array.shape);
  if (count > most)
    throw limitExceeded(`"/${array.path}" has ${count} elements, more than the limit of ${most} for grids`);
  const region = await get(array, null, { signal });
  const { data } = decodeCF(array, region, { times: "counts", fillValueIsMissing });
  const [own, other] = [array, of].map(({ attributes }) => ownProperty(attributes, "units"));
  const out = Float64Array.from(data as ArrayLike<number>, Number);
  if (/^rad/i.test(asString(own ?? other) ?? "")) for (let i = 0; i < out.length; i++) out[i]! /= radians;
  return out;
}

// ---- HEALPix

interface HealpixFacts {
  readonly nside: number;
  readonly scheme: HealpixScheme;
  readonly flattening: number;
  /** Names of the dimension and of the identifiers, if stated. */
  readonly dimension?: unknown;
  readonly coordinate?: unknown;
}

/** Names of mappings and identifiers in use where no attribute names them. */
const mappingNames = ["crs", "healpix"];
const idNames = ["cell_ids", "cell", "healpix_index"];

/** Whether usual names are worth a request each: a dimension has as many cells as a sphere, or such a name. */
const mayBeHealpix = ({ array, dimensions }: Reading): boolean =>
  dimensions.some(
    (name, axis) =>
      /^(cells?|cell_ids|values|\w*(healpix|pix)\w*)$/i.test(name) || isSphere(array.shape[axis]!),
  );

const isSphere = (count: number): boolean => Number.isInteger(Math.log2(count / 12) / 2);

async function findHealpix(reading: Reading): Promise<Found | undefined> {
  const { array, group, dimensions } = reading;
  const stated = [array, group].map(({ attributes }) => dggsFacts(attributes)).find((facts) => facts);
  const facts = stated ?? (await mappedFacts(reading)) ?? (await facetsOfIds(reading));
  if (!facts) return undefined;
  const { nside, scheme, flattening } = facts;
  const all = 12 * nside * nside;
  const ids = await findIds(facts, reading);
  const dimension =
    dimensions.find((name) => name === facts.dimension) ??
    (ids && dimensionsOf(ids)?.[0]) ??
    dimensions.findLast((_, axis) => array.shape[axis] === all);
  if (dimension === undefined) return undefined;
  const count = array.shape[dimensions.indexOf(dimension)]!;
  if (count > 2 ** 31) return undefined;
  const isWhole = count === all && (!ids || (await areInOrder(ids, reading)));
  if (!isWhole && !ids) return undefined;
  const list = isWhole ? undefined : cellIds(await numbers(ids!, reading));
  return { dimension, grid: healpixGrid({ nside, scheme, ids: list, flattening }) };
}

/** The convention `dggs` of zarr-conventions. */
function dggsFacts(attributes: unknown): HealpixFacts | undefined {
  const dggs = ownProperty(attributes, "dggs");
  if (ownProperty(dggs, "name") !== "healpix") return undefined;
  const compression = ownProperty(dggs, "compression") ?? "none";
  if (compression !== "none") return undefined;
  const facts = healpixFacts(dggs, ownProperty(dggs, "ellipsoid"));
  return (
    facts && {
      ...facts,
      dimension: ownProperty(dggs, "spatial_dimension"),
      coordinate: ownProperty(dggs, "coordinate"),
    }
  );
}

/** Grid mappings: CF, and `healpix_nside` with `healpix_order` as written before CF had them. */
async function mappedFacts(reading: Reading): Promise<HealpixFacts | undefined> {
  const named = gridMappingName(reading.array.attributes);
  for (const name of named !== undefined ? [named] : mayBeHealpix(reading) ? mappingNames : []) {
    const mapping = await openNamed(name, reading);
    if (!mapping || ownProperty(mapping.attributes, "grid_mapping_name") !== "healpix") continue;
    return healpixFacts(mapping.attributes, mapping.attributes);
  }
  return undefined;
}

/** Attributes of the identifiers, as xdggs has them. */
async function facetsOfIds(reading: Reading): Promise<HealpixFacts | undefined> {
  const ids = mayBeHealpix(reading) ? await openNamed("cell_ids", reading) : undefined;
  if (!ids || ownProperty(ids.attributes, "grid_name") !== "healpix") return undefined;
  const facts = healpixFacts(ids.attributes, undefined);
  return facts && { ...facts, coordinate: "cell_ids" };
}

function healpixFacts(attributes: unknown, figure: unknown): HealpixFacts | undefined {
  const level = finiteNumber(
    ownProperty(attributes, "refinement_level") ?? ownProperty(attributes, "level") ?? undefined,
  );
  const nside =
    level === undefined
      ? finiteNumber(ownProperty(attributes, "healpix_nside") ?? ownProperty(attributes, "nside"))
      : 2 ** level;
  const order =
    asString(ownProperty(attributes, "indexing_scheme") ?? ownProperty(attributes, "healpix_order")) ??
    "nested";
  const scheme = /^nest/i.test(order) ? "nested" : /^ring$/i.test(order) ? "ring" : undefined;
  const isNside = nside !== undefined && Number.isInteger(Math.log2(nside)) && nside >= 1;
  if (!isNside || nside > 2 ** maxHealpixLevel || !scheme) return undefined;
  return { nside, scheme, flattening: flatteningOf(figure) };
}

/** Known ellipsoids by name, and their inverse flattening. */
const ellipsoids: Readonly<Record<string, number>> = { WGS84: 298.257223563, GRS80: 298.257222101 };

function flatteningOf(figure: unknown): number {
  if (!isRecord(figure)) return 0;
  const inverse = finiteNumber(ownProperty(figure, "inverse_flattening"));
  if (inverse !== undefined) return inverse > 0 ? 1 / inverse : 0;
  const [major, minor] = ["major", "minor"].map((side) =>
    finiteNumber(ownProperty(figure, `semi_${side}_axis`) ?? ownProperty(figure, `semi${side}_axis`)),
  );
  if (major !== undefined && minor !== undefined && major > 0) return 1 - minor / major;
  const name =
    asString(ownProperty(figure, "name"))
      ?.toUpperCase()
      .replaceAll(/[\s_-]/g, "") ?? "";
  return Object.hasOwn(ellipsoids, name) ? 1 / ellipsoids[name]! : 0;
}

/** The identifiers of cells, along one dimension of the array. */
async function findIds({ coordinate }: HealpixFacts, reading: Reading): Promise<ZarrArray | undefined> {
  const { array, dimensions } = reading;
  const listed = namesIn(ownProperty(array.attributes, "coordinates"));
  const isNamed = typeof coordinate === "string";
  for (const name of isNamed ? [coordinate] : new Set([...listed.slice(0, 16), ...idNames])) {
    const ids = await openNamed(name, reading);
    if (!ids || ids.shape.length !== 1 || !/^u?int/.test(ids.dtype.core)) continue;
    const isIndex =
      isNamed || idNames.includes(name) || ownProperty(ids.attributes, "standard_name") === "healpix_index";
    const axis = dimensions.indexOf(dimensionsOf(ids)?.[0] ?? "");
    if (isIndex && axis >= 0 && array.shape[axis] === ids.shape[0]) return ids;
  }
  return undefined;
}

/** Whether identifiers of all cells are 0, 1, 2, …: judged by three of them, since they may be very many. */
async function areInOrder(ids: ZarrArray, { signal }: Reading): Promise<boolean> {
  const count = ids.shape[0]!;
  const places = [...new Set([0, count >> 1, count - 1])];
  const read = await Promise.all(places.map((at) => get(ids, [slice(at, at + 1)], { signal })));
  return read.every(({ data }, i) => Number(data[0]) === places[i]);
}

// ---- Meshes

/** UGRID: the attribute `mesh` names a variable with the corners of faces. Spec: UGRID 1.0. */
async function findTopology(reading: Reading): Promise<Found | undefined> {
  const { array, dimensions, signal } = reading;
  const { attributes } = array;
  if ((ownProperty(attributes, "location") ?? "face") !== "face") return undefined;
  const topology = await openNamed(ownProperty(attributes, "mesh"), reading);
  const words = (name: string) => namesIn(ownProperty(topology?.attributes, name));
  const [connectivity, ...nodes] = await Promise.all(
    [...words("face_node_connectivity").slice(0, 1), ...words("node_coordinates").slice(0, 2)].map((name) =>
      openNamed(name, reading),
    ),
  );
  const longitude = nodes.find((node) => node && isAngle(node, "longitude"));
  const latitude = nodes.find((node) => node && isAngle(node, "latitude"));
  if (connectivity?.shape.length !== 2 || !longitude || !latitude) return undefined;
  const own = dimensionsOf(connectivity) ?? [];
  const dimension = own.find((name) => dimensions.includes(name));
  if (dimension === undefined) return undefined;
  const isTurned = own[0] !== dimension;
  const [count, corners] = isTurned ? [...connectivity.shape].reverse() : connectivity.shape;
  const [longitudes, latitudes, faces] = await Promise.all([
    numbers(longitude, reading),
    numbers(latitude, reading),
    readFaces(connectivity, reading),
  ]);
  const stored = isTurned ? transposed(faces, count!, corners!) : faces;
  const grid = await meshGrid(
    { count: count!, corners: corners!, longitudes, latitudes, nodes: stored },
    signal,
  );
  return grid && { dimension, grid };
}

/** Nodes of faces from 0; −1 for none. */
async function readFaces(connectivity: ZarrArray, reading: Reading): Promise<Int32Array> {
  const first = finiteNumber(ownProperty(connectivity.attributes, "start_index")) ?? 0;
  const nodes = await corners(connectivity, reading);
  return Int32Array.from(nodes, (node) => (node >= first && node - first < 2 ** 31 ? node - first : -1));
}

function transposed(values: Int32Array, count: number, corners: number): Int32Array {
  return values.map((_, at) => values[(at % corners) * count + Math.floor(at / corners)]!);
}

function isAngle(array: ZarrArray, role: "longitude" | "latitude"): boolean {
  const name = array.path.split("/").at(-1) ?? "";
  return measures(array, role) || new RegExp(`^[a-z]?(${role.slice(0, 3)}|${role})$`, "i").test(name);
}

/** Coordinates of points in use where no attribute names them. */
const pointNames = ["longitude", "latitude", "lon", "lat", "clon", "clat"];

/** Longitudes and latitudes along one dimension: polygons if they have bounds, else rows of a reduced grid. */
async function findPoints(reading: Reading): Promise<Found | undefined> {
  const { group, array, dimensions, signal } = reading;
  const listed = await coordinatesOf(group, array, { signal });
  const isStated = ["longitude", "latitude"].every((role) =>
    listed.some(
      (one) => one.array.shape.length === 1 && isAngle(one.array, role as "longitude" | "latitude"),
    ),
  );
  const names = isStated ? [] : pointNames;
  const named = await Promise.all(names.map((name) => openNamed(name, reading)));
  const beside = named.flatMap((one): Pick<Coordinate, "array" | "dimensions">[] =>
    one ? [{ array: one, dimensions: dimensionsOf(one) ?? [] }] : [],
  );
  const along = [...listed, ...beside].filter(
    (one) => one.array.shape.length === 1 && dimensions.includes(one.dimensions[0] ?? ""),
  );
  const longitude = along.find((one) => isAngle(one.array, "longitude"));
  const latitude = along.find((one) => isAngle(one.array, "latitude"));
  const dimension = longitude?.dimensions[0];
  if (!longitude || !latitude || dimension === undefined || latitude.dimensions[0] !== dimension)
    return undefined;
  const grid =
    (await boundedCells(longitude.array, latitude.array, reading)) ??
    (await reducedRows(longitude.array, latitude.array, reading));
  return grid && { dimension, grid };
}

/** Corners of cells: CF bounds, or ICON's `clon_vertices` and `clat_vertices`. */
async function boundedCells(
  longitude: ZarrArray,
  latitude: ZarrArray,
  reading: Reading,
): Promise<CellGrid | undefined> {
  const [lon, lat] = await Promise.all(
    [longitude, latitude].map(async (one) => {
      const name = one.path.split("/").at(-1);
      const names = [ownProperty(one.attributes, "bounds"), `${name}_vertices`, `${name}_bnds`];
      for (const bounds of names) {
        const found = await openNamed(bounds, reading);
        const isFitting = found?.shape.length === 2 && found.shape[0] === one.shape[0] && found.shape[1]! > 2;
        if (isFitting) return found;
      }
      return undefined;
    }),
  );
  if (!lon || !lat || lon.shape[1] !== lat.shape[1]) return undefined;
  const [longitudes, latitudes] = await Promise.all([
    corners(lon, reading, longitude),
    corners(lat, reading, latitude),
  ]);
  return meshGrid({ count: lon.shape[0]!, corners: lon.shape[1]!, longitudes, latitudes }, reading.signal);
}

/** Numbers of points from which rows are looked for. */
const leastPoints = 16;

async function reducedRows(
  longitude: ZarrArray,
  latitude: ZarrArray,
  reading: Reading,
): Promise<CellGrid | undefined> {
  const count = latitude.shape[0]!;
  if (count < leastPoints || count !== longitude.shape[0] || count > maxPoints) return undefined;
  const { data } = await get(latitude, [slice(0, 2)], { signal: reading.signal });
  if (data[0] !== data[1]) return undefined; // stations and tracks
  const [longitudes, latitudes] = await Promise.all([
    numbers(longitude, reading),
    numbers(latitude, reading),
  ]);
  return gaussianGrid(longitudes, latitudes);
}
