/**
 * zarr-wasm: reads and writes Zarr arrays and groups in browsers and in Node, Deno and Bun.
 * @packageDocumentation
 */

export type { CodecMetadata } from "./chain/chain.js";
export { DType, type Field } from "./dtypes/dtype.js";
export type { ElementData, Elements, ReadAs } from "./dtypes/elements.js";
export type { FillScalar } from "./dtypes/fill-value.js";
export type {
  DTypeInput,
  DTypeName,
  DTypeQuery,
} from "./dtypes/names.js";
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
  CodecInput,
  CreateGroupOptions,
  CreateOptions,
  ResizeOptions,
  SetOptions,
  SetValues,
  Target,
} from "./edit/options.js";
export { configureWasm, type WasmSource } from "./engine/engine.js";
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
export type { Progress } from "./read/assemble.js";
export { ByteCache, type ByteCacheLike } from "./store/cache.js";
export type { DirectoryHandle } from "./store/directory/handles.js";
export { DirectoryHandleStore } from "./store/directory/store.js";
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
} from "./store/store.js";
export { ZipStore, type ZipStoreOptions } from "./store/zip/store.js";
export type { ZipSink } from "./store/zip/writer.js";
export { ZipWriter, type ZipWriterOptions } from "./store/zip/writer.js";
export {
  type ErrorCode,
  type ErrorTag,
  isZarrError,
  ZarrError,
  type ZarrWarning,
} from "./util/errors.js";
export { defaultLimits, type Limits } from "./util/limits.js";
export { WorkerPool, type WorkerPoolOptions } from "./workers/pool.js";
