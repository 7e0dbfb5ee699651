/** Creating nodes and changing their metadata. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { arrayLike } from "../hierarchy/writing/array-options.js";
export { consolidate } from "../hierarchy/writing/consolidate.js";
export { createArray, createFrom, createGroup } from "../hierarchy/writing/create.js";
export { metadataAt } from "../hierarchy/writing/place.js";
export { deleteNode, resize, updateAttributes } from "../hierarchy/writing/update.js";
export { convertMetadata } from "../metadata/convert.js";
