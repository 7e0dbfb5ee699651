/** Codecs for elements of variable length, and their chunks. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { VlenChunkCodec } from "../chain/vlen-chunk.js";
export { objectCodecs } from "../codecs/vlen-codecs.js";
