/** Reads coordinate reference systems, transformations and lists of resolution levels from attributes. */

import { isRecord, ownProperty, type Properties } from "../../util/arguments.js";
import { invalidMetadata } from "../../util/errors.js";
import { pathBelow } from "../shared/attributes.js";
import type { AffineTransform, CoordinateSystem } from "./types.js";

function text(value: unknown, name: string): string | undefined {
  const found = ownProperty(value, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}

export const bad = (what: string) => invalidMetadata(what, { code: "bad-convention" });

/** Converts a number or a numeric string; NaN for anything else. */
function numberIn(value: unknown): number {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
}

/** Returns a list of finite numbers of a given length; undefined if the attribute is missing. */
export function numbersAt(value: unknown, name: string, count: number): number[] | undefined {
  const list = ownProperty(value, name);
  if (list === undefined || list === null) return undefined;
  const numbers = Array.isArray(list) ? list.map(numberIn) : [];
  if (numbers.length !== count || !numbers.every(Number.isFinite))
    throw bad(`attribute "${name}" must be a list of ${count} numbers`);
  return numbers;
}

/** Checks that six coefficients are invertible. */
function checkAffine(numbers: readonly number[], name: string): AffineTransform {
  const [a, b, , d, e] = numbers as unknown as AffineTransform;
  const area = a * e - b * d;
  if (area === 0) throw bad(`attribute "${name}" is not invertible`);
  if (!Number.isFinite(area)) throw bad(`attribute "${name}" exceeds the range of float64`);
  return numbers as unknown as AffineTransform;
}

/**
 * Returns the transformation in attributes or in an entry of a layout: `spatial:transform`, `proj:transform`
 * of the drafts (in the same order), or GDAL's `GeoTransform`.
 */
export function transformIn(attributes: unknown): AffineTransform | undefined {
  for (const name of ["spatial:transform", "proj:transform"]) {
    const type = text(attributes, "spatial:transform_type") ?? "affine";
    // Nine numbers are the full matrix.
    const whole = ownProperty(attributes, name);
    const count = Array.isArray(whole) && whole.length === 9 ? 9 : 6;
    const numbers = type === "affine" ? numbersAt(attributes, name, count)?.slice(0, 6) : undefined;
    if (numbers) return registered(checkAffine(numbers, name), attributes);
  }
  const words = text(attributes, "GeoTransform")
    ?.trim()
    .split(/[\s,]+/)
    .map(Number);
  if (!words) return undefined;
  if (words.length !== 6 || !words.every(Number.isFinite))
    throw bad('attribute "GeoTransform" must have 6 numbers');
  const [c, a, b, f, d, e] = words as [number, number, number, number, number, number];
  return checkAffine([a, b, c, d, e, f], "GeoTransform");
}

/** With node registration, the transformation maps to centres; the corner is half an element before. */
function registered(transform: AffineTransform, attributes: unknown): AffineTransform {
  if (text(attributes, "spatial:registration") !== "node") return transform;
  const [a, b, c, d, e, f] = transform;
  return [a, b, c - (a + b) / 2, d, e, f - (d + e) / 2];
}

/** Returns the numbers of rows and columns, if stated. */
export function shapeIn(attributes: unknown): readonly [number, number] | undefined {
  for (const name of ["spatial:shape", "proj:shape"]) {
    const shape = numbersAt(attributes, name, 2);
    if (shape?.every((length) => Number.isSafeInteger(length) && length > 0))
      return shape as unknown as readonly [number, number];
  }
  return undefined;
}

/** Returns the names of the row and column dimensions, if stated. */
export function dimensionsIn(attributes: unknown): readonly [string, string] | undefined {
  const names = ownProperty(attributes, "spatial:dimensions");
  const isPair = Array.isArray(names) && names.length >= 2 && names.every((name) => typeof name === "string");
  if (!isPair || names.at(-1) === names.at(-2)) return undefined;
  return [names[names.length - 2] as string, names[names.length - 1] as string];
}

const code = (authority: string, number: string | number) => `${authority.toUpperCase()}:${number}`;

/**
 * Returns the reference system in the attributes of an array, a group or a grid mapping; undefined if there
 * is none.
 */
export function crsIn(attributes: unknown): CoordinateSystem | undefined {
  const gdal = ownProperty(attributes, "_CRS");
  const wkt =
    text(attributes, "proj:wkt2") ??
    text(attributes, "crs_wkt") ??
    text(attributes, "spatial_ref") ??
    text(gdal, "wkt");
  const json = [ownProperty(attributes, "proj:projjson"), ownProperty(gdal, "projjson")].find(isRecord);
  const stated = text(attributes, "proj:code") ?? codeOfUrl(text(gdal, "url"));
  const known = stated ?? codeOfWkt(wkt) ?? codeOfJson(json);
  if (known === undefined && wkt === undefined && json === undefined) return undefined;
  return { code: known && normalCode(known), wkt, projjson: json };
}

/** "http://www.opengis.net/def/crs/EPSG/0/32631" and "urn:ogc:def:crs:EPSG::32631". */
function codeOfUrl(url: string | undefined): string | undefined {
  const match = /crs[/:]([A-Za-z_]\w*)[/:][^/:]*[/:](\w+)$/.exec(url ?? "");
  return match ? code(match[1]!, match[2]!) : undefined;
}

/** Parses the identifier at the end of a WKT string, which identifies the whole system. */
function codeOfWkt(wkt: string | undefined): string | undefined {
  const end = wkt?.trimEnd().slice(-120) ?? "";
  const match = /(?:AUTHORITY|ID)\["(\w+)",\s*"?(\w+)"?(?:,[^[\]]*)?\]\s*\]$/.exec(end);
  return match ? code(match[1]!, match[2]!) : undefined;
}

function codeOfJson(json: Properties | undefined): string | undefined {
  const id = ownProperty(json, "id");
  const [authority, number] = [text(id, "authority"), ownProperty(id, "code")];
  return authority && (typeof number === "number" || typeof number === "string")
    ? code(authority, number)
    : undefined;
}

/** Normalises a code: "epsg:4326", a URL, "EPSG:4326". */
export function normalCode(stated: string): string {
  const match = /^(\w+):(\w+)$/.exec(stated);
  return match ? code(match[1]!, match[2]!) : (codeOfUrl(stated) ?? stated);
}

/** Returns a reference system given by its code. */
export const systemFromCode = (stated: string): CoordinateSystem => ({
  code: normalCode(stated),
  wkt: undefined,
  projjson: undefined,
});

/** A level as listed in a layout. */
export interface ListedLevel {
  /** Path of an array, or of a group of arrays. */
  readonly path: string;
  readonly shape: readonly [number, number] | undefined;
  readonly transform: AffineTransform | undefined;
  readonly crs: CoordinateSystem | undefined;
}

/** Maximum number of levels that are read. */
const maxLevels = 64;

/**
 * Returns the levels that a group's `multiscales` lists: `layout` of zarr-conventions, `tile_matrix_set` of
 * the GeoZarr drafts, or `datasets` of ndpyramid. Undefined if it has none of these.
 */
export function listedLevels(attributes: unknown): readonly ListedLevel[] | undefined {
  const multiscales = ownProperty(attributes, "multiscales");
  const entries = Array.isArray(multiscales)
    ? ownProperty(multiscales[0], "datasets")
    : (ownProperty(multiscales, "layout") ?? tileMatrices(multiscales));
  const list = Array.isArray(entries) ? entries : isRecord(entries) ? withPaths(entries) : undefined;
  if (!list || list.length === 0) return undefined;
  if (list.length > maxLevels)
    throw bad(`"multiscales" must list at most ${maxLevels} levels, got ${list.length}`);
  return list.map(readLevel);
}

/** In the drafts, layouts are objects keyed by path. */
const withPaths = (entries: Properties): unknown[] =>
  Object.entries(entries).map(([path, entry]) => ({ ...(isRecord(entry) ? entry : {}), path }));

function tileMatrices(multiscales: unknown): unknown {
  const matrices = ownProperty(ownProperty(multiscales, "tile_matrix_set"), "tileMatrices");
  return Array.isArray(matrices)
    ? matrices.map((matrix) => ({ path: ownProperty(matrix, "id") }))
    : undefined;
}

function readLevel(entry: unknown): ListedLevel {
  const path = [ownProperty(entry, "asset"), ownProperty(entry, "path"), ownProperty(entry, "group")].find(
    (value) => typeof value === "string",
  );
  const crs = ownProperty(entry, "crs");
  return {
    path: checkedPath(path),
    shape: shapeIn(entry),
    transform: transformIn(entry),
    crs: crsIn(entry) ?? (typeof crs === "string" ? systemFromCode(crs) : undefined),
  };
}

function checkedPath(path: unknown): string {
  const normal = pathBelow(path);
  if (normal !== undefined) return normal;
  throw bad('each level of "multiscales" must have the path of an array or a group below it');
}

/** Returns the reference system of a whole pyramid, if the list of levels states one. */
export function pyramidCrs(attributes: unknown): CoordinateSystem | undefined {
  const set = ownProperty(ownProperty(attributes, "multiscales"), "tile_matrix_set");
  const named = [ownProperty(set, "crs"), ownProperty(set, "supportedCRS")].find(
    (value) => typeof value === "string",
  );
  return typeof named === "string" ? systemFromCode(named) : undefined;
}
