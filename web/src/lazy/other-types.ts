/** Data types and fill values of all kinds. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { parseFill } from "../dtypes/fill.js";
export { parseDataType } from "../dtypes/v3.js";
