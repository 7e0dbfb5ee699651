/**
 * Formats beside Zarr: files such as TIFF, HDF5 and NetCDF, Icechunk repositories, kerchunk references, Parquet tables,
 * descriptions for .npy files. `open` finds the first three by itself.
 * @packageDocumentation
 */

export { type NumpyDescr, numpyDescr } from "./dtypes/numpy.js";
export { type ArrayFileOptions, ArrayFileStore } from "./formats/array-file/store.js";
export type { IcechunkCommit, IcechunkRef, IcechunkVersion } from "./formats/icechunk/repository.js";
export { type IcechunkOptions, IcechunkStore } from "./formats/icechunk/store.js";
export type { VirtualBase } from "./formats/icechunk/virtual.js";
export { ReferenceStore, type ReferenceStoreOptions } from "./formats/kerchunk/store.js";
export {
  type ParquetColumn,
  type ParquetOptions,
  type ParquetTable,
  readParquet,
} from "./formats/parquet/table.js";
export type {
  FileReferences,
  KerchunkDocument,
  KerchunkReference,
  ReferencesOptions,
} from "./transfer/references/part.js";
export { makeReferences } from "./transfer/references/references.js";
