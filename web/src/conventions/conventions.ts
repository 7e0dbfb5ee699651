/** Conventions: functions whose code is loaded at the first call. */

import type { Target } from "../edit/options.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import type { Selection } from "../plan/selection.js";
import { lazy } from "../util/lazy.js";
import type { Cells } from "./cells/grid.js";
import type {
  Georeference,
  GeoreferenceOptions,
  GeoTile,
  ReadTileOptions,
  TileOptions,
  TileValues,
} from "./geo/types.js";
import type { CoordinateGraph } from "./ome/coordinates.js";
import type { ImageData, MultiscaleOptions } from "./ome/pyramid/options.js";
import type { LabelSelection, SelOptions } from "./sel/labels.js";
import type { SparseMatrix, SparseOptions } from "./sparse/read.js";

const part = lazy("conventions", () => import("./part.js"));

/**
 * Reads the georeferencing of an array, or of the arrays of a group.
 *
 * For pyramids (`multiscales` of zarr-conventions, of the GeoZarr drafts and of ndpyramid), all levels are
 * described; a level whose layout states shape and transformation is not read. Without `spatial:transform` or
 * GDAL's `GeoTransform`, the ends of the coordinate arrays are read.
 *
 * @throws NotFound if no metadata locates the data; InvalidMetadata for attributes that do not follow the
 *   conventions; Unsupported for coordinates that are not evenly spaced; the errors of `open` and `get`.
 */
export async function georeference(
  node: ZarrArray | ZarrGroup,
  options: GeoreferenceOptions = {},
): Promise<Georeference> {
  return (await part()).readGeoreference(node, options);
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
  return (await part()).findTile(reference, tile, options);
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
  return (await part()).findParts(reference, tile, options);
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
  return (await part()).readValues(reference, tile, options);
}

/**
 * Finds the cells on the globe that share one dimension of an array: HEALPix (the convention `dggs`, or a grid mapping),
 * unstructured grids (UGRID, or bounds as in ICON's files), and reduced Gaussian grids. Reads the coordinates and the
 * corners of all cells.
 *
 * @param group the group that contains the array.
 * @returns undefined for other arrays.
 * @throws LimitExceeded for more than 2²⁵ coordinates, or 2²⁴ corners; the errors of `open`, `get` and `decodeCF`.
 */
export async function cellsOf(
  group: ZarrGroup,
  array: ZarrArray,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<Cells | undefined> {
  return (await part()).readCells(group, array, options);
}

/**
 * Converts labels to a selection for `get`.
 *
 * Labels are looked up by the names of dimensions, or of other one-dimensional coordinates as stored by
 * xarray, in arrays next to the given array or in the given group. In OME-Zarr images, they are looked up by
 * names or types of axes, in the axes' units, and channels by their `omero` labels. Coordinates are read as a
 * whole. Longitudes match on axes from 0 to 360 as well as from −180 to 180. For float32 coordinates, labels are
 * rounded to float32.
 *
 * @param node an array, or the group of arrays with common dimensions.
 * @returns entries by dimension name for a group; one entry per dimension for an array and for an OME-Zarr
 *   image.
 * @throws InvalidSelection for a missing label (no-such-label), a dimension without coordinates (no-coordinates),
 *   an unknown name, labels of the wrong kind, and unsorted coordinates if the method requires sorted ones;
 *   InvalidArgument for invalid options; LimitExceeded for more than 2²⁶ coordinates; the errors of `open`, `get` and
 *   `decodeCF`.
 */
export async function sel(
  node: ZarrArray | ZarrGroup,
  wanted: Readonly<Record<string, LabelSelection>>,
  options: SelOptions = {},
): Promise<NonNullable<Selection>> {
  return (await part()).select(node, wanted, options);
}

/**
 * Reads a sparse matrix, or some of its rows and columns.
 *
 * In CSR, selecting rows is cheap: only their elements are read. To select columns, all elements of the
 * selected rows are read and most are discarded. In CSC, it is the other way round. The result has the stored
 * format.
 *
 * @param group with `indptr`, `indices` and `data`: `X`, a layer, or an entry of `obsp` of an AnnData store.
 * @throws NotFound for a group that is not a sparse matrix; InvalidMetadata for inconsistent arrays and indices
 *   outside the matrix; LimitExceeded before the elements are read; InvalidSelection; the errors of `open` and `get`.
 */
export async function readSparse(group: ZarrGroup, options: SparseOptions = {}): Promise<SparseMatrix> {
  return (await part()).readSparse(group, options);
}

/**
 * Reads the coordinate systems and transformations of an OME-Zarr 0.6 image or scene. If a group has several
 * images, the first one is used. Opens the groups of the images that transformations refer to.
 *
 * @throws NotFound for a group that is neither, and for missing images; InvalidMetadata for transformations without a
 *   type, between unknown coordinate systems, or from a system to itself; Unsupported for versions before 0.6, which
 *   do not name coordinate systems, and after it; LimitExceeded; the errors of `open`.
 */
export async function coordinateGraph(
  group: ZarrGroup,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<CoordinateGraph> {
  return (await part()).readGraph(group, options);
}

/**
 * Writes an OME-Zarr image: an array and successively smaller versions of it. An array that already lies
 * below the group stays in place as the finest level; any other array is copied. Each level is computed from
 * the one before in blocks of whole chunks or shards, so memory holds only a few of these and some 100 MiB,
 * however large the array is.
 *
 * @returns the image's group, for `multiscales`.
 * @throws InvalidArgument, Unsupported, AlreadyExists, ReadOnly, … as `create` does, before anything is
 *   written; then the errors of `get` and `set`: chunks written so far are complete, and the group is not an
 *   image until all of them are written.
 */
export async function writeMultiscale(
  target: Target,
  array: ZarrArray | ImageData,
  options: MultiscaleOptions = {},
): Promise<ZarrGroup> {
  return (await part()).writeMultiscale(target, array, options);
}
