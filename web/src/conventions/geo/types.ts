/** Types of georeferenced arrays and their tiles. */
import type { ZarrArray } from "../../hierarchy/array.js";
import type { GetBytesOptions } from "../../hierarchy/get.js";

import type { Slice } from "../../plan/selection.js";

import type { Cells } from "../cells/grid.js";
import type { CFOptions } from "../xarray/cf.js";

/** A coordinate reference system, in the forms found in the metadata. */
export interface CoordinateSystem {
  /** For example "EPSG:32633". */
  readonly code: string | undefined;
  readonly wkt: string | undefined;
  readonly projjson: { readonly [name: string]: unknown } | undefined;
}

/**
 * [a, b, c, d, e, f]: the corner nearest to the first element of the element in column i and row j lies at x
 * = a·i + b·j + c, y = d·i + e·j + f. This is the order of `spatial:transform` and rasterio, not of GDAL.
 */
export type AffineTransform = readonly [number, number, number, number, number, number];

/** xmin, ymin, xmax, ymax, including the outermost elements entirely. */
export type Bounds = readonly [number, number, number, number];

/** One resolution level. */
export interface GeoLevel {
  /** Path of the array, or of the group of its arrays, relative to the node; "" for the node itself. */
  readonly path: string;
  /** Numbers of rows and columns. */
  readonly shape: readonly [number, number];
  readonly transform: AffineTransform;
  /** Size of an element along x and y, in units of the reference system. */
  readonly resolution: readonly [number, number];
  /**
   * Opens an array of this level. Later calls return the same array.
   * @param variable name of the array if the level is a group. Default: the variable of the reference.
   * @throws the errors of `open`.
   */
  open(variable?: string, options?: { signal?: AbortSignal | undefined }): Promise<ZarrArray>;
}

export interface Georeference {
  /** Undefined if the metadata does not state it. */
  readonly crs: CoordinateSystem | undefined;
  /** Names of the row and column dimensions. */
  readonly dimensions: readonly [string, string];
  readonly transform: AffineTransform;
  readonly bounds: Bounds;
  /** Resolution levels, finest first. */
  readonly levels: readonly [GeoLevel, ...GeoLevel[]];
  /**
   * The cells of an array that have one dimension, instead of rows and columns: both `dimensions` are their dimension,
   * and `transform` has the size of a mean cell. Only `readTile` accepts them.
   */
  readonly cells?: Cells | undefined;
}

export interface GeoreferenceOptions {
  /** Name of the array to use in a group. Default: the first georeferenced one. */
  variable?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The part of a level that a map tile shows. */
export interface GeoTile {
  readonly level: GeoLevel;
  /** Rows and columns that the tile touches, for `get`. */
  readonly selection: { readonly [dimension: string]: Slice };
  /** Numbers of rows and columns of that part. */
  readonly shape: readonly [number, number];
  /** Transformation of that part, in the reference system of the data. */
  readonly transform: AffineTransform;
  readonly bounds: Bounds;
  /** Bounds of the tile, in the reference system of its grid. */
  readonly tileBounds: Bounds;
}

export interface TileOptions {
  /**
   * "WebMercatorQuad" (default): the tiles of most web maps, EPSG:3857. "WorldCRS84Quad": degrees, two tiles
   * side by side at zoom 0.
   */
  grid?: "WebMercatorQuad" | "WorldCRS84Quad" | undefined;
  /** Width and height of a tile in pixels, which determine the level. Default: 256. */
  tileSize?: number | undefined;
}

export interface ReadTileOptions
  extends TileOptions,
    GetBytesOptions,
    Pick<CFOptions, "fillValueIsMissing" | "validRange"> {
  /** Name of the array if levels are groups. Default: the variable of the reference. */
  variable?: string | undefined;
  /**
   * Maximum number of chunks that the tile may need, including inner chunks of shards; more are rejected with
   * LimitExceeded before any is read. Default: 4096.
   */
  maxChunks?: number | undefined;
  /**
   * Indices along dimensions other than rows and columns, such as `{ time: 3 }`, for example from `sel`.
   * Default: 0.
   */
  selection?: { readonly [dimension: string]: number } | undefined;
}

/** Values of a map tile on the tile's own grid: north is up, and all pixels have the same size. */
export interface TileValues {
  /** Values in rows from the north-west; NaN for missing values and outside the data. */
  readonly data: Float32Array<ArrayBuffer>;
  /** Numbers of rows and columns, both `tileSize`. */
  readonly shape: readonly [number, number];
  /** Bounds of the tile, in the reference system of its grid. */
  readonly bounds: Bounds;
  /** The level that was read. */
  readonly level: GeoLevel;
  readonly units: string | undefined;
}
