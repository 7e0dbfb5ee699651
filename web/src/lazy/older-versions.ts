/** Metadata of Zarr v1 and v2. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { kindsOfV2 } from "../metadata/consolidated-v2.js";
export { parseV1 } from "../metadata/v1.js";
export { parseV2Array, parseV2Consolidated } from "../metadata/v2.js";
