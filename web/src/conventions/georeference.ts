/**
 * Georeferencing of arrays: reference system, transformation and resolution levels, from the metadata of
 * GeoZarr, GDAL, rioxarray and CF. The implementation is loaded on first use.
 *
 * Spec: zarr-conventions `spatial:`, `proj:`, `multiscales`; CF conventions 1.11, section 5.6 "Grid
 * mappings"; GDAL Zarr driver, attribute `_CRS`; OGC Two Dimensional Tile Matrix Set 2.0, annex D.
 */
import type { ZarrArray } from "../hierarchy/array.js";

import type { ZarrGroup } from "../hierarchy/group.js";

import { lazy } from "../util/lazy.js";

import type {
  Georeference,
  GeoreferenceOptions,
  GeoTile,
  ReadTileOptions,
  TileOptions,
  TileValues,
} from "./geo/types.js";

const maps = lazy("conventions", () => import("./part.js"));

/**
 * Reads the georeferencing of an array, or of the arrays of a group.
 *
 * For pyramids (`multiscales` of zarr-conventions, of the GeoZarr drafts and of ndpyramid), all levels are
 * described; a level whose layout states shape and transformation is not read. Without `spatial:transform` or
 * GDAL's `GeoTransform`, the ends of the coordinate arrays are read.
 *
 * @throws NotFound (not-georeferenced) if no metadata locates the data; InvalidMetadata (bad-georeference)
 *   for attributes that do not follow the conventions; Unsupported (irregular-coordinates) for coordinates
 *   that are not evenly spaced; the errors of `open` and `get`.
 */
export async function georeference(
  node: ZarrArray | ZarrGroup,
  options: GeoreferenceOptions = {},
): Promise<Georeference> {
  return (await maps()).readGeoreference(node, options);
}

/**
 * Returns the part of the data that a map tile shows, from the coarsest level that is at least as fine as the
 * tile. Reads nothing. Data in Web Mercator and in degrees is found for tiles of either grid; it is not
 * reprojected.
 *
 * @returns undefined if the tile does not touch the data.
 * @throws Unsupported (crs) for data in another reference system; InvalidArgument for a tile outside the
 *   grid.
 */
export async function tileAt(
  reference: Georeference,
  tile: readonly [z: number, x: number, y: number],
  options: TileOptions = {},
): Promise<GeoTile | undefined> {
  return (await maps()).findTile(reference, tile, options);
}

/**
 * Returns all parts of the data that a map tile shows, all of one level. The first one is the widest and the
 * result of `tileAt`. There are two if the tile shows both ends of the data, with longitudes from 0 to 360 or
 * across the 180° meridian.
 *
 * @throws the errors of `tileAt`.
 */
export async function tileParts(
  reference: Georeference,
  tile: readonly [z: number, x: number, y: number],
  options: TileOptions = {},
): Promise<GeoTile[]> {
  return (await maps()).findParts(reference, tile, options);
}

/**
 * Reads the values of a map tile. The parts of the data that it shows (`tileParts`) are decoded as by
 * `decodeCF` (times stay counts), and each pixel gets the element that contains its centre. Data in degrees
 * is thus returned as tiles in Web Mercator, and vice versa.
 *
 * @param options also those of `get`: pass a `pool` to decode in workers, and a `signal` to abort tiles that
 *   are no longer visible.
 * @returns a new buffer, owned by the caller, or undefined if the tile does not touch the data.
 * @throws the errors of `tileAt`, `open`, `get` and `decodeCF`; InvalidSelection for a selection along
 *   unknown dimensions; Unsupported for elements that are not real numbers.
 */
export async function readTile(
  reference: Georeference,
  tile: readonly [z: number, x: number, y: number],
  options: ReadTileOptions = {},
): Promise<TileValues | undefined> {
  return (await maps()).readValues(reference, tile, options);
}
