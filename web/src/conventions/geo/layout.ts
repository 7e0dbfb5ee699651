/** Resolution levels as attributes list them, in whichever convention. */

import { normalizePath } from "../../store/path.js";
import { isZarrError } from "../../util/errors.js";
import { isRecord, own, type Properties } from "../../util/own-property.js";
import { bad, crsIn, shapeIn, systemOf, transformIn } from "./attributes.js";
import type { AffineTransform, CoordinateSystem } from "./types.js";

/** What a layout says of one level. */
export interface ListedLevel {
  /** Of an array, or of a group of arrays. */
  readonly path: string;
  readonly shape: readonly [number, number] | undefined;
  readonly transform: AffineTransform | undefined;
  readonly crs: CoordinateSystem | undefined;
}

/** Most levels that are looked at. */
const maxLevels = 64;

/**
 * The levels that a group's `multiscales` lists: `layout` of zarr-conventions, `tile_matrix_set` of GeoZarr's drafts, `datasets`
 * of ndpyramid. undefined where there are none of these.
 */
export function listedLevels(attributes: unknown): readonly ListedLevel[] | undefined {
  const multiscales = own(attributes, "multiscales");
  const entries = Array.isArray(multiscales)
    ? own(multiscales[0], "datasets")
    : (own(multiscales, "layout") ?? matricesOf(multiscales));
  const list = Array.isArray(entries) ? entries : isRecord(entries) ? withPaths(entries) : undefined;
  if (!list || list.length === 0) return undefined;
  if (list.length > maxLevels)
    throw bad(`"multiscales" lists ${list.length} levels; at most ${maxLevels} are read`);
  return list.map(levelOf);
}

/** Layouts of the drafts are objects with the paths as names. */
const withPaths = (entries: Properties): unknown[] =>
  Object.entries(entries).map(([path, entry]) => ({ ...(isRecord(entry) ? entry : {}), path }));

function matricesOf(multiscales: unknown): unknown {
  const matrices = own(own(multiscales, "tile_matrix_set"), "tileMatrices");
  return Array.isArray(matrices) ? matrices.map((matrix) => ({ path: own(matrix, "id") })) : undefined;
}

function levelOf(entry: unknown): ListedLevel {
  const path = [own(entry, "asset"), own(entry, "path"), own(entry, "group")].find(
    (value) => typeof value === "string",
  );
  const crs = own(entry, "crs");
  return {
    path: checkedPath(path),
    shape: shapeIn(entry),
    transform: transformIn(entry),
    crs: crsIn(entry) ?? (typeof crs === "string" ? systemOf(crs) : undefined),
  };
}

function checkedPath(path: unknown): string {
  try {
    const normal = typeof path === "string" ? normalizePath(path) : "";
    if (normal !== "") return normal;
  } catch (error) {
    if (!isZarrError(error)) throw error;
  }
  throw bad('each level of "multiscales" must have the path of an array or a group below it');
}

/** The system that a whole pyramid is in, where its levels' list says so. */
export function crsOfLevels(attributes: unknown): CoordinateSystem | undefined {
  const set = own(own(attributes, "multiscales"), "tile_matrix_set");
  const named = [own(set, "crs"), own(set, "supportedCRS")].find((value) => typeof value === "string");
  return typeof named === "string" ? systemOf(named) : undefined;
}
