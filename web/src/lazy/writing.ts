/** Creating nodes and changing their metadata. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { append } from "../hierarchy/writing/append.js";
export { consolidate } from "../hierarchy/writing/consolidate.js";
export { createArray, createGroup } from "../hierarchy/writing/create.js";
export { set, setChunk } from "../hierarchy/writing/set.js";
export { resize } from "../hierarchy/writing/shape.js";
export { deleteNode, updateAttributes } from "../hierarchy/writing/update.js";
