/** Lazy part: metadata of Zarr v1 and v2, and the less common chunk key encodings. */
export { readOtherKeys } from "./chunk-key-encodings.js";
export { parseV1 } from "./v1.js";
export { parseV2Array, parseV2Consolidated } from "./v2.js";
