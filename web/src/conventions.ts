/**
 * Conventions on top of Zarr: OME-Zarr images, maps, labels, CF, sparse matrices.
 * @packageDocumentation
 */

export type { CellGrid, Cells } from "./conventions/cells/grid.js";
export {
  cellsOf,
  coordinateGraph,
  georeference,
  readSparse,
  readTile,
  sel,
  tileAt,
  tileParts,
  writeMultiscale,
} from "./conventions/conventions.js";
export type {
  AffineTransform,
  Bounds,
  CoordinateSystem,
  GeoLevel,
  Georeference,
  GeoreferenceOptions,
  GeoTile,
  ReadTileOptions,
  TileOptions,
  TileValues,
} from "./conventions/geo/types.js";
export type {
  CoordinateGraph,
  CoordinateMapping,
  CoordinateReference,
  CoordinateSpace,
  CoordinateTransformation,
  MappingOptions,
  OmeAxis,
  OmeCoordinateSystem,
} from "./conventions/ome/coordinates.js";
export {
  channelAxis,
  fieldPaths,
  isMultiscales,
  labelPaths,
  multiscales,
  type OmeChannel,
  type OmeLevel,
  type OmeMultiscale,
  wellPaths,
} from "./conventions/ome/ome.js";
export type {
  DownsamplingMethod,
  ImageData,
  MultiscaleOptions,
  MultiscaleProgress,
  NewAxis,
  OmeVersion,
} from "./conventions/ome/pyramid/options.js";
export type { Label, LabelSelection, SelOptions } from "./conventions/sel/labels.js";
export type { SparseMatrix, SparseOptions } from "./conventions/sparse/read.js";
export {
  type CFArray,
  type CFInput,
  type CFOptions,
  type CFRegion,
  decodeCF,
} from "./conventions/xarray/cf.js";
export { type Coordinate, coordinatesOf, dimensionsOf } from "./conventions/xarray/xarray.js";
