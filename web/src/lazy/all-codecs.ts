/** All codecs, and what is said of those that are none. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { codecNames, findCodec } from "../codecs/registry.js";
export { unknownError } from "../codecs/unknown.js";
