/** Creating nodes and changing their metadata. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { append } from "../edit/append.js";
export { consolidate } from "../edit/consolidate.js";
export { createArray, createGroup } from "../edit/create-node.js";
export { resize } from "../edit/resize.js";
export { set, setChunk } from "../edit/set-region.js";
export { deleteNode, updateAttributes } from "../edit/update-node.js";
