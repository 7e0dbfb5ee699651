/** What the zarrita drop-in needs for an application's own codecs and its own `getChunk`. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";
import "../zarrita/indexing.js";
import "../zarrita/open.js";

export { getChunkwise } from "../zarrita/chunkwise.js";
export { OwnCodecStore, ownEnd } from "../zarrita/own-codecs.js";
