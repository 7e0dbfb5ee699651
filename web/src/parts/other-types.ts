/** Data types and fill values of all kinds. */
// What is there anyway (see parts.ts).
import "../codecs.js";
import "../get.js";
import "../open.js";

export { parseFill } from "../dtypes/fill.js";
export { parseDataType } from "../dtypes/v3.js";
