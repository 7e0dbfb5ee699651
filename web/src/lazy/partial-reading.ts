/** Reading chunks in part. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { partialReader } from "../region/fetch/partial.js";
