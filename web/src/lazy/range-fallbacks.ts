/** Parts of objects on servers that do not serve them as asked. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { RangeFallbacks } from "../store/http/range-fallbacks.js";
