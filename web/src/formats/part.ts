/** Lazy part: ZIP archives, Icechunk repositories, kerchunk references, Parquet files, URL pipelines. */
export { ZipStore } from "../store/zip/store.js";
export { readTable } from "./parquet/table.js";
export { findOther, findReferences, openPipeline, openRepository } from "./pipeline.js";
