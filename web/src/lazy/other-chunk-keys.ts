/** Chunk key encodings that few arrays use. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { readOtherKeys } from "../metadata/chunk-key-encodings.js";
