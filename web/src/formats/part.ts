/** Lazy part: ZIP archives, Icechunk repositories, kerchunk references, URL pipelines. */
export { ZipStore } from "../store/zip/store.js";
export { findOther, findReferences, openRepository } from "./detect.js";
export { openPipeline } from "./pipeline.js";
