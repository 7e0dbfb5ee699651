/** Lazy part: creating nodes, changing their metadata, writing elements. */

export { updateAttributes } from "./attributes.js";
export { consolidate } from "./consolidated-metadata.js";
export { createArray, createGroup } from "./create.js";
export { resize } from "./resize.js";
export { append, set, setChunk } from "./set.js";
export { deleteNode } from "./update-node.js";
