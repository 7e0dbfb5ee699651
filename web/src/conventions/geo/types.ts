/** Types of georeferenced arrays and their tiles. */
import type { ZarrArray } from "../../hierarchy/array.js";
import type { ReadOptions } from "../../hierarchy/get.js";

import type { Slice } from "../../plan/selection.js";

import type { CFOptions } from "../xarray/cf.js";

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
