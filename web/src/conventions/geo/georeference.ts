/**
 * Where arrays lie on a map: reference system, transformation and resolution levels, as GeoZarr's conventions, GDAL,
 * rioxarray and CF say them. What reads them is loaded when it is first called.
 *
 * Spec: zarr-conventions `spatial:`, `proj:`, `multiscales`; CF conventions 1.11, section 5.6 "Grid mappings"; GDAL Zarr
 * driver, attribute `_CRS`; OGC Two Dimensional Tile Matrix Set 2.0, annex D.
 */

import type { ZarrArray } from "../../hierarchy/array.js";
import type { ReadOptions } from "../../hierarchy/get.js";
import type { ZarrGroup } from "../../hierarchy/group.js";
import type { Slice } from "../../plan/selection.js";
import { lazy } from "../../util/lazy.js";
import { type CFOptions, decodeCF } from "../xarray/cf.js";
import { dimensionsOf } from "../xarray/xarray.js";

/** Given to the part that is loaded: what it would import itself would be loaded from the start (see util/lazy.ts). */
const conventions = { decodeCF, dimensionsOf };

export type GeoConventions = typeof conventions;

const maps = lazy("maps", () => import("../../lazy/maps.js"));

/** A coordinate reference system, in the forms that the metadata has. */
export interface CoordinateSystem {
  /** Such as "EPSG:32633". */
  readonly code: string | undefined;
  readonly wkt: string | undefined;
  readonly projjson: { readonly [name: string]: unknown } | undefined;
}

/**
 * [a, b, c, d, e, f]: the corner of the element in column i and row j that is nearest to the first element lies at
 * x = a·i + b·j + c, y = d·i + e·j + f. The order is that of `spatial:transform` and rasterio, not of GDAL.
 */
export type AffineTransform = readonly [number, number, number, number, number, number];

/** xmin, ymin, xmax, ymax, with the whole of the outermost elements. */
export type Bounds = readonly [number, number, number, number];

/** One resolution. */
export interface GeoLevel {
  /** Path of the array, or of the group of its arrays, from the node; "" for the node itself. */
  readonly path: string;
  /** Rows and columns. */
  readonly shape: readonly [number, number];
  readonly transform: AffineTransform;
  /** Size of an element along x and y, in units of the reference system. */
  readonly resolution: readonly [number, number];
  /**
   * Opens an array of this level, once: later calls give the same one.
   * @param variable its name, where the level is a group. Default: the variable of the reference.
   * @throws as `open` does.
   */
  open(variable?: string, options?: { signal?: AbortSignal | undefined }): Promise<ZarrArray>;
}

export interface Georeference {
  /** undefined where nothing is said of it. */
  readonly crs: CoordinateSystem | undefined;
  /** Names of the dimensions of rows and of columns. */
  readonly dimensions: readonly [string, string];
  readonly transform: AffineTransform;
  readonly bounds: Bounds;
  /** The finest first. */
  readonly levels: readonly [GeoLevel, ...GeoLevel[]];
}

export interface GeoreferenceOptions {
  /** Of a group, the name of the array that it is about. Default: the first one that lies on a map. */
  variable?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The part of a level that a map tile shows. */
export interface GeoTile {
  readonly level: GeoLevel;
  /** For `get`: the rows and columns that the tile touches. */
  readonly selection: { readonly [dimension: string]: Slice };
  /** Rows and columns of that part. */
  readonly shape: readonly [number, number];
  /** Where that part lies, in the reference system of the data. */
  readonly transform: AffineTransform;
  readonly bounds: Bounds;
  /** Where the tile lies, in the reference system of its grid. */
  readonly tileBounds: Bounds;
}

export interface TileOptions {
  /**
   * "WebMercatorQuad" (default): the tiles of most web maps, EPSG:3857. "WorldCRS84Quad": degrees, two tiles side by side
   * at zoom 0.
   */
  grid?: "WebMercatorQuad" | "WorldCRS84Quad" | undefined;
  /** Pixels of a tile's side, which choose the level. Default 256. */
  tileSize?: number | undefined;
}

export interface ReadTileOptions
  extends TileOptions,
    ReadOptions,
    Pick<CFOptions, "fillValueIsMissing" | "validRange"> {
  /** Where levels are groups, the name of the array in them. Default: the variable of the reference. */
  variable?: string | undefined;
  /**
   * Most chunks that the tile may need, inner chunks of shards included: more is LimitExceeded ("tile-chunks") before any
   * is read. Default: 4096.
   */
  maxChunks?: number | undefined;
  /** Indices along dimensions that are no rows or columns, such as `{ time: 3 }`; `sel` gives them. Default: 0. */
  selection?: { readonly [dimension: string]: number } | undefined;
}

/** The values of a map tile, as its grid has it: north is up, and all pixels are of one size. */
export interface TileValues {
  /** Row by row from the north-west; NaN is a missing value, and where there is no data. */
  readonly data: Float32Array<ArrayBuffer>;
  /** Rows and columns: `tileSize` of both. */
  readonly shape: readonly [number, number];
  /** Where the tile lies, in the reference system of its grid. */
  readonly bounds: Bounds;
  /** The level that was read. */
  readonly level: GeoLevel;
  readonly units: string | undefined;
}

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
  return (await maps()).readGeoreference(node, options, conventions);
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
 *   there are; Unsupported for elements that are no real numbers; LimitExceeded for a tile of more than `maxChunks` chunks.
 */
export async function readTile(
  reference: Georeference,
  tile: readonly [z: number, x: number, y: number],
  options: ReadTileOptions = {},
): Promise<TileValues | undefined> {
  return (await maps()).readValues(reference, tile, options, conventions);
}
