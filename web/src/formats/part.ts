/** Lazy part: ZIP archives, Icechunk repositories, kerchunk references, URL pipelines. */
export { ZipStore } from "../store/zip/store.js";
export { findOther, findReferences, openPipeline, openRepository } from "./pipeline.js";
