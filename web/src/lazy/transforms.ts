/** Coordinate systems and transformations of OME-Zarr. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { readGraph } from "../conventions/transforms/graph.js";
