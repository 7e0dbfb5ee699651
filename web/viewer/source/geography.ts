/** Reference systems and affine transformations of axes, from attributes. */
import { Once } from "../base/memo.js";
import { own, textAt } from "./attributes.js";
import { linearCoordinates } from "./coordinates.js";
import type { Dataset, DatasetAxis, Geography, GridPositions, PointConverter } from "./dataset.js";
import type { Affine } from "./grid-positions.js";

/** The first transformation that a grid mapping, the array or its group states. */
export const affineOf = (mapping: unknown, array: unknown, group?: unknown): Affine | undefined =>
  gdalTransform(mapping) ?? spatialTransform(array) ?? spatialTransform(group);

/** The axes and geography of an array without a group, if it states a transformation. */
export function placed(
  plain: readonly DatasetAxis[],
  attributes: unknown,
): Partial<Pick<Dataset, "axes" | "geography">> {
  const affine = spatialTransform(attributes);
  if (!affine) return {};
  const axes = plain.map((axis) => affineAxis(axis, affine));
  return { axes, geography: findGeography(axes, attributes) };
}

/** The positions of a grid that its transformation turns. @param stating attributes that may state the system */
export async function affinePositions(
  affine: Affine,
  axes: readonly DatasetAxis[],
  stating: readonly unknown[],
): Promise<GridPositions | undefined> {
  const code = await import("./grid-positions.js");
  return code.affinePositions(affine, axes, findConverter(statedIn(...stating)));
}

/**
 * Coordinates from an affine transformation without rotation: GDAL's GeoTransform, or GeoZarr's
 * spatial:transform.
 */
export function affineAxis(axis: DatasetAxis, affine: Affine | undefined): DatasetAxis {
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
export function findGeography(
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
