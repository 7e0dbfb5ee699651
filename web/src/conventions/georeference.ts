/**
 * Where arrays lie on a map: reference system, transformation and resolution levels, as GeoZarr's GDAL,
 * rioxarray and CF say them. What reads them is loaded when it is first called.
 *
 * Spec: zarr-conventions `spatial:`, `proj:`, `multiscales`; CF conventions 1.11, section 5.6 "Grid mappings"; GDAL Zarr
 * driver, attribute `_CRS`; OGC Two Dimensional Tile Matrix Set 2.0, annex D.
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
 * Reads where an array, or the arrays of a group, lie on a map.
 *
 * Of pyramids (`multiscales` of zarr-conventions, of GeoZarr's drafts and of ndpyramid) all levels are described; nothing is
 * read for those whose layout says shape and transformation. Without `spatial:transform` or GDAL's `GeoTransform` the ends of
 * the coordinate arrays are read.
 *
 * @throws NotFound (not-georeferenced) where nothing says where the data lies; InvalidMetadata (bad-georeference) for
 *   attributes that are not what the conventions say; Unsupported (irregular-coordinates) for coordinates that are not evenly
 *   spaced; what `open` and `get` throw.
 */
export async function georeference(
  node: ZarrArray | ZarrGroup,
  options: GeoreferenceOptions = {},
): Promise<Georeference> {
  return (await maps()).readGeoreference(node, options);
}

/**
 * The part of the data that a map tile shows, of the coarsest level that is at least as fine as the tile. Nothing is read.
 * Data in web mercator and in degrees is found for tiles of both; it is not reprojected.
 *
 * @returns undefined where the tile does not touch the data.
 * @throws Unsupported (crs) for data in another reference system, InvalidArgument for a tile that the grid does not have.
 */
export async function tileAt(
  reference: Georeference,
  tile: readonly [z: number, x: number, y: number],
  options: TileOptions = {},
): Promise<GeoTile | undefined> {
  return (await maps()).findTile(reference, tile, options);
}

/**
 * All parts of the data that a map tile shows, the widest first, which is what `tileAt` gives. There are two of them where
 * the tile shows both ends of the data: where longitudes go from 0 to 360, or across 180 degrees. They are of one level.
 *
 * @throws as `tileAt` does.
 */
export async function tileParts(
  reference: Georeference,
  tile: readonly [z: number, x: number, y: number],
  options: TileOptions = {},
): Promise<GeoTile[]> {
  return (await maps()).findParts(reference, tile, options);
}

/**
 * Reads the values of a map tile: the parts of the data that it shows (`tileParts`), decoded as `decodeCF` does (times stay
 * counts), and for each pixel the element in which its centre lies. Data in degrees so comes as tiles in web mercator, and
 * the other way round.
 *
 * @param options those of `get`, too: give a `pool` to decode in workers, and a `signal` to abort tiles that went out of view.
 * @returns a new buffer that is the caller's, or undefined where the tile does not touch the data.
 * @throws what `tileAt`, `open`, `get` and `decodeCF` throw; InvalidSelection for a selection of other dimensions than
 *   there are; Unsupported for elements that are no real numbers.
 */
export async function readTile(
  reference: Georeference,
  tile: readonly [z: number, x: number, y: number],
  options: ReadTileOptions = {},
): Promise<TileValues | undefined> {
  return (await maps()).readValues(reference, tile, options);
}
