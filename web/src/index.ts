/**
 * zarr-wasm: read Zarr arrays and groups in browsers and in Node, Deno and Bun.
 * @packageDocumentation
 */

export type { CodecMetadata } from "./chain/chain.js";
export {
  type AffineTransform,
  type Bounds,
  type CoordinateSystem,
  type GeoLevel,
  type Georeference,
  type GeoreferenceOptions,
  type GeoTile,
  georeference,
  type ReadTileOptions,
  readTile,
  type TileOptions,
  type TileValues,
  tileAt,
  tileParts,
} from "./conventions/geo/georeference.js";
export type { OmeAxis, OmeCoordinateSystem } from "./conventions/ome/axes.js";
export {
  type CoordinateGraph,
  type CoordinateMapping,
  type CoordinateReference,
  type CoordinateSpace,
  type CoordinateTransformation,
  coordinateGraph,
  type MappingOptions,
} from "./conventions/ome/coordinate-graph.js";
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
export {
  type DownsamplingMethod,
  type ImageData,
  type MultiscaleOptions,
  type MultiscaleProgress,
  type NewAxis,
  type OmeVersion,
  writeMultiscale,
} from "./conventions/ome/write-multiscale.js";
export { type Label, type LabelSelection, type SelOptions, sel } from "./conventions/sel/sel.js";
export { readSparse, type SparseMatrix, type SparseOptions } from "./conventions/sparse/sparse.js";
export {
  type CFArray,
  type CFInput,
  type CFOptions,
  type CFRegion,
  decodeCF,
} from "./conventions/xarray/cf.js";
export { type Coordinate, coordinatesOf, dimensionsOf } from "./conventions/xarray/xarray.js";
export { DType, type Field, type TimeUnit } from "./dtypes/dtype.js";
export { type ElementData, type ElementRegion, field, strings, type ValueRegion } from "./dtypes/elements.js";
export type { Elements, ElementsByType, ReadAs } from "./dtypes/elements-by-type.js";
export type { FillScalar } from "./dtypes/fill-source.js";
export { type NumpyDescr, numpyDescr } from "./dtypes/numpy.js";
export { packStrings } from "./dtypes/pack-strings.js";
export { readScalar, type Scalar } from "./dtypes/read-scalar.js";
export {
  type ChunkKeyOption,
  type CodecInput,
  type CreateLikeOptions,
  type CreateOptions,
  consolidate,
  create,
  createGroup,
  deleteNode,
  type GroupCreateOptions,
  type NewAttributes,
  type ResizeOptions,
  resize,
  type Target,
  type UpdateAttributesOptions,
  type UpdateOptions,
  updateAttributes,
} from "./edit/create.js";
export {
  append,
  type SetValues,
  set,
  setChunk,
  type WriteChunkOptions,
  type WriteRegionOptions,
} from "./edit/set.js";
export { configureWasm, type ModuleName, type WasmSource } from "./engine/module.js";
export { type ChunkOptions, type Region, ZarrArray } from "./hierarchy/array.js";
export { type BytesRegion, get, getBytes, type ReadIntoOptions, type ReadOptions } from "./hierarchy/get.js";
export { type Member, type OpenedNode, ZarrGroup } from "./hierarchy/group.js";
export { type OpenOptions, open, type Source } from "./hierarchy/open.js";
export type { Attributes } from "./metadata/spec.js";
export type { Priority } from "./plan/priority.js";
export { type DimensionSelection, type Selection, type Slice, slice } from "./plan/selection.js";
export type { Progress } from "./read/assemble.js";
export { ZipStore, type ZipStoreOptions } from "./store/archive.js";
export { ByteCache, type ByteCacheLike } from "./store/byte-cache.js";
export type { DirectoryHandle, FileHandle, WritableFile } from "./store/directory/handles.js";
export { DirectoryHandleStore } from "./store/directory/store.js";
export { HttpStore, type HttpStoreOptions } from "./store/http/store.js";
export { WritableHttpStore, type WritableHttpStoreOptions } from "./store/http/writable-store.js";
export { listChildren } from "./store/list-children.js";
export { MapStore } from "./store/map.js";
export { readRange } from "./store/ranges.js";
export { ReferenceStore, type ReferenceStoreOptions } from "./store/referenced.js";
export type { ByteSource, StoredObject } from "./store/source.js";
export type {
  GetOptions,
  ObjectVersion,
  RangeQuery,
  SetOptions,
  Store,
  WriteOptions,
} from "./store/store.js";
export {
  type IcechunkCommit,
  type IcechunkOptions,
  type IcechunkRef,
  IcechunkStore,
  type IcechunkVersion,
  type VirtualBase,
} from "./store/versioned.js";
export type { ZipSink } from "./store/zip/sink.js";
export { ZipWriter, type ZipWriterOptions } from "./store/zip/writer.js";
export {
  type ErrorDetails,
  type ErrorTag,
  isZarrError,
  type OnWarning,
  ZarrError,
  type ZarrWarning,
} from "./util/errors.js";
export { defaultLimits, type Limits } from "./util/limits.js";
export { WorkerPool, type WorkerPoolOptions } from "./workers/pool.js";
export type { PoolStatus } from "./workers/status.js";
