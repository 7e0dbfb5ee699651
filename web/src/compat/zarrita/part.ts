/** Lazy part of the zarrita drop-in: writing, applications' own codecs, and codecs as classes. */
export { getChunkwise } from "./chunkwise.js";
export { createNode } from "./create-node.js";
export { OwnCodecStore, ownEnd } from "./own-codecs.js";
export { entryOf } from "./registered-codecs.js";
export { setPreparedRegion, setRegion } from "./set-region.js";
