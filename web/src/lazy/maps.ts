/** Data on maps. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { readGeoreference } from "../conventions/geo/read.js";
export { findParts, findTile } from "../conventions/geo/tile.js";
export { readValues } from "../conventions/geo/values.js";
