/** Single arrays as datasets: alone, or with coordinates from the same group (xarray, CF, GeoZarr). */
import { isZarrError, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { type Coordinate, coordinatesOf, dimensionsOf } from "zarr-wasm/conventions";
import { Once } from "../base/memo.js";
import { text } from "../language/text.js";
import { own, textAt, wordsAt } from "./attributes.js";
import { linearCoordinates, plainAxis } from "./coordinates.js";
import type { Dataset, DatasetAxis, Geography, GridPositions, Level, PointConverter } from "./dataset.js";
import type { Decoding } from "./decoding.js";
import type { Affine } from "./grid-positions.js";
import { ifReadable } from "./nodes.js";

/** A single array, with names, values and position from its own metadata. */
export async function arrayDataset(array: ZarrArray, title: string): Promise<Dataset> {
  const names = dimensionsOf(array) ?? array.dimensionNames;
  const affine = spatialTransform(array.attributes);
  const axes = array.shape.map((length, axis) =>
    affineAxis(plainAxis(names?.[axis] ?? undefined, length), affine),
  );
  return {
    title,
    axes,
    dtype: array.dtype,
    array,
    levels: [openLevel(array)],
    ...(affine ? { geography: findGeography(axes, array.attributes) } : {}),
    ...(await meaningOf(array)),
  };
}

/** Attributes of CF that change values, or are checked with them. */
const codings = [
  ...["scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "dtype", "calendar"],
  ...["valid_range", "valid_min", "valid_max", "_ARRAY_DIMENSIONS"],
];

/** Quantity, unit and decoding of the values. The code that decodes is loaded with the first that need it. */
async function meaningOf(array: ZarrArray): Promise<Decoding> {
  const { attributes } = array;
  const units = textAt(attributes, "units");
  const isPlain =
    codings.every((name) => own(attributes, name) === undefined) && !/\bsince\b/i.test(units ?? "");
  const meaning = {
    label: textAt(attributes, "long_name") ?? textAt(attributes, "standard_name")?.replaceAll("_", " "),
    unit: units === "1" || units === "" ? undefined : units,
    // CF 1.11, 2.5.1: it is of decoded values.
    actualRange: /^(u?int|b?float)\d/.test(array.dtype.core)
      ? limitsOf(own(attributes, "actual_range"))
      : undefined,
  };
  if (isPlain) return meaning;
  const { findDecoding } = await import("./decoding.js");
  return { ...meaning, ...findDecoding(array) };
}

/** Two finite numbers in ascending order. */
function limitsOf(value: unknown): readonly [low: number, high: number] | undefined {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isFinite)) return undefined;
  const [low, high] = value as [number, number];
  return low < high ? [low, high] : undefined;
}

/** A level whose array is already open. */
function openLevel(array: ZarrArray): Level {
  const { shape } = array;
  return { factor: shape.map(() => 1), origin: shape.map(() => 0), array, open: async () => array };
}

/** A variable: an array with the coordinates of its group. */
export async function variableDataset(
  array: ZarrArray,
  group: ZarrGroup,
  title: string,
  signal?: AbortSignal,
): Promise<Dataset> {
  const plain = await arrayDataset(array, title);
  const problems = [...(plain.problems ?? [])];
  let found: Coordinate[] = [];
  try {
    found = await coordinatesOf(group, array, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (!isZarrError(error)) throw error;
    problems.push(text.sources.coordinates(error.message));
  }
  const mapping = await findGridMapping(group, array, signal);
  const attributes = mapping?.attributes ?? array.attributes;
  const affine =
    gdalTransform(mapping?.attributes) ??
    spatialTransform(array.attributes) ??
    spatialTransform(group.attributes);
  const axes = await Promise.all(
    plain.axes.map(async (axis): Promise<DatasetAxis> => {
      const index = found.find(({ isIndex, name }) => isIndex && name === axis.name);
      if (!index || index.array.shape[0] !== axis.length) return affineAxis(axis, affine);
      try {
        const { axisFrom } = await import("./stored-coordinates.js");
        const made = await axisFrom(axis.name, axis.length, index.array);
        if (made.coordinates?.problem !== undefined) problems.push(made.coordinates.problem);
        return made;
      } catch (error) {
        signal?.throwIfAborted();
        if (!isZarrError(error)) throw error;
        problems.push(text.sources.coordinatesOf(axis.name ?? "", error.message));
        return axis;
      }
    }),
  );
  const dataset = {
    ...plain,
    axes,
    problems,
    positions:
      (await findPositions(found, axes)) ??
      (affine?.isRotated
        ? (await import("./grid-positions.js")).affinePositions(
            affine,
            axes,
            findConverter(statedIn(attributes, group.attributes)),
          )
        : undefined),
    geography: findGeography(axes, attributes, group.attributes),
  };
  if (!mayHaveCells(dataset, group, mapping)) return dataset;
  return (await import("./cells.js")).cellDataset(dataset, group, signal);
}

/** Names of dimensions of cells in use. */
const cellNames = /cell|healpix|values|rgrid|face|points?$/i;

/** Whether one dimension may have cells: without coordinates for a plane, and with a hint. */
function mayHaveCells({ axes, array }: Dataset, group: ZarrGroup, mapping: ZarrArray | undefined): boolean {
  const roles = new Set(axes.map(({ role }) => role));
  if ((roles.has("latitude") || roles.has("y")) && (roles.has("longitude") || roles.has("x"))) return false;
  const hints = ["dggs", "mesh"].some((name) =>
    [array, group].some(({ attributes }) => own(attributes, name) !== undefined),
  );
  const isHealpix = textAt(mapping?.attributes, "grid_mapping_name") === "healpix";
  return hints || isHealpix || axes.some(({ name }) => cellNames.test(name ?? ""));
}

/** Two-dimensional longitudes and latitudes among the coordinates of a variable. */
async function findPositions(
  found: readonly Coordinate[],
  axes: readonly DatasetAxis[],
): Promise<GridPositions | undefined> {
  const grids = found.filter(({ array }) => array.shape.length === 2);
  if (grids.length < 2) return undefined;
  const { gridPositions } = await import("./grid-positions.js");
  return gridPositions(
    grids.map(({ array }) => array),
    axes,
  );
}

/**
 * The variable that describes the map projection: the one named by the array (CF 1.11, section 5.6), or the
 * usual one.
 */
async function findGridMapping(
  group: ZarrGroup,
  array: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<ZarrArray | undefined> {
  const [named] = wordsAt(array.attributes, "grid_mapping").map((word) => word.replace(/:$/, ""));
  if (named === undefined) return undefined;
  return ifReadable(group.open(named, { kind: "array", signal }), signal);
}

/**
 * Coordinates from an affine transformation without rotation: GDAL's GeoTransform, or GeoZarr's
 * spatial:transform.
 */
function affineAxis(axis: DatasetAxis, affine: Affine | undefined): DatasetAxis {
  const { role } = axis;
  const isX = role === "x" || role === "longitude";
  const isY = role === "y" || role === "latitude";
  if ((!isX && !isY) || !affine || affine.isRotated) return axis;
  const [edge, scale] = isX ? affine.x : affine.y;
  if (!Number.isFinite(edge) || !Number.isFinite(scale) || scale === 0) return axis;
  const translation = edge + scale / 2;
  return {
    ...axis,
    scale,
    translation,
    coordinates: linearCoordinates(translation, scale),
    goesUp: isY && scale > 0,
  };
}

/** "x0 dx rx y0 ry dy", as GDAL and rioxarray write it. */
function gdalTransform(attributes: unknown): Affine | undefined {
  const numbers = (textAt(attributes, "GeoTransform") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return undefined;
  const [x0, dx, rx, y0, ry, dy] = numbers as [number, number, number, number, number, number];
  return { x: [x0, dx], y: [y0, dy], shear: [rx, ry], isRotated: rx !== 0 || ry !== 0 };
}

/** Six numbers of the matrix, row by row. */
function spatialTransform(attributes: unknown): Affine | undefined {
  const list = own(attributes, "spatial:transform");
  const isMatrix = Array.isArray(list) && (list.length === 6 || list.length === 9);
  if (!isMatrix || !list.slice(0, 6).every((value) => typeof value === "number")) return undefined;
  const [dx, rx, x0, ry, dy, y0] = list as [number, number, number, number, number, number];
  return { x: [x0, dx], y: [y0, dy], shear: [rx, ry], isRotated: rx !== 0 || ry !== 0 };
}

/** @param outer attributes of the group, where GeoZarr may state the reference system */
function findGeography(
  axes: readonly DatasetAxis[],
  attributes: unknown,
  outer?: unknown,
): Geography | undefined {
  const find = (role: string) => axes.findIndex((axis) => axis.role === role && axis.coordinates);
  const stated = statedIn(attributes, outer);
  const crs = textAt(stated, "proj:code") ?? textAt(stated, "crs") ?? nameOfWkt(stated);
  const [vertical, horizontal] = [find("latitude"), find("longitude")];
  if (vertical >= 0 && horizontal >= 0) return { kind: "degrees", vertical, horizontal, crs };
  const [y, x] = [find("y"), find("x")];
  if (y < 0 || x < 0) return undefined;
  return { kind: "projected", vertical: y, horizontal: x, crs, converter: findConverter(stated) };
}

/** The first attributes that state a reference system. */
const statedIn = (...all: readonly unknown[]): unknown =>
  all.find((one) => crsNames.some((name) => own(one, name) !== undefined));

const findConverter = (stated: unknown): Once<PointConverter> | undefined =>
  stated === undefined ? undefined : new Once(async () => (await import("./crs.js")).converterOf(stated));

/** Attributes that state a reference system. */
const crsNames = [
  ...["proj:code", "proj:wkt2", "proj:projjson", "crs", "crs_wkt", "spatial_ref"],
  "grid_mapping_name",
];

/** The name of a reference system in well-known text: its first string. */
function nameOfWkt(attributes: unknown): string | undefined {
  const text = textAt(attributes, "crs_wkt") ?? textAt(attributes, "spatial_ref") ?? "";
  return /^\s*[A-Z_]+\["([^"]{1,100})"/.exec(text)?.[1];
}
