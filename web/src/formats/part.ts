/** Lazy part: ZIP archives, Icechunk repositories, kerchunk references. */
export { ZipStore } from "../store/zip/store.js";
export { findOther, findReferences, openRepository } from "./detect.js";
