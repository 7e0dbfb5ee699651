/** Reading chunks in part. */
// What is there anyway (see parts.ts).
import "../codecs.js";
import "../get.js";
import "../open.js";

export { partialReader } from "../region/partial.js";
