/**
 * Drop-in replacement for npm `zarrita` as used by applications, on this library's `open` and `get`.
 * docs/drop-ins.md lists the differences.
 * @packageDocumentation
 */

export { type CodecRegistry, registerCodecs } from "./compat/zarrita/codecs.js";
export { BoolArray, ByteStringArray, UnicodeStringArray } from "./compat/zarrita/elements.js";
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
export {
  type GetChunkOptions,
  Location,
  root,
  setPool,
  ZarritaArray as Array,
  ZarritaGroup as Group,
} from "./compat/zarrita/nodes.js";
export { create, type OpenOptions, open } from "./compat/zarrita/open.js";
export {
  type ChunkQueue,
  type GetOptions,
  get,
  getPrepared as _zarrita_internal_get,
  type SetOptions,
  select,
  set,
  setPrepared as _zarrita_internal_set,
  slice,
  sliceIndices as _zarrita_internal_sliceIndices,
  stridesIn as _zarrita_internal_getStrides,
} from "./compat/zarrita/regions.js";
export { registry } from "./compat/zarrita/registry.js";
export {
  type ByteCache,
  type CacheKeyFor,
  type ConsolidatedFormat,
  type ConsolidatedMetadataOptions,
  type Listable,
  type RangeCoalescingOptions,
  withByteCaching,
  withConsolidatedMetadata,
  withConsolidatedMetadata as withConsolidated,
  withMaybeConsolidatedMetadata,
  withMaybeConsolidatedMetadata as tryWithConsolidated,
  withRangeCoalescing,
} from "./compat/zarrita/store-extensions.js";
export type * from "./compat/zarrita/types.js";
export { configureWasm, type WasmSource } from "./engine/engine.js";
export type { ReferenceStore } from "./formats/kerchunk/store.js";
export { FileSystemStore } from "./store/file/store.js";
export type { ZipStore as ZipFileStore } from "./store/zip/store.js";
export { isZarrError, ZarrError } from "./util/errors.js";
export { WorkerPool, type WorkerPoolOptions } from "./workers/pool.js";
