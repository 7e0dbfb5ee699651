/** All codecs, and the errors for unknown ones. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { VlenChunkCodec } from "../chain/vlen-chunk.js";
export { codecNames, findCodec } from "../codecs/registry.js";
export { unknownError } from "../codecs/unknown.js";
