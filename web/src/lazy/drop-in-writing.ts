/** What the zarrita drop-in writes with. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";
import "../zarrita/indexing.js";
import "../zarrita/open.js";

export { createNode } from "../zarrita/create-node.js";
export { setPreparedRegion, setRegion } from "../zarrita/set-region.js";
