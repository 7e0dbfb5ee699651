/**
 * Drop-in replacement for npm `zarrita` as used by applications, on this library's `open` and `get`.
 * docs/drop-ins.md lists the differences.
 * @packageDocumentation
 */

export { BoolArray, ByteStringArray, UnicodeStringArray } from "./compat/zarrita/arrays.js";
export type { RegisteredCodec } from "./compat/zarrita/bytes-codecs.js";
export type { ChunkQueue } from "./compat/zarrita/concurrency.js";
export {
  type ConsolidatedFormat,
  type ConsolidatedMetadataOptions,
  type Listable,
  withConsolidatedMetadata,
  withConsolidatedMetadata as withConsolidated,
  withMaybeConsolidatedMetadata,
  withMaybeConsolidatedMetadata as tryWithConsolidated,
} from "./compat/zarrita/consolidated.js";
export {
  CodecPipelineError,
  InvalidMetadataError,
  InvalidSelectionError,
  InvalidSelectionError as IndexError,
  isZarritaError,
  NotFoundError,
  NotFoundError as KeyError,
  NotFoundError as NodeNotFoundError,
  UnknownCodecError,
  UnsupportedError,
} from "./compat/zarrita/errors.js";
export {
  type ArrayExtension,
  defineArrayExtension,
  defineStoreExtension,
  extendArray,
  extendStore,
} from "./compat/zarrita/extensions.js";
export { FetchStore, type FetchStoreOptions, type RequestOptions } from "./compat/zarrita/fetch-store.js";
export { type GetOptions, get, select, slice } from "./compat/zarrita/indexing.js";
export {
  getPrepared as _zarrita_internal_get,
  sliceIndices as _zarrita_internal_slice_indices,
  sliceIndices as _zarrita_internal_sliceIndices,
  stridesIn as _zarrita_internal_get_strides,
  stridesIn as _zarrita_internal_getStrides,
} from "./compat/zarrita/names.js";
export {
  type GetChunkOptions,
  Location,
  root,
  ZarritaArray as Array,
  ZarritaGroup as Group,
} from "./compat/zarrita/nodes.js";
export { type OpenOptions, open } from "./compat/zarrita/open.js";
export type { StoreOptions } from "./compat/zarrita/options.js";
export { setPool } from "./compat/zarrita/pool.js";
export { type CodecRegistry, registerCodecs } from "./compat/zarrita/register.js";
export {
  type OwnCodec,
  type OwnCodecEntry,
  type OwnCodecMetadata,
  registry,
} from "./compat/zarrita/registry.js";
export {
  type ByteCache,
  type CacheKeyFor,
  type RangeCoalescingOptions,
  withByteCaching,
  withRangeCoalescing,
} from "./compat/zarrita/store-extensions.js";
export type * from "./compat/zarrita/types.js";
export {
  type CreateArrayOptions,
  type CreateGroupOptions,
  create,
  type SetOptions,
  set,
  setPrepared as _zarrita_internal_set,
} from "./compat/zarrita/writing.js";
export { configureWasm, type WasmSource } from "./engine/module.js";
export type { ReferenceStore } from "./formats/kerchunk/store.js";
export { FileSystemStore } from "./store/file/store.js";
export type { ZipStore as ZipFileStore } from "./store/zip/store.js";
export { isZarrError, ZarrError } from "./util/errors.js";
export { WorkerPool, type WorkerPoolOptions } from "./workers/pool.js";
