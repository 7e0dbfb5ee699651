/** What the zarrita drop-in needs for an application's own codecs and its own `getChunk`. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";
import "../compat/zarrita/indexing.js";
import "../compat/zarrita/open.js";

export { getChunkwise } from "../compat/zarrita/chunkwise.js";
export { OwnCodecStore, ownEnd } from "../compat/zarrita/own-codecs.js";
