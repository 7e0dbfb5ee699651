/** What the zarrita drop-in writes with. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";
import "../compat/zarrita/indexing.js";
import "../compat/zarrita/open.js";

export { createNode } from "../compat/zarrita/create-node.js";
export { setPreparedRegion, setRegion } from "../compat/zarrita/set-region.js";
