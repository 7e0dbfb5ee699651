/** Reading chunks in part. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { partialReader } from "../read/partial.js";
