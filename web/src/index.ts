/**
 * zarr-wasm: reads and writes Zarr arrays and groups in browsers and in Node, Deno and Bun.
 * @packageDocumentation
 */

export type { CodecMetadata } from "./chain/chain.js";
export {
  coordinateGraph,
  georeference,
  readParquet,
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
export { DType, type Field, type TimeUnit } from "./dtypes/dtype.js";
export type { ElementData, Elements, ElementsByType, ElementsLike, ReadAs } from "./dtypes/elements.js";
export type { FillScalar } from "./dtypes/fill-value.js";
export type {
  DTypeFields,
  DTypeInput,
  DTypeMatching,
  DTypeName,
  DTypeNamed,
  DTypeObject,
  DTypeQuery,
  DTypeString,
  NumpyTypestr,
} from "./dtypes/names.js";
export { type NumpyDescr, numpyDescr } from "./dtypes/numpy.js";
export { type ElementRegion, field, strings, type ValueRegion } from "./dtypes/regions.js";
export { readScalar, type Scalar } from "./dtypes/scalar.js";
export { packStrings } from "./dtypes/strings.js";
export {
  append,
  consolidate,
  create,
  createGroup,
  deleteNode,
  resize,
  set,
  setChunk,
  updateAttributes,
} from "./edit/edit.js";
export type {
  ChunkKeyOption,
  CodecInput,
  CreateGroupOptions,
  CreateLikeOptions,
  CreateOptions,
  ManyValues,
  NewAttributes,
  ResizeOptions,
  SetChunkOptions,
  SetOptions,
  SetValues,
  Target,
  UpdateAttributesOptions,
  UpdateOptions,
} from "./edit/options.js";
export { configureWasm, type ModuleName, type WasmSource } from "./engine/engine.js";
export type { IcechunkCommit, IcechunkRef } from "./formats/icechunk/repo.js";
export type { IcechunkVersion } from "./formats/icechunk/repository.js";
export { type IcechunkOptions, IcechunkStore } from "./formats/icechunk/store.js";
export type { VirtualBase } from "./formats/icechunk/virtual.js";
export { ReferenceStore, type ReferenceStoreOptions } from "./formats/kerchunk/store.js";
export type { ParquetColumn, ParquetOptions, ParquetTable } from "./formats/parquet/table.js";
export {
  type ArrayChunk,
  type ChunksOptions,
  type GetChunkOptions,
  type Region,
  ZarrArray,
} from "./hierarchy/array.js";
export {
  type BytesRegion,
  type GetBytesOptions,
  type GetOptions,
  get,
  getBytes,
  getChunk,
} from "./hierarchy/get.js";
export { type Member, type OpenedNode, ZarrGroup } from "./hierarchy/group.js";
export type { Source } from "./hierarchy/open.js";
export { open } from "./hierarchy/open.js";
export type { OpenOptions } from "./hierarchy/open-options.js";
export type { Attributes } from "./metadata/document.js";
export { type DimensionSelection, type Selection, type Slice, slice } from "./plan/selection.js";
export type { Priority } from "./plan/slabs.js";
export type { Progress } from "./read/assemble.js";
export { ByteCache, type ByteCacheLike } from "./store/cache.js";
export type { DirectoryHandle, FileHandle, WritableFile } from "./store/directory/handles.js";
export { DirectoryHandleStore } from "./store/directory/store.js";
export type { PersistentCache } from "./store/http/persistent-cache.js";
export { HttpStore, type HttpStoreOptions } from "./store/http/store.js";
export { WritableHttpStore, type WritableHttpStoreOptions } from "./store/http/writable-store.js";
export { listChildren } from "./store/listing.js";
export { MapStore } from "./store/map.js";
export { readRange } from "./store/read.js";
export type { ByteSource, StoredObject } from "./store/source/byte-reader.js";
export type {
  ObjectVersion,
  RangeQuery,
  Store,
  StoreGetOptions,
  StoreSetOptions,
  StoreWriteOptions,
} from "./store/store.js";
export { ZipStore, type ZipStoreOptions } from "./store/zip/store.js";
export type { ZipSink } from "./store/zip/writer.js";
export { ZipWriter, type ZipWriterOptions } from "./store/zip/writer.js";
export {
  type ErrorCode,
  type ErrorDetails,
  type ErrorTag,
  isZarrError,
  type OnWarning,
  ZarrError,
  type ZarrErrorWith,
  type ZarrWarning,
} from "./util/errors.js";
export { defaultLimits, type Limits } from "./util/limits.js";
export type { PoolStatus } from "./workers/messages.js";
export { WorkerPool, type WorkerPoolOptions } from "./workers/pool.js";
