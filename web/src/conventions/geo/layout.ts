/** Reads lists of resolution levels in the supported conventions. */

import { normalizePath } from "../../store/path.js";
import { isRecord, ownProperty, type Properties } from "../../util/arguments.js";
import { isZarrError } from "../../util/errors.js";
import { bad, crsIn, shapeIn, systemOf, transformIn } from "./attributes.js";
import type { AffineTransform, CoordinateSystem } from "./types.js";

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
    : (ownProperty(multiscales, "layout") ?? matricesOf(multiscales));
  const list = Array.isArray(entries) ? entries : isRecord(entries) ? withPaths(entries) : undefined;
  if (!list || list.length === 0) return undefined;
  if (list.length > maxLevels)
    throw bad(`"multiscales" lists ${list.length} levels; at most ${maxLevels} are read`);
  return list.map(levelOf);
}

/** In the drafts, layouts are objects keyed by path. */
const withPaths = (entries: Properties): unknown[] =>
  Object.entries(entries).map(([path, entry]) => ({ ...(isRecord(entry) ? entry : {}), path }));

function matricesOf(multiscales: unknown): unknown {
  const matrices = ownProperty(ownProperty(multiscales, "tile_matrix_set"), "tileMatrices");
  return Array.isArray(matrices)
    ? matrices.map((matrix) => ({ path: ownProperty(matrix, "id") }))
    : undefined;
}

function levelOf(entry: unknown): ListedLevel {
  const path = [ownProperty(entry, "asset"), ownProperty(entry, "path"), ownProperty(entry, "group")].find(
    (value) => typeof value === "string",
  );
  const crs = ownProperty(entry, "crs");
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

/** Returns the reference system of a whole pyramid, if the list of levels states one. */
export function crsOfLevels(attributes: unknown): CoordinateSystem | undefined {
  const set = ownProperty(ownProperty(attributes, "multiscales"), "tile_matrix_set");
  const named = [ownProperty(set, "crs"), ownProperty(set, "supportedCRS")].find(
    (value) => typeof value === "string",
  );
  return typeof named === "string" ? systemOf(named) : undefined;
}
