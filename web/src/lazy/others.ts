/** Finding what a store holds that shows no Zarr node. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { findOther, findReferences, openRepository } from "../hierarchy/detect-format.js";
